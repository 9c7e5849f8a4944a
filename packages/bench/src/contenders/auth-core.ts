import { Auth } from '@auth/core'
import type { AuthConfig } from '@auth/core'
import { encode } from '@auth/core/jwt'
import GitHub from '@auth/core/providers/github'
import Google from '@auth/core/providers/google'
import { Browser } from '@latchkey/core/testing/browser'
import { base, basePath, client, cookieHeader, person, secret } from './contender.ts'
import type { Contender } from './contender.ts'

/** The cookie's name is the salt of its key too. */
const sessionCookie = '__Secure-authjs.session-token'

/** Auth.js as its documentation sets it up, with the encrypted JWT that is its default. */
export async function authCore(): Promise<Contender> {
  const config: AuthConfig = {
    basePath,
    secret,
    trustHost: true,
    providers: [GitHub(client), Google(client)],
  }
  const answer = (request: Request): Promise<Response> => Auth(request, config)
  const browser = new Browser(answer, base)
  const csrfToken = await browser.csrfToken()
  const visitor = { csrfToken, cookie: cookieHeader(browser.cookies) }
  const token = await encode({ token: { ...person }, secret, salt: sessionCookie })
  browser.cookies.set(sessionCookie, token)
  return {
    name: '@auth/core',
    answer,
    visitor,
    member: cookieHeader(browser.cookies),
    nobody: 'null',
  }
}
