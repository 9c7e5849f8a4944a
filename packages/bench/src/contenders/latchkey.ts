import { createAuth } from '@latchkey/core'
import type { Runtime } from '@latchkey/core'
import { github } from '@latchkey/core/providers/github'
import { google } from '@latchkey/core/providers/google'
import { Browser } from '@latchkey/core/testing/browser'
import { base, client, cookieHeader, origin, person, secret } from './contender.ts'
import type { Contender, Visitor } from './contender.ts'

/** Latchkey, with a session that a sign-in through GitHub has made. */
export async function latchkey(): Promise<Contender> {
  const { handle } = createAuth({
    serviceUrl: origin,
    secret,
    providers: [github(client), google(client)],
    runtime: { fetch: askGitHub },
  })
  const visitor = new Browser(handle, base)
  return {
    name: 'Latchkey',
    answer: (request) => handle(request),
    visitor: await visited(visitor),
    member: await signedIn(new Browser(handle, base)),
    nobody: '{}',
  }
}

async function visited(browser: Browser): Promise<Visitor> {
  const csrfToken = await browser.csrfToken()
  return { csrfToken, cookie: cookieHeader(browser.cookies) }
}

async function signedIn(browser: Browser): Promise<string> {
  const away = await browser.submit('/signin/github')
  const state = new URL(away.headers.get('location') ?? '').searchParams.get('state') ?? ''
  const back = new URLSearchParams({ code: 'a-code', state })
  await browser.visit(`/callback/github?${back}`)
  await browser.csrfToken()
  return cookieHeader(browser.cookies)
}

/** GitHub as far as one sign-in needs it, so that nothing here needs the network. */
const askGitHub: Runtime['fetch'] = async (url) => {
  const answer = answers[url]
  if (answer === undefined) throw new Error(`GitHub is not to be asked for ${url}`)
  return Response.json(answer)
}

const answers: Readonly<Record<string, unknown>> = {
  'https://github.com/login/oauth/access_token': { access_token: 'token', token_type: 'bearer' },
  'https://api.github.com/user': { id: 583231, name: person.name, avatar_url: person.picture },
  'https://api.github.com/user/emails': [{ email: person.email, primary: true, verified: true }],
}
