import { createHmac, generateKeyPairSync, sign, verify } from 'node:crypto'
import { createAuth } from '@latchkey/core'
import type { Auth, Storage, StoredUser } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer } from '@latchkey/testing/issuer'
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { editMembers, memberEdits, parseObject, textEdit } from '../support/arbitraries.ts'
import type { MemberEdit, TextEdit } from '../support/arbitraries.ts'
import { checkResponse } from '../support/check-response.ts'

const origin = 'https://app.example'
const base = `${origin}/api/auth`
/** Seconds since 1970: the time of every case. */
export const NOW = 1_800_000_000
export const client = { clientId: 'client-id', clientSecret: 'hush-never-say-this' }
export const issuerUrl = 'https://issuer.example'

/** What a response of the issuer is replaced by. */
type Alter = (url: URL, response: Response) => Response | Promise<Response>

/** A service with one OpenID provider, whose responses are altered. */
export interface IssuerService {
  readonly auth: Auth
  readonly storage: Storage
  readonly issuer: Issuer
  readonly browser: Browser
  /** Insecure requests, and errors and secrets in the log. */
  readonly problems: readonly string[]
}

/** Error codes of a sign-in that fails (I-8). */
const codes = ['OAuthSignin', 'OAuthCallback', 'Cancelled', 'OAuthAccountNotLinked', 'AccessDenied']

/** Creates a service. Every response and every line of its log is checked; 502 is the status if the issuer makes a sign-in impossible. */
export function serveIssuer(alter: Alter, over: Partial<OidcConfig> = {}): IssuerService {
  const now = (): number => NOW * 1000
  const issuer = createIssuer({ ...client, algorithm: 'ES256', userClaimsIn: 'id_token', now })
  const problems: string[] = []
  const storage = memoryStorage()
  const check = (level: string) => (message: string, details: object) => {
    const line = `${level} ${message} ${JSON.stringify(details)}`
    const isError = level === 'error' && !line.includes('"error":"OAuthSignin"')
    const hasSecret = [...issuer.secrets].some((each) => each.length >= 8 && line.includes(each))
    if (isError || hasSecret) problems.push(line)
  }
  const auth = createAuth({
    serviceUrl: origin,
    secret: 'a secret of thirty-two bytes or more',
    providers: [oidc({ id: 'op', name: 'Provider', issuer: issuerUrl, ...client, ...over })],
    storage,
    logger: { error: check('error'), warn: check('warn'), debug: check('debug') },
    runtime: {
      now,
      monotonic: () => 0,
      schedule: (milliseconds, callback) => {
        const immediate = milliseconds > 2000 ? undefined : setImmediate(callback)
        return () => clearImmediate(immediate)
      },
      fetch: async (url, init) => {
        const target = new URL(url)
        if (target.protocol !== 'https:' || target.username || init.redirect !== 'manual')
          problems.push(`a request of ${url} with ${init.redirect}`)
        return alter(target, await issuer.fetch(url, init))
      },
    },
  })
  const browser = new Browser(async (request) => {
    const response = await auth.handle(request)
    const [path, text] = [request.url.slice(base.length + 1), await response.clone().text()]
    checkResponse({ method: request.method, path, response, text }, [502])
    const location = response.headers.get('location')
    const error = location === null ? null : new URL(location).searchParams.get('error')
    if (error !== null) expect(codes).toContain(error)
    return response
  }, base)
  return { auth, storage, issuer, browser, problems }
}

/** Begins a sign-in. Returns the authorization request; undefined if the service does not begin it. */
export async function begin({ browser }: IssuerService): Promise<URL | undefined> {
  const location = (await browser.submit('/signin/op')).headers.get('location')
  const url = location === null ? undefined : new URL(location)
  return url?.origin === origin ? undefined : url
}

/** Signs in at an issuer whose metadata are correct. Returns the authorization request. */
export async function signIn(service: IssuerService): Promise<URL> {
  const request = await begin(service)
  if (!request) throw new Error('expected a sign-in that begins')
  await service.browser.visit(service.issuer.authorize(request).href)
  return request
}

