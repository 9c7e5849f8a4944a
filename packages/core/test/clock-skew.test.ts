import { expect, test } from 'vitest'
import { createIssuer } from '@latchkey/testing/issuer'
import { oidc } from '@latchkey/core/providers/oidc'
import { beginSignIn, serve } from './support/service.ts'

const client = { clientId: 'client-of-the-test', clientSecret: 'secret-of-the-test' }

/** Signs in at an issuer whose clock differs from the service's. Returns the lines of the log. */
async function signIn(ahead: number): Promise<string> {
  const now = (): number => Date.now() + ahead * 1000
  const issuer = createIssuer({ ...client, algorithm: 'ES256', now })
  const { browse, lines } = serve({
    providers: [oidc({ id: 'op', name: 'OP', issuer: issuer.issuer, ...client })],
    runtime: { fetch: issuer.fetch },
  })
  const browser = browse()
  const url = await beginSignIn(browser, {}, '/signin/op')
  await browser.visit(issuer.authorize(url).href)
  const isSignedIn = 'user' in (await browser.json('/session'))
  expect(isSignedIn).toBe(lines.length === 0)
  return JSON.stringify(lines)
}

test.each([0, 20, -20])('a clock that differs by %i seconds signs in (I-24.2)', async (ahead) => {
  expect(await signIn(ahead)).toBe('[]')
})

test.each([
  [600, 'the ID Token was issued in the future (iat)'],
  [-86_400, 'exp in the ID Token is '],
])('a clock that differs by %i seconds: the log says so (I-24.2)', async (ahead, problem) => {
  const log = await signIn(ahead)
  expect(log).toContain(problem)
  expect(log).toContain("the server's clock may be wrong")
})
