import { describe, expect, test } from 'vitest'
import type { AuthConfig } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { secondFactor } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing/browser'
import { breakableStorage } from '../../core/test/support/breakable.ts'
import { parseForm, submitForm } from '../../core/test/support/mailbox.ts'
import { serveAlice, subjects, toSubjects } from './support/security-emails.ts'
import type { SecurityService } from './support/security-emails.ts'
import {
  enrol,
  numbers,
  present,
  prove,
  spare,
} from '../../second-factor/test/support/second-factor.ts'
import { base, getUser, origin, serve, signIn } from '../../core/test/support/service.ts'

const day = 86_400
const question = '<h1>End all sessions</h1>'
const ended = '<h1>All sessions have ended</h1>'
const expired = '<h1>This link no longer works</h1>'

interface Linked extends SecurityService {
  readonly owner: Browser
  readonly id: string
  /** A browser that has just signed in, which the email is about. */
  readonly thief: Browser
  readonly link: URL
}

/** Signs alice in in a second browser, and returns the link of the email about it. */
async function serveLink(over: Partial<AuthConfig> = {}): Promise<Linked> {
  const service = await serveAlice(over)
  const thief = service.browse()
  await signIn(thief)
  return { ...service, thief, link: await takeLink(service) }
}

async function takeLink({ takeMails, mailbox }: SecurityService): Promise<URL> {
  const [mail] = await takeMails()
  return mailbox.getLink(mail)
}

/** Opens the link, and clicks the button of its page. */
async function useLink(browser: Browser, { href }: URL): Promise<Response> {
  const shown = await browser.visit(href)
  expect(shown.status).toBe(200)
  return submitForm(browser, await shown.text())
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  return 'user' in (await browser.json('/session'))
}

const strategies: readonly (readonly [string, Partial<AuthConfig>])[] = [
  ['in the storage', {}],
  ['in their cookies, revocable', { session: { strategy: 'cookie', revocable: true } }],
]

describe.each(strategies)('sessions %s', (_, session) => {
  test('end by the link, in a browser without a session', async () => {
    const { browse, thief, owner, link } = await serveLink(session)
    const bob = browse()
    await signIn(bob, 'bob')
    const reply = await useLink(browse(), link)
    const text = await reply.text()
    expect([reply.status, text.includes(ended)]).toEqual([200, true])
    expect(text).toContain(`href="${base}/signin"`)
    expect([await isSignedIn(owner), await isSignedIn(thief)]).toEqual([false, false])
    expect(await isSignedIn(bob)).toBe(true)
  })

  test('end by the link in the browser of the user, who can sign in again', async () => {
    const { thief, owner, link } = await serveLink(session)
    await useLink(owner, link)
    expect([await isSignedIn(owner), await isSignedIn(thief)]).toEqual([false, false])
    await signIn(owner)
    expect(await getUser(owner)).toMatchObject({ name: 'Person alice' })
  })

  test('end with unfinished sign-ins and browsers that are spared the second factor', async () => {
    const service = await serveAlice({
      providers: [present],
      use: [confirmation(), secondFactor({ methods: [numbers, spare], rememberFor: 30 * day })],
      ...session,
    })
    const { browse, owner, takeMails } = service
    const { secret } = await enrol(owner)
    const [spared, unfinished] = [browse(), browse()]
    await signIn(spared)
    await prove(spared, `${secret}-2`, { remember: 'true' })
    await spared.submit('/signout')
    await signIn(spared)
    expect(await isSignedIn(spared)).toBe(true)
    await signIn(unfinished)
    const [, mail] = await takeMails()
    await useLink(browse(), service.mailbox.getLink(mail))
    expect([await isSignedIn(spared), await isSignedIn(owner)]).toEqual([false, false])
    await prove(unfinished, `${secret}-3`)
    expect(await isSignedIn(unfinished)).toBe(false)
    await signIn(spared)
    expect(await isSignedIn(spared)).toBe(false)
    await prove(spared, `${secret}-4`)
    expect(await isSignedIn(spared)).toBe(true)
  })
})