/** Returns the subject of the browser's session; undefined without a session. */
export async function getSubject(service: IssuerService): Promise<string | undefined> {
  const { browser, storage, problems } = service
  expect(problems).toEqual([])
  const { user } = (await browser.json('/session')) as { readonly user?: StoredUser }
  if (!user) return undefined
  const { name, email, image } = user
  if (name !== null) expect(name).toMatch(/^\P{Surrogate}{0,255}$/u)
  if (email !== null) expect(email).toMatch(/^[^@\s]+@[^@\s]+$/)
  if (image !== null) expect(image).toMatch(/^https?:\/\//)
  const [account] = (await storage.listAccounts?.(user.id)) ?? []
  return account?.providerAccountId
}

/** How a response with JSON is altered. */
export interface ResponseEdit {
  readonly members: readonly MemberEdit[]
  readonly edit: TextEdit | undefined
  readonly status: number
  readonly type: string
}

const statuses = [201, 204, 301, 302, 400, 401, 403, 404, 429, 500, 503]

/** Alterations of a response, most of which has the status 200. */
export function responseEdit(
  names: readonly string[],
  values: readonly unknown[],
): fc.Arbitrary<ResponseEdit> {
  const isJson = { weight: 6, arbitrary: fc.constant('application/json') }
  const isOk = { weight: 6, arbitrary: fc.constant(200) }
  return fc.record({
    members: memberEdits(names, values),
    edit: fc.option(textEdit, { nil: undefined, freq: 3 }),
    status: fc.oneof(isOk, fc.constantFrom(...statuses)),
    type: fc.oneof(isJson, fc.constantFrom('text/html', 'application/jwt', '')),
  })
}

/** Alters a response. Returns its text, too, which the service reads. */
export async function editResponse(
  response: Response,
  { members, edit = (whole) => whole, status, type }: ResponseEdit,
): Promise<{ readonly response: Response; readonly text: string }> {
  const json = (await response.json()) as object
  const text = edit(JSON.stringify(editMembers(json, members)))
  const headers = { ...(type && { 'content-type': type }), location: 'https://evil.example/' }
  return { response: new Response(status === 204 ? null : text, { status, headers }), text }
}

const key = createKey()
const attackerKey = createKey()

function createKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'key', alg: 'ES256', use: 'sig' }
  return { privateKey, publicKey, jwk }
}

/** Lets the issuer publish a further key, which signs the JWTs of the cases. */
export const publishKey: Alter = async ({ pathname }, response) => {
  if (pathname !== '/jwks') return response
  const { keys } = (await response.json()) as { readonly keys: readonly object[] }
  return Response.json({ keys: [...keys, key.jwk] })
}

/** How a JWT differs from a correct one. */
export interface JwtEdit {
  readonly claims: readonly MemberEdit[]
  readonly header: readonly MemberEdit[]
  /** Who signs: only the issuer's signature is valid. */
  readonly signer: 'issuer' | 'attacker' | 'public-key' | 'secret' | 'none'
  readonly edit: TextEdit | undefined
}

// prettier-ignore
const headerValues = ['ES256', 'HS256', 'none', 'None', 'RS256', 'JWT', 'logout+jwt', ['b64'], 'key']
const headerNames = ['alg', 'kid', 'typ', 'crit', 'jwk', 'b64', 'zip']

/** Alterations of a JWT. */
export function jwtEdit(
  names: readonly string[],
  values: readonly unknown[],
): fc.Arbitrary<JwtEdit> {
  const header = memberEdits(headerNames, headerValues)
  const attackers = fc.constantFrom('attacker' as const, 'public-key', 'secret', 'none')
  return fc.record({
    claims: memberEdits(names, values),
    header: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, header),
    signer: fc.oneof({ weight: 4, arbitrary: fc.constant('issuer' as const) }, attackers),
    edit: fc.option(textEdit, { nil: undefined, freq: 3 }),
  })
}

/** Creates a JWT with edits. */
export function createJwt(correct: object, { claims, header, signer, edit }: JwtEdit): string {
  const isHmac = signer === 'public-key' || signer === 'secret'
  const alg = isHmac ? 'HS256' : signer === 'none' ? 'none' : 'ES256'
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const headerParameters = editMembers({ alg, kid: 'key', typ: 'JWT' }, header)
  const input = `${encode(headerParameters)}.${encode(editMembers(correct, claims))}`
  const hmacKey = signer === 'secret' ? client.clientSecret : JSON.stringify(key.jwk)
  const { privateKey } = signer === 'attacker' ? attackerKey : key
  const signature = isHmac
    ? createHmac('sha256', hmacKey).update(input).digest()
    : sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const jwt = `${input}.${signer === 'none' ? '' : signature.toString('base64url')}`
  return edit ? edit(jwt) : jwt
}

/** Returns the claims of a JWT if the issuer has signed them. Nothing else is checked. */
export function readSignedClaims(jwt: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^[\w-]+\.[\w-]+\.[\w-]{86}$/.test(jwt)) return undefined
  const [header, payload = '', signature = ''] = jwt.split('.')
  const input = Buffer.from(`${header}.${payload}`)
  const verifier = { key: key.publicKey, dsaEncoding: 'ieee-p1363' } as const
  const isSigned = verify('sha256', input, verifier, Buffer.from(signature, 'base64url'))
  return isSigned ? parseObject(decode(payload)) : undefined
}

/** Decodes base64url to a text. */
export function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString()
}
