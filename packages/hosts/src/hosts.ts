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
import { createStaticHandler } from 'react-router'
import { bundle } from './bundle.ts'
import { start } from './process.ts'

/** A host that runs the service of the contract until it is disposed of. */
export interface OpenHost extends ContractHost, AsyncDisposable {}

/** Where the service can live: one row each, and the service contract runs through all of them. */
export const hosts: Readonly<Record<string, () => Promise<OpenHost>>> = {
  'in process': inProcess,
  Node: onNode,
  Hono: inHono,
  workerd: inWorkerd,
  Deno: () => onRuntime('deno', ['run', '--no-lock', '--allow-net', '--allow-env']),
  Bun: () => onRuntime('bun', ['run']),
  H3: inH3,
  Elysia: inElysia,
  'React Router': inReactRouter,
}

async function inProcess(): Promise<OpenHost> {
  const origin = 'https://app.example'
  const { handle } = createAuth(contractConfig({ serviceUrl: origin }))
  return { base: `${origin}/api/auth`, send: handle, [Symbol.asyncDispose]: async () => undefined }
}

function onNode(): Promise<OpenHost> {
  return listen('/api/auth', () => createAuth(contractConfig()).handle)
}

/** Mounted at a path of its own, behind a middleware that has touched the response already. */
function inHono(): Promise<OpenHost> {
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

function inH3(): Promise<OpenHost> {
  const { handle } = createAuth(contractConfig())
  const app = new H3().all('/api/auth/**', ({ req }) => handle(req))
  return listen('/api/auth', () => async (request) => app.fetch(request))
}

function inElysia(): Promise<OpenHost> {
  const { handle } = createAuth(contractConfig())
  // Elysia would read the body itself; with `parse: 'none'` it is left to the service.
  const app = new Elysia().all('/api/auth/*', ({ request }) => handle(request), { parse: 'none' })
  return listen('/api/auth', () => async (request) => app.handle(request))
}

/** A resource route, as a file `routes/api.auth.$.ts` exports it. */
function inReactRouter(): Promise<OpenHost> {
  const { handle } = createAuth(contractConfig())
  const serve = ({ request }: { readonly request: Request }): Promise<Response> => handle(request)
  const routes = [{ id: 'auth', path: '/api/auth/*', loader: serve, action: serve }]
  const router = createStaticHandler(routes)
  return listen(
    '/api/auth',
    () => async (request) => (await router.queryRoute(request)) as Response,
  )
}

async function inWorkerd(): Promise<OpenHost> {
  await using program = await bundle('worker')
  const contents = await readFile(program.path, 'utf8')
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents }],
    compatibilityDate: '2026-07-01',
  })
  const { origin } = await miniflare.ready
  return overNetwork(origin, () => miniflare.dispose())
}

async function onRuntime(name: 'deno' | 'bun', args: readonly string[]): Promise<OpenHost> {
  const program = await bundle(name)
  const command = fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))
  const running = await start(command, [...args, program.path])
  return overNetwork(running.address, async () => {
    await running[Symbol.asyncDispose]()
    await program[Symbol.asyncDispose]()
  })
}

/** A server of Node in this process. */
async function listen(
  path: string,
  make: (origin: string) => (request: Request) => Promise<Response>,
): Promise<OpenHost> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const handler = make(origin)
  const listener = getRequestListener((request) => handler(request), {
    overrideGlobalObjects: false,
  })
  server.on('request', (incoming, outgoing) => void listener(incoming, outgoing))
  return overNetwork(origin + path, async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
}

/** @param address The service's base, or an origin where it lives at the default path */
function overNetwork(address: string, close: () => Promise<void>): OpenHost {
  const { origin, pathname } = new URL(address)
  const base = origin + (pathname === '/' ? '/api/auth' : pathname)
  return { base, send: (request) => fetch(request), [Symbol.asyncDispose]: close }
}
