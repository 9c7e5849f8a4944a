import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Provider, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import { Browser } from '@latchkey/core/testing/browser'
import { createIssuer } from '@latchkey/core/testing/issuer'
import type { Issuer } from '@latchkey/core/testing/issuer'
import { checkResponse } from './check-response.ts'
import type { JwtKey } from './jwt-edits.ts'
import { createRandomBytes } from './random.ts'
import { check } from './target.ts'

const origin = 'https://app.example'
const base = `${origin}/api/auth`
/** Seconds since 1970: the time of every case. */
export const NOW = 1_800_000_000
export const client = { clientId: 'client-id', clientSecret: 'hush-never-say-this' }
export const issuerUrl = 'https://issuer.example'

/** What an issuer's response is replaced by. */
export type Alter = (url: URL, response: Response) => Response | Promise<Response>

/** A service with one OpenID provider, whose responses are altered. */
export interface IssuerService {
  readonly auth: Auth
  readonly storage: Storage
  readonly issuer: Issuer
  readonly browser: Browser
  /** The URLs that the service has requested. */
  readonly requested: URL[]
  /** Begins a sign-in. Returns the authorization request; undefined if the service does not begin it. */
  readonly begin: () => Promise<URL | undefined>
  /** Returns the subject of the browser's session; undefined without a session. */
  readonly getSubject: () => Promise<string | undefined>
  /** Checks what was logged. */
  readonly checkLog: () => void
}

/** Statuses of a sign-in that the issuer makes impossible (I-8). */
const PLANNED = 502

/** Creates a service. Its responses are checked as they arrive. */
export function serveIssuer(alter: Alter, over: Partial<OidcConfig> = {}): IssuerService {
  const issuer = createIssuer({
    ...client,
    algorithm: 'ES256',
    userClaimsIn: 'id_token',
    now: () => NOW * 1000,
  })
  const requested: URL[] = []
  const log: { level: string; text: string }[] = []
  const storage = memoryStorage()
  const line = (level: string) => (message: string, details: object) =>
    void log.push({ level, text: `${message} ${JSON.stringify(details)}` })
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    const target = new URL(url)
    requested.push(target)
    check(target.protocol === 'https:', `outbound request: ${url.slice(0, 200)}`)
    check(init.redirect === 'manual', `redirects are followed: ${init.redirect}`)
    return alter(target, await issuer.fetch(url, init))
  }
  const provider = oidc({ id: 'op', name: 'Provider', issuer: issuerUrl, ...client, ...over })
  const auth = createAuth(createConfig(provider, storage, { send, line }))
  const browser = createBrowser(auth)
  return {
    auth,
    storage,
    issuer,
    browser,
    requested,
    async begin() {
      const location = (await browser.submit('/signin/op')).headers.get('location')
      const url = location === null ? undefined : new URL(location)
      if (url) checkErrorCode(url)
      return url?.origin === origin ? undefined : url
    },
    getSubject: () => getSubject(browser, storage),
    checkLog: () => checkLog(log, issuer),
  }
}

/** Creates a browser that checks every response. */
function createBrowser(auth: Auth): Browser {
  return new Browser(async (request) => {
    const response = await auth.handle(request)
    const [path, text] = [request.url.slice(base.length + 1), await response.clone().text()]
    checkResponse({ method: request.method, path, response, text }, isPlanned)
    return response
  }, base)
}

interface Ports {
  readonly send: (url: string, init: RequestInit) => Promise<Response>
  readonly line: (level: string) => (message: string, details: object) => void
}

function createConfig(provider: Provider, storage: Storage, { send, line }: Ports): AuthConfig {
  return {
    serviceUrl: origin,
    secret: 'a secret of thirty-two bytes or more',
    providers: [provider],
    storage,
    logger: { error: line('error'), warn: line('warn'), debug: line('debug') },
    runtime: {
      fetch: send,
      now: () => NOW * 1000,
      monotonic: () => 0,
      schedule: (milliseconds, callback) => {
        const immediate = milliseconds > 2000 ? undefined : setImmediate(callback)
        return () => clearImmediate(immediate)
      },
      random: createRandomBytes(11),
    },
  }
}

function isPlanned({ response }: { readonly response: Response }): boolean {
  return response.status === PLANNED
}

/** Sends the callback, and checks that it leads to a page of the service. */
export async function finish({ browser }: IssuerService, callback: URL): Promise<void> {
  const response = await browser.visit(callback.href)
  const location = response.headers.get('location')
  if (location !== null) checkErrorCode(new URL(location))
}

const codes = ['OAuthSignin', 'OAuthCallback', 'Cancelled', 'OAuthAccountNotLinked', 'AccessDenied']

/** A redirect has an error code and nothing else of an error. */
function checkErrorCode(url: URL): void {
  const error = url.searchParams.get('error')
  check(error === null || codes.includes(error), `error code: ${url.href.slice(0, 300)}`)
}

async function getSubject(browser: Browser, storage: Storage): Promise<string | undefined> {
  const session = (await browser.json('/session')) as { readonly user?: User }
  if (!session.user) return undefined
  checkUser(session.user)
  const [account] = await storage.listAccounts(session.user.id)
  check(account !== undefined, 'a session without an account')
  return account.providerAccountId
}

interface User {
  readonly id: string
  readonly name: string | null
  readonly email: string | null
  readonly image: string | null
}

function checkUser({ name, email, image }: User): void {
  check(name === null || (name.isWellFormed() && name.length <= 510), `name: ${name}`)
  check(email === null || /^[^@\s]+@[^@\s]+$/.test(email), `email: ${email}`)
  check(image === null || /^https?:\/\//.test(image), `image: ${image}`)
}

function checkLog(
  log: readonly { readonly level: string; readonly text: string }[],
  { secrets }: Issuer,
): void {
  for (const { level, text } of log) {
    const isKnown = level !== 'error' || text.includes('"error":"OAuthSignin"')
    check(isKnown, `log line of level error: ${text.slice(0, 500)}`)
    const secret = [...secrets].find((each) => each.length >= 8 && text.includes(each))
    check(secret === undefined, `secret in a log line: ${text.slice(0, 500)}`)
  }
}

/** Lets the issuer publish a further key, with which a target signs. */
export function publish({ jwk }: JwtKey): Alter {
  return async ({ pathname }, response) => {
    if (pathname !== '/jwks') return response
    const { keys } = (await response.json()) as { readonly keys: readonly object[] }
    return Response.json({ keys: [...keys, jwk] })
  }
}
