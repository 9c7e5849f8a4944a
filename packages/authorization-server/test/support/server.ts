import { createHash, randomBytes } from 'node:crypto'
import { programs } from '@latchkey/authorization-server'
import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { Browser } from '@latchkey/testing/browser'
import type { TokenKey } from '@latchkey/tokens'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { asDocumented } from '../../../core/test/support/openapi.ts'
import { signIn } from '../../../core/test/support/service.ts'
import { createService, issuer, origin, publicClient, redirectUri } from './create-service.ts'
import type { ServiceOptions } from './create-service.ts'

export {
  issuer,
  localClient,
  mail,
  notes,
  origin,
  publicClient,
  redirectUri,
} from './create-service.ts'
export const keys = [await generateTokenKey()]

/** The options of {@link serve}. */
export interface ServeOptions extends Pick<ServiceOptions, 'server' | 'config' | 'others'> {
  readonly storage?: Storage
  /** Keys besides the first one. */
  readonly otherKeys?: readonly TokenKey[]
  /** The IP address that the host says. */
  readonly clientIp?: () => string | undefined
}

/** A line of the log. */
interface LogLine {
  readonly level: string
  readonly message: string
}

/** A service with an authorization server, and a clock that only the test advances. */
export interface TestServer {
  readonly auth: ReturnType<typeof createService>
  readonly storage: Storage
  readonly lines: LogLine[]
  readonly browse: () => Browser
  /** Sends a request of a program. */
  readonly send: (path: string, init?: RequestInit) => Promise<Response>
  /** Posts a form to an endpoint for programs. */
  readonly post: (
    path: string,
    fields: Readonly<Record<string, string>> | string,
    headers?: Record<string, string>,
  ) => Promise<Response>
  readonly wait: (seconds: number) => void
  readonly now: () => number
}

/** When the clocks of the services of a storage started, in milliseconds. */
const starts = new WeakMap<Storage, number>()

/** Creates a service. Several with one storage are several processes, whose clocks agree. */
export function serve(options: ServeOptions = {}): TestServer {
  const storage = options.storage ?? memoryStorage()
  let now = starts.get(storage) ?? Math.floor(Date.now() / 1000) * 1000
  starts.set(storage, now)
  const lines: LogLine[] = []
  const clientIp = (): string | undefined => options.clientIp?.()
  const line = (level: string) => (message: string) => void lines.push({ level, message })
  const auth = createService({
    ...options,
    storage,
    keys: [...keys, ...(options.otherKeys ?? [])],
    config: {
      logger: { error: line('error'), warn: line('warn'), debug: line('debug') },
      ...options.config,
    },
    now: () => now,
  })
  const answerPage = asDocumented(issuer, (request) => auth.handle(request, { clientIp }))
  const handle = (request: Request): Promise<Response> =>
    programs(auth, request, { clientIp }) ?? answerPage(request)
  const send = (path: string, init?: RequestInit): Promise<Response> =>
    handle(new Request(origin + path, init))
  return {
    auth,
    storage,
    lines,
    browse: () => new Browser(handle, issuer),
    send,
    post: (path, fields, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: typeof fields === 'string' ? fields : String(new URLSearchParams(fields)),
      }),
    wait: (seconds) => {
      now += seconds * 1000
    },
    now: () => now / 1000,
  }
}

/** A verifier, and its challenge. */
export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}

export function createPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Returns the path of an authorization request. Members that are undefined are left out. */
export function toAuthorize(
  challenge: string,
  over: Readonly<Record<string, string | undefined>> = {},
): string {
  const query = new URLSearchParams()
  const parameters = {
    response_type: 'code',
    client_id: publicClient.id,
    redirect_uri: redirectUri,
    state: 'the state & more',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...over,
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, value)
  }
  return `/authorize?${query}`
}

/** Creates a browser in which a user is signed in. */
export async function browseAs({ browse }: TestServer, subject = 'alice'): Promise<Browser> {
  const browser = browse()
  await signIn(browser, subject)
  return browser
}

/** Returns the fields of the form of a page. */
export async function readForm(response: Response): Promise<Record<string, string>> {
  const inputs = (await response.text()).matchAll(/name="([\w:-]+)"\s+value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]))
}

/** Visits a URL and follows redirects within the service. */
export async function visit(browser: Browser, target: string): Promise<Response> {
  return browser.follow(await browser.visit(target), (url) => url.origin !== origin)
}

/** Asks for a code, and allows it if the user is asked. */
export async function allow(
  browser: Browser,
  target: string,
  over: Readonly<Record<string, string>> = {},
): Promise<URL> {
  const asked = await visit(browser, target)
  if (asked.status !== 200) return new URL(asked.headers.get('location') ?? '')
  const form = await readForm(asked)
  const reply = await browser.post('/consent', { ...form, decision: 'allow', ...over })
  const location = reply.headers.get('location')
  if (reply.status !== 303 || location === null) {
    throw new Error(`POST /consent answered ${reply.status}: ${await reply.text()}`)
  }
  return new URL(location)
}

/** What a client has to redeem a code. */
export interface CodeGrant {
  readonly code: string
  readonly verifier: string
  readonly fields: Readonly<Record<string, string>>
}

/** Gets a code for a user. */
export async function getCode(
  browser: Browser,
  over: Readonly<Record<string, string | undefined>> = {},
): Promise<CodeGrant> {
  const { verifier, challenge } = createPkce()
  const answer = await allow(browser, toAuthorize(challenge, over))
  const code = answer.searchParams.get('code')
  if (code === null) throw new Error(`expected a code, found ${answer}`)
  const { client_id = publicClient.id, redirect_uri = redirectUri } = over
  const fields = {
    grant_type: 'authorization_code',
    client_id,
    code,
    code_verifier: verifier,
    redirect_uri,
  }
  return { code, verifier, fields }
}

/** A token response. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly expires_in: number
}

/** Signs a user in, and gets tokens for the public client. */
export async function getTokens(server: TestServer, subject = 'alice'): Promise<Tokens> {
  const { fields } = await getCode(await browseAs(server, subject))
  return readTokens(await server.post('/oauth/token', fields))
}

export async function readTokens(response: Response): Promise<Tokens> {
  const body: unknown = await response.json()
  if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(body)}`)
  return body as Tokens
}

/** Refreshes as the public client. */
export function refresh(
  { post }: Pick<TestServer, 'post'>,
  refreshToken: string,
  over: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const fields = {
    grant_type: 'refresh_token',
    client_id: publicClient.id,
    refresh_token: refreshToken,
    ...over,
  }
  return post('/oauth/token', fields)
}

/** Returns the status and the error code of a reply. */
export async function readError(response: Response): Promise<readonly [number, string]> {
  const { error }: { error?: string } = await response.json()
  return [response.status, error ?? 'none']
}
