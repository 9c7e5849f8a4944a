import { serveHandler } from '@latchkey/test-support/listen'
import { bundlePage } from './bundle-page.ts'
import { renderIdentityPage } from './provider.ts'
import { createTestService } from './service.ts'
import type { TestService } from './service.ts'

/** An application: the service and its pages on one origin. */
export interface App extends TestService {
  readonly origin: string
  readonly basePath: string
  /** Every request to the service since the last {@link App.clearRequests}, as `GET session`. */
  readonly requests: string[]
  readonly clearRequests: () => void
  readonly countRequests: (request: string) => number
  /** Responds in place of the service; undefined passes the request on. */
  intercept:
    ((request: Request) => Promise<Response | undefined> | Response | undefined) | undefined
  /** The IP address that every request has. Undefined: limits per client do not count. */
  clientIp: string | undefined
  /** Renders the page `/rendered`. */
  render: ((request: Request) => Promise<string>) | undefined
  readonly stop: () => Promise<void>
}

/**
 * Starts an application on a free port of the loopback interface.
 *
 * @param host The host of the origin: `localhost` for passkeys, which need a domain
 */
export async function startApp(
  overrides: Parameters<typeof createTestService>[0] = {},
  basePath = '/api/auth',
  host: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<App> {
  const requests: string[] = []
  const { origin, stop } = await serveHandler((request) => handleRequest(app, request), { host })
  const app: App = {
    ...createTestService({ serviceUrl: origin + basePath, ...overrides }),
    origin,
    basePath,
    requests,
    clearRequests: () => requests.splice(0),
    countRequests: (request) => requests.filter((made) => made === request).length,
    intercept: undefined,
    clientIp: undefined,
    render: undefined,
    stop,
  }
  return app
}

/** Returns the HTML of a page: what the server rendered, and its script. */
export function renderShell(rendered: string, script?: string, state = ''): string {
  const tag = script === undefined ? '' : `<script src="/${script}.js"></script>`
  return `<!doctype html><title>Test</title><div id="root">${rendered}</div>${state}${tag}`
}

/** Returns the response of a proxy whose service is down. */
export function respondUnavailable(): Response {
  return new Response('<h1>503 Service Unavailable</h1>', {
    status: 503,
    headers: { 'content-type': 'text/html' },
  })
}

/** The pages with a script; any other path is an empty page. */
const pages: readonly string[] = [
  'next-auth',
  'next-auth-5',
  'hono-auth-js',
  'react',
  'plain',
  'hydrate',
  'passkeys',
]

async function handleRequest(app: App, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const base = `${app.basePath}/`
  if (pathname.startsWith(base)) return callService(app, request, pathname.slice(base.length))
  if (pathname === '/idp') return renderIdentityPage(new URL(request.url))
  if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
  const script = /^\/(.+)\.js$/.exec(pathname)?.[1]
  if (script !== undefined) return toResponse('text/javascript', await bundlePage(script))
  if (pathname === '/rendered' && app.render) return toHtmlResponse(await app.render(request))
  const page = pathname.slice(1)
  return toHtmlResponse(renderShell('', pages.includes(page) ? page : undefined))
}

async function callService(app: App, request: Request, path: string): Promise<Response> {
  app.requests.push(`${request.method} ${path}`)
  const { auth, clientIp } = app
  const options = { ...(clientIp !== undefined && { clientIp: () => clientIp }) }
  return (await app.intercept?.(request)) ?? auth.handle(request, options)
}

function toHtmlResponse(body: string): Response {
  return toResponse('text/html; charset=utf-8', body)
}

function toResponse(type: string, body: string): Response {
  return new Response(body, { headers: { 'content-type': type } })
}
