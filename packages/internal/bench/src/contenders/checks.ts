import assert from 'node:assert/strict'
import { claims } from './contender.ts'
import type { Visitor } from './visitor.ts'

/** @throws AssertionError if the response is not the session of {@link claims} */
export async function checkSession(response: Response): Promise<void> {
  const { name, email, picture: image } = claims
  assert.partialDeepStrictEqual(await readJson(response), { user: { name, email, image } })
}

/** @throws AssertionError if the response is not the session of a user who signed in by email */
export async function checkMailSession(response: Response): Promise<void> {
  const { user } = (await readJson(response)) as { readonly user: { readonly email: string } }
  assert.match(user.email, new RegExp(`^\\d+\\.${claims.email}$`))
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

export async function readCsrfToken(visitor: Visitor): Promise<string> {
  return ((await readJson(await visitor.get('/csrf'))) as { csrfToken: string }).csrfToken
}
