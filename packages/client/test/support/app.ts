import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { bundle } from './bundle.ts'
import { identityPage } from './provider.ts'
import { createTestService } from './service.ts'
import type { TestService } from './service.ts'

/** Answers in the place of the service; undefined lets the request through. */
export type Intercept = (request: Request) => Promise<Response | undefined> | Response | undefined

/** An application with the service and its pages on one origin. */
export interface App extends TestService {
  readonly origin: string
  /** Every request to the service since the start or {@link App.forget}, as `GET /session`. */
  readonly requests: string[]
  readonly forget: () => void
  /** How often something was asked. */
  readonly count: (request: string) => number
  intercept: Intercept | undefined
  /** What `/rendered` shows. */
  render: ((request: Request) => Promise<string>) | undefined
  readonly stop: () => Promise<void>
}

/** Starts it on a free port of loopback. */
export async function startApp(service: TestService = createTestService()): Promise<App> {
  const requests: string[] = []
  const scripts = new Map<string, Promise<string>>()
  const app: App = {
    ...service,
    origin: '',
    requests,
    forget: () => requests.splice(0),
    count: (request) => requests.filter((made) => made === request).length,
    intercept: undefined,
    render: undefined,
    stop: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/api/auth/')) return ask(app, request, pathname.slice(10))
    if (pathname === '/idp') return identityPage(new URL(request.url))
    if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
    const script = /^\/(.+)\.js$/.exec(pathname)?.[1]
    if (script !== undefined) return text('text/javascript', await cached(scripts, script))
    if (pathname === '/rendered' && app.render) return html(await app.render(request))
    const page = pathname.slice(1)
    return html(shell('', pages.includes(page) ? page : undefined))
  }
  const listener = getRequestListener(answer, { overrideGlobalObjects: false })
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(app, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
}

/** A page: what the server has rendered of it, and its script. */
export function shell(rendered: string, script?: string, state = ''): string {
  const tag = script === undefined ? '' : `<script src="/${script}.js"></script>`
  return `<!doctype html><title>Test</title><div id="root">${rendered}</div>${state}${tag}`
}

/** Those with a script; any other path is a page with nothing on it. */
const pages: readonly string[] = ['next-auth', 'react', 'plain', 'hydrate']

async function ask(app: App, request: Request, path: string): Promise<Response> {
  app.requests.push(`${request.method} ${path}`)
  return (await app.intercept?.(request)) ?? app.auth.handle(request)
}

function cached(scripts: Map<string, Promise<string>>, page: string): Promise<string> {
  const script = scripts.get(page) ?? bundle(page)
  scripts.set(page, script)
  return script
}

function html(body: string): Response {
  return text('text/html; charset=utf-8', body)
}

function text(type: string, body: string): Response {
  return new Response(body, { headers: { 'content-type': type } })
}

/** What a service that is down looks like from outside. */
export function unavailable(): Response {
  return new Response('<h1>503 Service Unavailable</h1>', {
    status: 503,
    headers: { 'content-type': 'text/html' },
  })
}
