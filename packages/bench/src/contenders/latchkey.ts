import { createAuth } from '@latchkey/core'
import type { Runtime } from '@latchkey/core'
import { github } from '@latchkey/core/providers/github'
import { google } from '@latchkey/core/providers/google'
import { Browser } from '@latchkey/core/testing/browser'
import { base, claims, client, toCookieHeader, origin, secret } from './contender.ts'
import type { Contender, Visitor } from './contender.ts'

/** Sets up Latchkey, with a session from a sign-in through GitHub. */
export async function createLatchkey(): Promise<Contender> {
  const { handle } = createAuth({
    serviceUrl: origin,
    secret,
    providers: [github(client), google(client)],
    runtime: { fetch: fetchGitHub },
  })
  const visitor = new Browser(handle, base)
  return {
    name: 'Latchkey',
    answer: (request) => handle(request),
    visitor: await visit(visitor),
    signedInCookies: await signIn(new Browser(handle, base)),
    noSession: '{}',
  }
}

async function visit(browser: Browser): Promise<Visitor> {
  const csrfToken = await browser.csrfToken()
  return { csrfToken, cookie: toCookieHeader(browser.cookies) }
}

async function signIn(browser: Browser): Promise<string> {
  const redirect = await browser.submit('/signin/github')
  const state = new URL(redirect.headers.get('location') ?? '').searchParams.get('state') ?? ''
  const query = new URLSearchParams({ code: 'a-code', state })
  await browser.visit(`/callback/github?${query}`)
  await browser.csrfToken()
  return toCookieHeader(browser.cookies)
}

/** Answers as GitHub does during one sign-in, without the network. */
const fetchGitHub: Runtime['fetch'] = async (url) => {
  const answer = answers[url]
  if (answer === undefined) throw new Error(`expected a URL of the GitHub sign-in, got ${url}`)
  return Response.json(answer)
}

const answers: Readonly<Record<string, unknown>> = {
  'https://github.com/login/oauth/access_token': { access_token: 'token', token_type: 'bearer' },
  'https://api.github.com/user': {
    id: 583231,
    login: 'ada',
    name: claims.name,
    avatar_url: claims.picture,
  },
  'https://api.github.com/user/emails': [{ email: claims.email, primary: true, verified: true }],
}
