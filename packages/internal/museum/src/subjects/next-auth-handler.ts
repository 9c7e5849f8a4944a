import type { Handler } from '@latchkey/core/testing'

type Handle = (options: { readonly req: object; readonly options: object }) => Promise<Answer>

/** The function under next-auth's handlers for Next.js; later versions have it under another name. */
export interface NextAuthCore {
  readonly AuthHandler?: Handle
  readonly NextAuthHandler?: Handle
}

interface Answer {
  readonly status?: number
  readonly headers?: readonly { readonly key: string; readonly value: string }[]
  readonly body?: unknown
  readonly redirect?: string
  readonly cookies?: readonly Cookie[]
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly options: { readonly maxAge?: number; readonly expires?: Date }
}

/** Creates a function from Request to Response, as next-auth's handler for Next.js does it. */
export function createNextAuthHandler(core: NextAuthCore, options: object): Handler {
  const handle = core.AuthHandler ?? core.NextAuthHandler
  if (handle === undefined) throw new TypeError('expected a version with a handler')
  return async (request) =>
    toResponse(await handle({ req: await toInternalRequest(request), options }))
}

async function toInternalRequest(request: Request): Promise<object> {
  const { pathname, searchParams, origin } = new URL(request.url)
  const [action, providerId] = pathname.split('/').slice(3)
  const form = request.method === 'POST' ? new URLSearchParams(await request.text()) : []
  const pairs = (request.headers.get('cookie') ?? '').split('; ').filter(Boolean)
  return {
    host: origin,
    origin,
    method: request.method,
    headers: Object.fromEntries(request.headers),
    cookies: Object.fromEntries(
      pairs.map((pair) => /^([^=]*)=(.*)$/.exec(pair)?.slice(1).map(decodeURIComponent) ?? []),
    ),
    query: Object.fromEntries(searchParams),
    body: Object.fromEntries(form),
    action,
    providerId,
    error: searchParams.get('error') ?? providerId,
  }
}

function toResponse({
  status = 200,
  headers = [],
  body,
  redirect,
  cookies = [],
}: Answer): Response {
  const sent = new Headers(headers.map(({ key, value }): [string, string] => [key, value]))
  for (const cookie of cookies) sent.append('set-cookie', serializeCookie(cookie))
  if (redirect !== undefined) sent.set('location', redirect)
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  return new Response(text ?? null, {
    status: redirect === undefined ? status : 302,
    headers: sent,
  })
}

function serializeCookie({ name, value, options: { maxAge, expires } }: Cookie): string {
  const end = expires === undefined ? '' : `; Expires=${expires.toUTCString()}`
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`
  return `${name}=${encodeURIComponent(value)}; Path=/; Secure; HttpOnly${end}${age}`
}
