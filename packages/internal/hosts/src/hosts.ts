import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { once } from 'node:events'
import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/testing/contract-config'
import { latchkey } from '@latchkey/hono'
import { createListener } from '@latchkey/node'
import { createApp as createElysiaApp } from '@latchkey/recipe-elysia'
import { createApp as createExpressApp } from '@latchkey/recipe-express'
import { createApp as createFastifyApp } from '@latchkey/recipe-fastify'
import { createApp as createH3App } from '@latchkey/recipe-h3'
import { createApp as createKoaApp } from '@latchkey/recipe-koa'
import { startWorker } from '@latchkey/test-support/worker'
import { Hono } from 'hono'
import { bundleProgram } from './bundle.ts'
import { deployments } from './deployments.ts'
import { startProgram } from './process.ts'
import { createLocalHost, createNetworkHost, localOrigin } from './running-host.ts'
import type { RunningHost } from './running-host.ts'

export type { RunningHost } from './running-host.ts'

/** The hosts that the service contract runs in. */
export const hosts: Readonly<Record<string, () => Promise<RunningHost>>> = {
  'in process': async () =>
    createLocalHost(createAuth(contractConfig({ serviceUrl: localOrigin })).handle),
  Node: () => listen(() => createListener(createAuth(contractConfig()).handle)),
  Hono: startInHono,
  workerd: startInWorkerd,
  Deno: () => startOnRuntime('deno', ['run', '--no-lock', '--allow-net', '--allow-env']),
  Bun: () => startOnRuntime('bun', ['run']),
  H3() {
    const app = createH3App(createAuth(contractConfig()))
    return listen(() => createListener(async (request) => app.fetch(request)))
  },
  Elysia() {
    const app = createElysiaApp(createAuth(contractConfig()))
    return listen(() => createListener((request) => app.handle(request)))
  },
  Express: () => listen(() => createExpressApp(createAuth(contractConfig()))),
  async Fastify() {
    const app = createFastifyApp(createAuth(contractConfig()))
    await app.ready()
    return listen(() => (request, response) => app.routing(request, response))
  },
  Koa() {
    const callback = createKoaApp(createAuth(contractConfig())).callback()
    return listen(() => (request, response) => void callback(request, response))
  },
  ...deployments,
}

/** Mounts the service at another path, after a middleware that has accessed the response. */
function startInHono(): Promise<RunningHost> {
  return listen((origin) => {
    const app = new Hono()
    app.use(async (c, next) => {
      c.res.headers.set('x-served-by', 'hono')
      await next()
    })
    app.use(latchkey(createAuth(contractConfig({ serviceUrl: `${origin}/v1/auth` }))))
    return createListener(async (request) => app.fetch(request))
  }, '/v1/auth')
}

async function startInWorkerd(): Promise<RunningHost> {
  const entryPoints = [fileURLToPath(new URL('programs/worker.ts', import.meta.url))]
  const worker = await startWorker({ entryPoints })
  return createNetworkHost(worker.origin, async () => worker[Symbol.asyncDispose]())
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
  createRequestListener: (origin: string) => RequestListener,
  path = '/api/auth',
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