test('opening the link changes nothing, however often', async () => {
  const { browse, thief, owner, link, storage, id } = await serveLink()
  const before = await storage.listSessions?.(id, 0)
  for (const method of ['GET', 'GET', 'HEAD']) {
    const shown = await browse().visit(link.href, { method })
    expect([method, shown.status]).toEqual([method, 200])
    expect(shown.headers.get('referrer-policy')).toBe('same-origin')
    expect(shown.headers.get('cache-control')).toBe('private, no-store')
    expect((await shown.text()).includes(question)).toBe(method === 'GET')
  }
  expect(await storage.listSessions?.(id, 0)).toEqual(before)
  expect([await isSignedIn(owner), await isSignedIn(thief)]).toEqual([true, true])
  expect((await useLink(browse(), link)).status).toBe(200)
})

describe('a link', () => {
  test('works once', async () => {
    const { browse, owner, link } = await serveLink()
    await useLink(browse(), link)
    await signIn(owner)
    const again = await useLink(browse(), link)
    expect([again.status, (await again.text()).includes(expired)]).toEqual([403, true])
    expect(await isSignedIn(owner)).toBe(true)
  })

  test('works for one of two posts at the same time', async () => {
    const { browse, link } = await serveLink()
    const replies = await Promise.all([useLink(browse(), link), useLink(browse(), link)])
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 403]))
  })

  test('works for 24 hours', async () => {
    for (const [seconds, status] of [
      [1, 200],
      [2, 403],
    ] as const) {
      const { browse, wait, link, owner } = await serveLink()
      wait(day - 2)
      const browser = browse()
      const page = await (await browser.visit(link.href)).text()
      expect(page).toContain(question)
      wait(seconds)
      const shown = await browse().visit(link.href)
      const isExpired = status === 403
      expect([shown.status, (await shown.text()).includes(expired)]).toEqual([status, isExpired])
      expect((await submitForm(browser, page)).status).toBe(status)
      expect(await isSignedIn(owner)).toBe(isExpired)
    }
  })

  test('of one email works after the link of another one was used', async () => {
    const service = await serveLink()
    const { browse, owner, link } = service
    await signIn(browse())
    const second = await takeLink(service)
    await useLink(browse(), link)
    await signIn(owner)
    expect((await useLink(browse(), second)).status).toBe(200)
    expect(await isSignedIn(owner)).toBe(false)
  })

  test('of a deleted user no longer works', async () => {
    const { auth, browse, id, link } = await serveLink()
    const page = await (await browse().visit(link.href)).text()
    expect(page).toContain(question)
    await auth.users.delete(id)
    const shown = await browse().visit(link.href)
    expect([shown.status, (await shown.text()).includes(expired)]).toEqual([403, true])
    const { token = '' } = parseForm(page).fields
    expect((await browse().submit('/end-sessions', { token })).status).toBe(403)
  })
})

describe('a token', () => {
  const post = (browser: Browser, token: string): Promise<Response> =>
    browser.submit('/end-sessions', { token })

  test('of the link is accepted in JSON mode, without a session', async () => {
    const { browse, owner, link } = await serveLink()
    const token = link.searchParams.get('token') ?? ''
    const reply = await browse().submit('/end-sessions', { token, json: 'true' })
    expect([reply.status, await reply.json()]).toEqual([200, { url: `${base}/signin` }])
    expect(await isSignedIn(owner)).toBe(false)
  })

  test('is refused if it is missing, changed, of another service or of another purpose', async () => {
    const { browse, owner, link } = await serveLink()
    const foreign = await serveLink({ secret: 'another secret of thirty-two bytes' })
    const token = link.searchParams.get('token') ?? ''
    const others = [
      '',
      token.slice(0, -1),
      `${token}A`,
      foreign.link.searchParams.get('token') ?? '',
      owner.cookies.get('__Host-latchkey.known.user') ?? '',
      owner.cookies.get('__Host-latchkey.session') ?? '',
    ]
    for (const other of others) {
      expect((await post(browse(), other)).status, other).toBe(403)
      const shown = await browse().visit(`/end-sessions?token=${encodeURIComponent(other)}`)
      expect([shown.status, (await shown.text()).includes(expired)]).toEqual([403, true])
    }
    expect((await browse().visit('/end-sessions')).status).toBe(403)
    expect(await isSignedIn(owner)).toBe(true)
    expect((await post(browse(), token)).status).toBe(200)
  })

  test('is accepted under each configured secret', async () => {
    const { link, storage, id } = await serveLink({
      secret: 'the previous secret of thirty-two bytes',
    })
    const secrets = [
      'the next secret has thirty-two bytes too',
      'the previous secret of thirty-two bytes',
    ]
    const { browse } = await serveAlice({ storage, secret: secrets })
    expect((await useLink(browse(), link)).status).toBe(200)
    expect(await storage.listSessions?.(id, 0)).toEqual([])
  })
})

