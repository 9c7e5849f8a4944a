import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { getKeyHash, getSelfSigned } from '@latchkey/test-support/certificate'
import { renderShell } from './app.ts'
import { bundlePage } from './bundle-page.ts'
import { renderIdentityPage } from './provider.ts'
import { createTestService } from './service.ts'
import type { TestService } from './service.ts'

/** The service and pages on other hosts, all over https on one port. */
export interface Sites extends TestService {
  /** The origin of the service. */
  readonly service: string
  /** Returns the origin of another host. */
  readonly at: (host: string) => string
  /** What the service answered since the start, oldest first. */
  readonly answers: Answer[]
  /** Arguments with which Chromium finds the hosts and accepts their certificate. */
  readonly chromiumArguments: readonly string[]
  readonly stop: () => Promise<void>
}

/** One request to the service, as its browser sent it, and the status of the response. */
export interface Answer {
  readonly request: string
  readonly origin: string | null
  readonly site: string | null
  readonly status: number
}

/** The pages with a script; any other path is an empty page. */
const pages: readonly string[] = ['plain', 'react', 'next-auth-elsewhere']
const SERVICE_HOST = 'auth.example.test'

/** Starts the service at auth.example.test, which trusts app.example.test; any other host has pages. */
export async function startSites(): Promise<Sites> {
  const certificate = getSelfSigned('DNS:*.example.test,DNS:example.test,DNS:*.evil.test')
  const { key, certificate: cert } = certificate
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    void listener(incoming, outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const at = (host: string): string => `https://${host}:${port}`
  const service = at(SERVICE_HOST)
  const trustedOrigins = [at('app.example.test')]
  const answers: Answer[] = []
  const sites: Sites = {
    ...createTestService({ serviceUrl: service, trustedOrigins }),
    service,
    at,
    answers,
    chromiumArguments: [
      '--host-resolver-rules=MAP *.test 127.0.0.1',
      `--ignore-certificate-errors-spki-list=${getKeyHash(certificate)}`,
    ],
    stop: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }
  const listener = getRequestListener((request) => handleRequest(sites, request), {
    overrideGlobalObjects: false,
  })
  return sites
}

async function handleRequest(sites: Sites, request: Request): Promise<Response> {
  const { hostname, pathname } = new URL(request.url)
  if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
  if (hostname === SERVICE_HOST && pathname === '/idp') {
    return renderIdentityPage(new URL(request.url))
  }
  if (hostname === SERVICE_HOST && pathname === '/no-referrer') {
    const page = respond('text/html; charset=utf-8', renderShell('', undefined))
    page.headers.set('referrer-policy', 'no-referrer')
    return page
  }
  if (hostname === SERVICE_HOST) return callService(sites, request, pathname)
  const script = /^\/(.+)\.js$/.exec(pathname)?.[1]
  if (script !== undefined) return respond('text/javascript', await bundlePage(script))
  const page = pages.find((name) => pathname === `/${name}`)
  return respond('text/html; charset=utf-8', renderShell('', page))
}

async function callService(sites: Sites, request: Request, path: string): Promise<Response> {
  const { method, headers } = request
  const response = await sites.auth.handle(request)
  sites.answers.push({
    request: `${method} ${path.replace('/api/auth', '')}`,
    origin: headers.get('origin'),
    site: headers.get('sec-fetch-site'),
    status: response.status,
  })
  return response
}

function respond(type: string, body: string): Response {
  return new Response(body, { headers: { 'content-type': type } })
}
