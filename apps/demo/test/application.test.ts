import { createAuth } from '@latchkey/core'
import type { Provider } from '@latchkey/core'
import { Browser } from '@latchkey/testing/browser'
import { expect, test } from 'vitest'
import { createApplication } from '../src/application.ts'

const origin = 'http://localhost:3000'

/** A provider whose user always has this name. */
function createProvider(name: string): Provider {
  return {
    id: 'always',
    name: 'Always',
    type: 'oauth',
    checks: ['pkce'],
    begin: async ({ redirectUri }) => ({ redirect: new URL(redirectUri), flow: {} }),
    finish: async () => ({ subject: '1', profile: { name }, tokens: {}, claims: {} }),
  }
}

function signInAs(name: string): Promise<Browser> {
  const auth = createAuth({
    serviceUrl: origin,
    secret: 'a-secret-of-thirty-two-bytes-or-more',
    providers: [createProvider(name)],
    session: { updateAge: 0 },
  })
  const app = createApplication(auth)
  const browser = new Browser(async (request) => app.fetch(request), `${origin}/api/auth`)
  return browser.submit('/signin/always').then(async (start) => {
    await browser.follow(start, ({ pathname }) => pathname === '/')
    return browser
  })
}

test('the page renews the session, and sends its cookie', async () => {
  const browser = await signInAs('Carol')
  const response = await browser.visit(`${origin}/`)
  expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^latchkey\.session=/)])
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(await response.text()).toContain('Hello, Carol')
})

test('the name of a user is escaped', async () => {
  const browser = await signInAs('<script>alert("1")</script>&amp;')
  const page = await (await browser.visit(`${origin}/`)).text()
  expect(page).toContain('Hello, &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;amp;')
  expect(page).not.toContain('<script>')
})

test('the mounted service keeps all its cookies, and other paths are 404', async () => {
  const browser = await signInAs('Carol')
  expect((await browser.json('/session'))['user']).toMatchObject({ name: 'Carol' })
  expect((await browser.visit(`${origin}/elsewhere`)).status).toBe(404)
  expect((await browser.visit(`${origin}/api/auth/elsewhere`)).status).toBe(404)
})
