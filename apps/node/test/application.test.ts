import { createAuth } from '@latchkey/core'
import type { Provider } from '@latchkey/core'
import { Browser } from '@latchkey/core/testing/browser'
import { expect, test } from 'vitest'
import { createApplication } from '../demo/application.ts'

const origin = 'http://localhost:3000'

/** Whoever comes back is the person of this name. */
function always(name: string): Provider {
  return {
    id: 'always',
    name: 'Always',
    type: 'oauth',
    checks: ['pkce'],
    begin: async ({ redirectUri }) => ({ redirect: new URL(redirectUri), flow: {} }),
    finish: async () => ({ subject: '1', profile: { name }, tokens: {}, claims: {} }),
  }
}

function signedInAs(name: string): Promise<Browser> {
  const auth = createAuth({
    serviceUrl: origin,
    secret: 'a-secret-of-thirty-two-bytes-or-more',
    providers: [always(name)],
    session: { updateAge: 0 },
  })
  const app = createApplication(auth)
  const browser = new Browser(async (request) => app.fetch(request), `${origin}/api/auth`)
  return browser.submit('/signin/always').then(async (start) => {
    await browser.follow(start, ({ pathname }) => pathname === '/')
    return browser
  })
}

test('the page renews the session that it shows, as its reply says', async () => {
  const browser = await signedInAs('Carol')
  const response = await browser.visit(`${origin}/`)
  expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^latchkey\.session=/)])
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(await response.text()).toContain('Hello, Carol')
})

test('whatever a person is called is text, never markup', async () => {
  const browser = await signedInAs('<script>alert("1")</script>&amp;')
  const page = await (await browser.visit(`${origin}/`)).text()
  expect(page).toContain('Hello, &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;amp;')
  expect(page).not.toContain('<script>')
})

test('sign-in keeps all its cookies through the mount, and other paths are 404', async () => {
  const browser = await signedInAs('Carol')
  expect((await browser.json('/session'))['user']).toMatchObject({ name: 'Carol' })
  expect((await browser.visit(`${origin}/elsewhere`)).status).toBe(404)
  expect((await browser.visit(`${origin}/api/auth/elsewhere`)).status).toBe(404)
})
