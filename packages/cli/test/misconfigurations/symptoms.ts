import type { Auth } from '@latchkey/core'
import { signedIn } from '@latchkey/testing'
import { Browser } from '@latchkey/testing/browser'
import { beginSignIn, signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import type { ExamineOptions } from '../../src/doctor/examine.ts'
import type { rows } from './rows.ts'
import type { World } from './world.ts'

type Title = (typeof rows)[number]['title']

/** A running application, and what it has logged. */
export interface Running {
  readonly auth: Auth
  readonly logged: readonly string[]
  readonly world: World
}

const oidc = { provider: 'oidc' }

function open({ auth }: Running, origin: string = 'http://localhost:3000'): Browser {
  return new Browser((request) => auth.handle(request), origin + auth.basePath)
}

/** Signs in, as far as that goes. */
async function signIn(running: Running): Promise<string> {
  const { logged, world } = running
  const response = await signInAtIssuer(open(running), world.issuer, oidc)
  return [response.status, response.headers.get('location'), ...logged].join(' ')
}

async function begin(running: Running): Promise<string> {
  const location = await beginSignIn(open(running), oidc)
  return [location.href, ...running.logged].join(' ')
}

async function requestEmail(running: Running): Promise<string> {
  await open(running).submit('/signin/email', { email: 'alice@example.com' })
  return running.logged.join(' ')
}

/** Opens the page of the identity provider. */
async function openProvider(running: Running): Promise<string> {
  return (await fetch(await beginSignIn(open(running), oidc))).text()
}

async function readSession(running: Running): Promise<string> {
  const browser = open(running)
  await signInAtIssuer(browser, running.world.issuer, oidc)
  const { status } = await browser.visit('/session')
  return [status, ...running.logged].join(' ')
}

async function ask(running: Running, origin: string, path: string = '/session'): Promise<string> {
  const { auth, logged } = running
  const response = await auth.handle(new Request(origin + auth.basePath + path))
  return [response.status, ...logged].join(' ')
}

/** Returns what was logged at the start. */
const readLog = async ({ logged }: Running): Promise<string> => logged.join(' ')

/** What an application says at the first request that is concerned. */
export const symptoms: Partial<Record<Title, (running: Running) => Promise<string>>> = {
  'A wrong client id': openProvider,
  'A wrong client secret': signIn,
  'A placeholder of the scaffold': signIn,
  'A wrong issuer': begin,
  'A redirect URI that is not registered': openProvider,
  async 'Another base path'({ auth, logged }) {
    const response = await auth.handle(new Request('http://localhost:3000/api/auth/session'))
    return [response.status, ...logged].join(' ')
  },
  async 'www in place of the apex'(running) {
    const { auth, logged } = running
    const response = await auth.handle(
      new Request('https://www.example.com/api/auth/signin/oidc', {
        method: 'POST',
        headers: { origin: 'https://www.example.com', 'sec-fetch-site': 'same-site' },
        body: new URLSearchParams({ csrfToken: 'x' }),
      }),
    )
    return [response.status, ...logged].join(' ')
  },
  async 'A wrong clock'(running) {
    running.world.skew = 60_000
    return signIn(running).finally(() => (running.world.skew = 0))
  },
  'An SMTP server that cannot be reached': requestEmail,
  'A wrong SMTP password': requestEmail,
  'Missing tables': signIn,
  'A session callback without a return value': readSession,
  'A cookie that is too large': signIn,
  async 'A body that was read before'({ auth, logged }) {
    const request = new Request('http://localhost:3000/api/auth/signin/oidc', {
      method: 'POST',
      body: new URLSearchParams({ csrfToken: 'x' }),
    })
    await request.text()
    const response = await auth.handle(request)
    return [response.status, ...logged].join(' ')
  },
  'A host without a service URL': (running) => ask(running, 'https://app.example.com'),
  async 'A proxy without the client’s IP address'(running) {
    const { auth } = running
    // Each sign-in is begun by another browser, and all of them by the IP address of the proxy.
    const send = (request: Request): Promise<Response> =>
      auth.handle(request, { clientIp: () => '10.0.0.1' })
    let status = 0
    for (let i = 0; i < 61; i++) {
      const browser = new Browser(send, `https://example.com${auth.basePath}`)
      status = (await browser.submit('/signin/oidc')).status
    }
    return String(status)
  },
  AUTH_URL: (running) => ask(running, 'https://example.com'),
  'A jwt callback without a return value': signIn,
  'Passkeys at an IP address': readLog,
  'A second factor without recovery codes': readLog,
  'An unknown provider in a test': ({ auth }) =>
    signedIn(auth, { provider: 'gitlab', user: { email: 'a@example.com' } }).catch(String),
  async 'An origin that the browser’s console names'({ auth, logged }) {
    const headers = { origin: 'http://localhost:5173' }
    const response = await auth.handle(
      new Request('http://localhost:3000/api/auth/session', { headers }),
    )
    const allowed = response.headers.get('access-control-allow-origin')
    return [allowed ?? 'no Access-Control-Allow-Origin', ...logged].join(' ')
  },
}

/** How `latchkey doctor` is called, if it needs more than the project. */
export const doctorOptions: Partial<
  Record<Title, (world: World) => Promise<ExamineOptions & { readonly skew?: number }>>
> = {
  'A wrong clock': async () => ({ skew: 60_000 }),
  'A proxy without the client’s IP address': async () => ({ offline: true }),
  'A cookie domain of another site': async () => ({ offline: true }),
  'Passkeys at an IP address': async () => ({ offline: true }),
  'www in place of the apex': async (world) => ({
    url: await world.listen((_, response) => {
      response.setHeader('set-cookie', '__Host-latchkey.csrf=x; Secure; HttpOnly; SameSite=Lax')
      response.setHeader('cache-control', 'private, no-store')
      response.end(
        JSON.stringify({
          csrfToken: 'x',
          oidc: { callbackUrl: 'https://example.com/api/auth/callback/oidc' },
        }),
      )
    }),
  }),
}
