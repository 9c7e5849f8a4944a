import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { once } from 'node:events'
import { getRequestListener } from '@hono/node-server'
import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/core/testing/contract-config'
import type { ContractHost } from '@latchkey/core/testing/service-contract'
import { latchkey } from '@latchkey/hono'
import { Elysia } from 'elysia'
import express from 'express'
import fastify from 'fastify'
import { H3 } from 'h3'
import { Hono } from 'hono'
import Koa from 'koa'
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
  Express: startInExpress,
  Fastify: startInFastify,
  Koa: startInKoa,
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

function startInExpress(): Promise<RunningHost> {
  const { basePath, handle } = createAuth(contractConfig())
  const listener = createListener(handle)
  const app = express()
  app.use((request, response, next) => {
    if (request.url.startsWith(`${basePath}/`)) void listener(request, response)
    else next()
  })
  // After the service: a body that is parsed cannot be read again.
  app.use(express.json(), express.urlencoded())
  return listenOn(app)
}

async function startInFastify(): Promise<RunningHost> {
  const { basePath, handle } = createAuth(contractConfig())
  const listener = createListener(handle)
  const app = fastify()
  // A hook instead of a route: Fastify parses bodies and decodes paths before routes.
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (!raw.url?.startsWith(`${basePath}/`)) return
    reply.hijack()
    await listener(raw, reply.raw)
  })
  await app.ready()
  return listenOn((request, response) => app.routing(request, response))
}

function startInKoa(): Promise<RunningHost> {
  const { basePath, handle } = createAuth(contractConfig())
  const listener = createListener(handle)
  const app = new Koa()
  app.use(async (ctx, next) => {
    if (!ctx.url.startsWith(`${basePath}/`)) return next()
    ctx.respond = false
    await listener(ctx.req, ctx.res)
  })
  const callback = app.callback()
  return listenOn((request, response) => void callback(request, response))
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
  return startServer(path, (origin) => {
    const listener = createListener(createHandler(origin))
    return (incoming, outgoing) => {
      const { url, headersDistinct } = incoming
      // The library takes a target that is an absolute URL in place of the Host header.
      const isClear = url?.startsWith('/') === true && headersDistinct['host']?.length === 1
      if (isClear) void listener(incoming, outgoing)
      else outgoing.writeHead(400).end()
    }
  })
}

/** Starts a server of Node with the listener of a framework. */
function listenOn(listener: RequestListener): Promise<RunningHost> {
  return startServer('/api/auth', () => listener)
}

type NodeListener = ReturnType<typeof getRequestListener>

function createListener(handle: (request: Request) => Promise<Response>): NodeListener {
  return getRequestListener((request) => handle(request), { overrideGlobalObjects: false })
}

async function startServer(
  path: string,
  createRequestListener: (origin: string) => RequestListener,
): Promise<RunningHost> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  server.on('request', createRequestListener(origin))
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