test("the form needs a CSRF token and the service's origin", async () => {
  const { browse, owner, link } = await serveLink()
  const browser = browse()
  const { fields } = parseForm(await (await browser.visit(link.href)).text())
  const { token = '', csrfToken = '' } = fields
  const refused = [
    await browser.post('/end-sessions', { token }),
    await browser.post('/end-sessions', { token, csrfToken: 'wrong' }),
    await browse().post('/end-sessions', { token, csrfToken }),
    await browser.post(
      '/end-sessions',
      { token, csrfToken },
      { headers: { origin: 'https://evil.example' } },
    ),
    await browser.post(
      '/end-sessions',
      { token, csrfToken },
      { headers: { 'sec-fetch-site': 'cross-site' } },
    ),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  expect(await refused[1]?.text()).toContain('This page has expired. Nothing was changed.')
  expect(await isSignedIn(owner)).toBe(true)
  const posted = await browser.post('/end-sessions', { token, csrfToken }, { headers: { origin } })
  expect(posted.status).toBe(200)
  expect(await isSignedIn(owner)).toBe(false)
})

test('if the storage fails half way the link is used up, and another link works', async () => {
  const { storage, fail } = breakableStorage()
  const service = await serveLink({ storage })
  const { browse, owner, link } = service
  await signIn(browse())
  const second = await takeLink(service)
  const browser = browse()
  const page = await (await browser.visit(link.href)).text()
  fail(['deleteSessions'])
  expect((await submitForm(browser, page)).status).toBe(503)
  fail([])
  expect((await useLink(browse(), link)).status).toBe(403)
  expect(await isSignedIn(owner)).toBe(true)
  expect((await useLink(browse(), second)).status).toBe(200)
  expect(await isSignedIn(owner)).toBe(false)
})

test('if the storage fails before, the link is not used up', async () => {
  const { storage, fail } = breakableStorage()
  const { browse, link } = await serveLink({ storage })
  const browser = browse()
  const page = await (await browser.visit(link.href)).text()
  fail(['getUser'])
  expect((await submitForm(browser, page)).status).toBe(503)
  fail([])
  expect((await submitForm(browser, page)).status).toBe(200)
})

test('after the link every browser is a new one: also the one that the email was about', async () => {
  const { browse, takeMails, thief, link, wait } = await serveLink()
  await thief.submit('/signout')
  await signIn(thief)
  expect(await takeMails()).toEqual([])
  await useLink(browse(), link)
  wait(1)
  await signIn(thief)
  expect(toSubjects(await takeMails())).toEqual([subjects.newBrowser])
  await thief.submit('/signout')
  await signIn(thief)
  expect(await takeMails()).toEqual([])
})

test('no token is in a log', async () => {
  const { browse, link, lines } = await serveLink()
  const token = link.searchParams.get('token') ?? ''
  await useLink(browse(), link)
  await useLink(browse(), link)
  await browse().visit(`/end-sessions?token=${token}x`)
  expect(lines.map(({ details }) => details.error)).toContain('Verification')
  expect(JSON.stringify(lines)).not.toContain(token.slice(0, 40))
})

test('without the option there is no such page', async () => {
  const { link, browse } = await serveLink()
  expect((await browse().visit(link.href)).status).toBe(200)
  const { browse: browseElsewhere } = serve()
  expect((await browseElsewhere().visit(link.href)).status).toBe(404)
  expect((await browseElsewhere().submit('/end-sessions', { token: 'x' })).status).toBe(404)
})
