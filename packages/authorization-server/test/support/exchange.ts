/** Sends the same requests to the two servers of `sides.ts`, and says how each was answered. */
import type { Browser } from '@latchkey/testing/browser'
import { createPkce, notes } from './server.ts'
import { redirectUri, secret } from './sides.ts'
import type { ClientId, Side } from './sides.ts'

/** The parameters of a request: several values are given several times, undefined leaves the parameter out. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>

/** How a request differs from one that succeeds. */
export interface Change {
  readonly fields?: Fields
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly method?: string
  readonly body?: string
}

/** The endpoints for programs that are compared. */
export type EndpointName = 'code' | 'refresh' | 'revocation' | 'introspection'

/** What a client has of a server. */
export interface Held {
  readonly code: string
  readonly verifier: string
  readonly accessToken: string
  readonly refreshToken: string
  /** What was exchanged for the tokens. */
  readonly used: { readonly code: string; readonly verifier: string; readonly token: string }
}

/** Returns the header of a client (RFC 6749 §2.3.1). */
export function toBasic(id: string, password: string): string {
  return `Basic ${btoa(`${id}:${encodeURIComponent(password)}`)}`
}

function authenticate(client: ClientId): Change {
  if (client === 'basic') return { headers: { authorization: toBasic(client, secret) } }
  return { fields: { client_id: client, ...(client === 'posting' && { client_secret: secret }) } }
}

function encode(fields: Fields): string {
  const form = new URLSearchParams()
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values ?? []].flat()) form.append(name, value)
  }
  return String(form)
}

/** Sends an authorization request. */
export async function askForCode(
  { metadata, browser }: Side,
  client: ClientId,
  fields: Fields,
  by: Browser = browser,
): Promise<Response> {
  const query = encode({
    response_type: 'code',
    client_id: client,
    redirect_uri: redirectUri,
    scope: 'notes',
    resource: notes,
    state: 'state',
    code_challenge: createPkce().challenge,
    code_challenge_method: 'S256',
    ...fields,
  })
  return by.visit(`${String(metadata['authorization_endpoint'])}?${query}`)
}

async function getCode(side: Side, client: ClientId): Promise<Pick<Held, 'code' | 'verifier'>> {
  const { verifier, challenge } = createPkce()
  const asked = await askForCode(side, client, { code_challenge: challenge })
  const last = await side.browser.follow(asked, ({ href }) => href.startsWith(redirectUri))
  const location = last.headers.get('location') ?? ''
  const code = new URL(location).searchParams.get('code')
  if (code === null) throw new Error(`expected a code, found ${location}`)
  return { code, verifier }
}

/** Lets a client of the user get tokens, refresh them, and get another code. */
export async function obtain(side: Side, client: ClientId): Promise<Held> {
  // Grants of the same second end in any order, and a user has at most 20.
  side.wait(1)
  const used = await getCode(side, client)
  const first = await readTokens(await post(side, 'code', client, { ...used }))
  const token = first.refresh_token
  const next = await readTokens(await post(side, 'refresh', client, { refreshToken: token }))
  return {
    ...(await getCode(side, client)),
    accessToken: next.access_token,
    refreshToken: next.refresh_token,
    used: { ...used, token },
  }
}

interface TokenReply {
  readonly access_token: string
  readonly refresh_token: string
}

async function readTokens(response: Response): Promise<TokenReply> {
  const body: TokenReply = await response.json()
  if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(body)}`)
  return body
}

function toFields(endpoint: EndpointName, { code, verifier, refreshToken }: Partial<Held>): Fields {
  switch (endpoint) {
    case 'code':
      return {
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
      }
    case 'refresh':
      return { grant_type: 'refresh_token', refresh_token: refreshToken }
    case 'revocation':
    case 'introspection':
      return { token: refreshToken }
  }
}

/** Sends a request of a client to an endpoint. */
export async function post(
  { metadata, send }: Side,
  endpoint: EndpointName,
  client: ClientId,
  held: Partial<Held>,
  { fields, headers, method = 'POST', body }: Change = {},
): Promise<Response> {
  const own = authenticate(client)
  const name = endpoint === 'code' || endpoint === 'refresh' ? 'token' : endpoint
  const form = body ?? encode({ ...own.fields, ...toFields(endpoint, held), ...fields })
  const all = { 'content-type': FORM, ...own.headers, ...headers }
  const given = Object.entries(all).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const init = { method, headers: given, ...(hasBody(method) && { body: form }) }
  return send(String(metadata[`${name}_endpoint`]), init)
}

const FORM = 'application/x-www-form-urlencoded'

function hasBody(method: string): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method)
}

/** Returns the class of the status, and the error or what else the reply is. */
export async function describeReply(response: Response): Promise<string> {
  const kind = `${Math.floor(response.status / 100)}xx`
  const location = response.headers.get('location')
  if (location !== null) return `${kind} ${describeRedirect(location)}`
  const type = response.headers.get('content-type') ?? ''
  if (type.includes('html')) return `${kind} page`
  if (!type.includes('json') || response.body === null) return kind
  const { error, active }: { error?: string; active?: boolean } = await response.json()
  const state = active === undefined ? '' : active ? ' active' : ' inactive'
  return error === undefined ? kind + state : `${kind} ${error}`
}

function describeRedirect(location: string): string {
  if (!location.startsWith(redirectUri)) return 'asks the user'
  const { search, hash } = new URL(location)
  return new URLSearchParams(search || hash.slice(1)).get('error') ?? 'code'
}
