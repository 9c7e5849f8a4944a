import type { RequestListener } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createAuth } from '@latchkey/core'
import { programsConfig } from '@latchkey/testing/contract-programs'
import { latchkey } from '@latchkey/hono'
import { createListener } from '@latchkey/node'
import { createApp as createElysiaApp } from '@latchkey/recipe-elysia'
import { createApp as createExpressApp } from '@latchkey/recipe-express'
import { createApp as createFastifyApp } from '@latchkey/recipe-fastify'
import { createApp as createH3App } from '@latchkey/recipe-h3'
import { createApp as createKoaApp } from '@latchkey/recipe-koa'
import { listen as startServer } from '@latchkey/test-support/listen'
import { startWorker } from '@latchkey/test-support/worker'
import { Hono } from 'hono'
import { bundleProgram } from './bundle.ts'
import { deployments } from './deployments.ts'
import { startProgram } from './process.ts'
import { createLocalHost, createNetworkHost, localOrigin } from './running-host.ts'
import type { RunningHost } from './running-host.ts'
import { createService } from './service.ts'

export type { RunningHost } from './running-host.ts'

/** The hosts that the service contract runs in. */
export const hosts: Readonly<Record<string, () => Promise<RunningHost>>> = {
  async 'in process'() {
    const auth = createAuth(programsConfig({ serviceUrl: localOrigin }))
    return createLocalHost((request) => auth.programs?.(request) ?? auth.handle(request))
  },
  Node: () => listen((origin) => createListener(createService(origin))),
  Hono: startInHono,
  workerd: startInWorkerd,
  Deno: () => startOnRuntime('deno', ['run', '--no-lock', '--allow-net', '--allow-env']),
  Bun: () => startOnRuntime('bun', ['run']),
  H3() {
    return listen((origin) => {
      const app = createH3App(createService(origin))
      return createListener(async (request) => app.fetch(request))
    })
  },
  Elysia() {
    return listen((origin) => {
      const app = createElysiaApp(createService(origin))
      return createListener((request) => app.handle(request))
    })
  },
  Express: () => listen((origin) => createExpressApp(createService(origin))),
  Fastify() {
    return listen((origin) => {
      const app = createFastifyApp(createService(origin))
      return (request, response) => void app.ready().then(() => app.routing(request, response))
    })
  },
  Koa() {
    return listen((origin) => {
      const callback = createKoaApp(createService(origin)).callback()
      return (request, response) => void callback(request, response)
    })
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
    app.use(latchkey(createAuth(programsConfig({ serviceUrl: `${origin}/v1/auth` }))))
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
  const { origin, stop } = await startServer((...args) => listener(...args), { host: 'localhost' })
  const listener = createRequestListener(origin)
  return createNetworkHost(origin + path, stop)
}
