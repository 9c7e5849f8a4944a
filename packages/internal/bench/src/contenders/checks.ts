import assert from 'node:assert/strict'
import { claims } from './contender.ts'

/** @throws AssertionError if the response is not the session of {@link claims} */
export async function checkSession(response: Response): Promise<void> {
  const body = (await readJson(response)) as SessionBody
  assert.partialDeepStrictEqual(body.user, {
    name: claims.name,
    email: claims.email,
    image: claims.picture,
  })
  checkNotEnded(body)
}

/** @throws AssertionError if the response is not the session of a user who signed in by email */
export async function checkMailSession(response: Response): Promise<void> {
  const body = (await readJson(response)) as SessionBody
  assert.match(body.user.email, new RegExp(`^\\d+\\.${claims.email}$`))
  checkNotEnded(body)
}

interface SessionBody {
  readonly user: { readonly email: string }
  readonly expires?: string
  /** In better-auth. */
  readonly session?: { readonly expiresAt: string }
}

function checkNotEnded({ expires, session }: SessionBody): void {
  assert.ok(Date.parse(expires ?? session?.expiresAt ?? '') > Date.now(), 'the session has ended')
}

/** @throws AssertionError if the URL is not GitHub's authorization endpoint, with PKCE */
export function checkAuthorizationUrl(location: string | null, callback: string): void {
  const { origin, pathname, searchParams } = new URL(location ?? '')
  assert.equal(origin + pathname, 'https://github.com/login/oauth/authorize')
  assert.equal(searchParams.get('redirect_uri'), callback)
  assert.match(searchParams.get('code_challenge') ?? '', /^[\w-]{43}$/)
}

/** @throws AssertionError if the response is not JSON, 200 */
export async function readJson(response: Response): Promise<unknown> {
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  return response.json()
}
