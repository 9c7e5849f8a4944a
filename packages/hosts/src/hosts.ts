import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { once } from 'node:events'
import { getRequestListener } from '@hono/node-server'
import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/core/testing/contract-config'
import type { ContractHost } from '@latchkey/core/testing/service-contract'
import { latchkey } from '@latchkey/hono'
import { Elysia } from 'elysia'
import { H3 } from 'h3'
import { Hono } from 'hono'
import { Miniflare } from 'miniflare'
import { bundleProgram } from './bundle.ts'
import { startProgram } from './process.ts'

/** A host that runs the service of the contract until it is disposed of. */
export interface RunningHost extends ContractHost, AsyncDisposable {}

/** The hosts that the service contract runs in. */
export const hosts: Readonly<Record<string, () => Promise<RunningHost>>> = {
  'in process': startInProcess,
  Node: startOnNode,
  Hono: startInHono,
  workerd: startInWorkerd,
  Deno: () => startOnRuntime('deno', ['run', '--no-lock', '--allow-net', '--allow-env']),
  Bun: () => startOnRuntime('bun', ['run']),
  H3: startInH3,
  Elysia: startInElysia,
}

async function startInProcess(): Promise<RunningHost> {
  const origin = 'https://app.example'
  const { handle } = createAuth(contractConfig({ serviceUrl: origin }))
  return { base: `${origin}/api/auth`, send: handle, [Symbol.asyncDispose]: async () => undefined }
}

function startOnNode(): Promise<RunningHost> {
  return listen('/api/auth', () => createAuth(contractConfig()).handle)
}

/** Mounts the service at another path, after a middleware that has accessed the response. */
function startInHono(): Promise<RunningHost> {
  return listen('/v1/auth', (origin) => {
    const app = new Hono()
    app.use(async (c, next) => {
      c.res.headers.set('x-served-by', 'hono')
      await next()
    })
    app.use(latchkey(createAuth(contractConfig({ serviceUrl: `${origin}/v1/auth` }))))
    return async (request) => app.fetch(request)
  })
}

function startInH3(): Promise<RunningHost> {
  const { handle } = createAuth(contractConfig())
  const app = new H3().all('/api/auth/**', ({ req }) => handle(req))
  return listen('/api/auth', () => async (request) => app.fetch(request))
}

function startInElysia(): Promise<RunningHost> {
  const { handle } = createAuth(contractConfig())
  // Without `parse: 'none'`, Elysia reads the body itself.
  const app = new Elysia().all('/api/auth/*', ({ request }) => handle(request), { parse: 'none' })
  return listen('/api/auth', () => async (request) => app.handle(request))
}

async function startInWorkerd(): Promise<RunningHost> {
  await using program = await bundleProgram('worker')
  const contents = await readFile(program.path, 'utf8')
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents }],
    compatibilityDate: '2026-07-01',
  })
  const { origin } = await miniflare.ready
  return createNetworkHost(origin, () => miniflare.dispose())
}

async function startOnRuntime(name: 'deno' | 'bun', args: readonly string[]): Promise<RunningHost> {
  const program = await bundleProgram(name)
  const command = fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))
  const running = await startProgram(command, [...args, program.path])
  return createNetworkHost(running.url, async () => {
    await running[Symbol.asyncDispose]()
    await program[Symbol.asyncDispose]()
  })
}

/** Starts a server of Node in this process. */
async function listen(
  path: string,
  createHandler: (origin: string) => (request: Request) => Promise<Response>,
): Promise<RunningHost> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const handler = createHandler(origin)
  const listener = getRequestListener((request) => handler(request), {
    overrideGlobalObjects: false,
  })
  server.on('request', (incoming, outgoing) => {
    const { url, headersDistinct } = incoming
    // The library takes a target that is an absolute URL in place of the Host header.
    const isClear = url?.startsWith('/') === true && headersDistinct['host']?.length === 1
    if (isClear) void listener(incoming, outgoing)
    else outgoing.writeHead(400).end()
  })
  return createNetworkHost(origin + path, async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
}

/** @param url The base URL of the service, or an origin if it has the default path */
function createNetworkHost(url: string, close: () => Promise<void>): RunningHost {
  const { origin, pathname } = new URL(url)
  const base = origin + (pathname === '/' ? '/api/auth' : pathname)
  return { base, send: (request) => fetch(request), [Symbol.asyncDispose]: close }
}
