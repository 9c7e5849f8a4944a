import { Auth } from '@auth/core'
import type { AuthConfig } from '@auth/core'
import { encode } from '@auth/core/jwt'
import GitHub from '@auth/core/providers/github'
import Google from '@auth/core/providers/google'
import { Browser } from '@latchkey/core/testing/browser'
import { base, basePath, claims, client, toCookieHeader, secret } from './contender.ts'
import type { Contender } from './contender.ts'

/** The name of the cookie, which is also the salt of its key. */
const SESSION_COOKIE = '__Secure-authjs.session-token'

/** Sets up Auth.js as its documentation does, with the encrypted JWT that is its default. */
export async function createAuthCore(): Promise<Contender> {
  const config: AuthConfig = {
    basePath,
    secret,
    trustHost: true,
    providers: [GitHub(client), Google(client)],
  }
  const answer = (request: Request): Promise<Response> => Auth(request, config)
  const browser = new Browser(answer, base)
  const csrfToken = await browser.csrfToken()
  const visitor = { csrfToken, cookie: toCookieHeader(browser.cookies) }
  const token = await encode({ token: { ...claims }, secret, salt: SESSION_COOKIE })
  browser.cookies.set(SESSION_COOKIE, token)
  return {
    name: '@auth/core',
    answer,
    visitor,
    signedInCookies: toCookieHeader(browser.cookies),
    noSession: 'null',
  }
}
