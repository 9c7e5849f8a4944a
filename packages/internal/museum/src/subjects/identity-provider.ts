/** A user of the identity providers. */
export interface Person {
  readonly email: string
  readonly emailVerified: boolean
}

/** The users by the code of the authorization response that names them. */
export type People = Map<string, Person>

/** The endpoints of a plain OAuth 2.0 provider in this process. */
export interface Endpoints {
  readonly authorization: string
  readonly token: string
  readonly user: string
}

export const endpoints: Readonly<Record<'forge' | 'guild', Endpoints>> = {
  forge: createEndpoints('https://forge.example'),
  guild: createEndpoints('https://guild.example'),
}

export const client = { clientId: 'client-id', clientSecret: 'client-secret' } as const

function createEndpoints(origin: string): Endpoints {
  return {
    authorization: `${origin}/authorize`,
    token: `${origin}/token`,
    user: `${origin}/user`,
  }
}

/**
 * Answers as both providers. A code is the subject; access and refresh tokens name it. The first access token expires
 * immediately.
 *
 * @throws Error at any other URL: no attack uses the network
 */
export function createProviderFetch(people: People): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { pathname, host } = new URL(request.url)
    if (!/^(?:forge|guild)\.example$/.test(host)) {
      throw new Error(`expected a URL of an identity provider, got ${request.url}`)
    }
    return pathname === '/token' ? issueTokens(await request.text()) : showUser(request, people)
  }
}

function issueTokens(body: string): Response {
  const form = new URLSearchParams(body)
  const refreshToken = form.get('refresh_token')
  const subject = form.get('code') ?? refreshToken?.replace('refresh-', '') ?? ''
  return Response.json({
    access_token: `${refreshToken === null ? '' : 'new-'}access-${subject}`,
    refresh_token: `refresh-${subject}`,
    token_type: 'bearer',
    expires_in: refreshToken === null ? 1 : 3600,
  })
}

function showUser(request: Request, people: People): Response {
  const subject = request.headers.get('authorization')?.replace(/^Bearer access-/i, '') ?? ''
  const person = people.get(subject)
  if (person === undefined) return new Response('unknown', { status: 401 })
  const { email, emailVerified } = person
  return Response.json({
    id: subject,
    sub: subject,
    name: subject,
    email,
    email_verified: emailVerified,
  })
}

/** Replaces the global `fetch`, which the other libraries use. */
export function installProviderFetch(people: People): void {
  globalThis.fetch = createProviderFetch(people)
}

/** Returns the URL that a provider redirects back to, with the code of a subject. */
export function toCallbackUrl(authorizationRequest: URL, subject: string): URL {
  const { searchParams } = authorizationRequest
  const url = new URL(searchParams.get('redirect_uri') ?? '')
  url.searchParams.set('code', subject)
  const state = searchParams.get('state')
  if (state !== null) url.searchParams.set('state', state)
  return url
}
