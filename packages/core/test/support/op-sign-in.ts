import { expect } from 'vitest'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/testing/browser'
import { client } from './op.ts'
import type { Op } from './op.ts'
import { beginSignIn, origin } from './service.ts'

/** Signs in: at the provider, through its pages, and by the callback. */
export async function signIn(
  browser: Browser,
  fields: Record<string, string> = {},
): Promise<Response> {
  return followToCallback(browser, await beginSignIn(browser, fields, '/signin/op'))
}

/** Sends the authorization request, follows the provider's pages, and returns the response of the callback. */
export async function followToCallback(browser: Browser, request: URL): Promise<Response> {
  const isCallback = (url: URL): boolean => url.origin === origin
  const last = await browser.follow(await browser.visit(request.href), isCallback)
  const location = last.headers.get('location')
  if (location !== null) return browser.visit(location)
  return submitForm(browser, await last.text())
}

/** Submits the page of `response_mode=form_post` from another site. */
export async function submitForm(browser: Browser, html: string): Promise<Response> {
  if (!html.includes('<form')) throw new Error(html)
  const action = /action="([^"]+)"/.exec(html)?.[1] as string
  const fields = Object.fromEntries(
    [...html.matchAll(/name="([^"]+)" value="([^"]+)"/g)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>
  const posted = await browser.post(action, fields, {
    crossSite: true,
    headers: { origin: 'http://127.0.0.1', 'sec-fetch-site': 'cross-site' },
  })
  expect(posted.status).toBe(303)
  return browser.visit(posted.headers.get('location') as string)
}

/** The session of the first user. */
export const alice: Readonly<Record<'user', Readonly<Record<string, string>>>> = {
  user: {
    id: 'op:alice',
    name: 'Person alice',
    email: 'alice@op.example',
    image: 'https://op.example/a.png',
  },
}

/** Returns the configuration of {@link client} at a provider. */
export function createConfig(op: Op, over: Partial<OidcConfig> = {}): OidcConfig {
  const { client_id: clientId, client_secret: clientSecret } = client() as {
    client_id: string
    client_secret: string
  }
  return { id: 'op', name: 'The provider', issuer: op.issuer, clientId, clientSecret, ...over }
}
