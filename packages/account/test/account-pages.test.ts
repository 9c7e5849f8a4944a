import { describe, expect, test } from 'vitest'
import type { AuthConfig, Storage } from '@latchkey/core'
import type { AccountChange, AccountSection, Capability } from '@latchkey/core/capability'
import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import {
  Mailbox,
  createEmailProvider,
  requestEmail,
  serveMail,
  signInByEmail,
} from '../../core/test/support/mailbox.ts'
import type { MailService } from '../../core/test/support/mailbox.ts'
import {
  enrol,
  present,
  prove,
  serveOwner,
  serveSecond,
} from '../../second-factor/test/support/second-factor.ts'
import type { OwnedService } from '../../second-factor/test/support/second-factor.ts'
import {
  base,
  getConfigError,
  getRedirect,
  getUser,
  mergeUse,
  origin,
  passport,
  signIn,
  signInWith,
} from '../../core/test/support/service.ts'

const account = `${base}/account`
const trusted = 'https://spa.app.example'
const asJson = { headers: { accept: 'application/json' } }
/** Longer than a confirmation is recent, whose time is the time of the machine. */
const LONG = 700

/** Serves the account page with sign-in by email, and by two providers. */
function serveAccount(over: Partial<AuthConfig> = {}): MailService<unknown> {
  return serveMail({
    providers: [present, { ...present, id: 'other', name: 'Other' }],
    ...over,
    use: mergeUse([confirmation(), accountPages()], over.use),
  })
}

interface AccountJson {
  readonly user: { readonly id: string; readonly name: string | null; readonly email: string }
  readonly accounts: readonly { readonly provider: string; readonly providerAccountId: string }[]
  readonly factors: readonly { readonly type: string; readonly id: string; readonly name: string }[]
  readonly sessions: readonly { readonly id: string; readonly isCurrent: boolean }[]
}

async function read(browser: Browser): Promise<AccountJson> {
  const response = await browser.visit('/account', asJson)
  return (await response.json()) as AccountJson
}

async function readPage(browser: Browser): Promise<string> {
  const response = await browser.visit('/account')
  expect(response.status).toBe(200)
  return response.text()
}

function change(
  browser: Browser,
  action: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return browser.submit('/account', { action, ...fields })
}

/** Returns the URL of the link or the page of a row: its label names both. */
async function findLink(browser: Browser, label: string): Promise<string> {
  const html = await readPage(browser)
  const links = [
    ...html.matchAll(/<a class="button[^"]*" href="([^"]*)"\s+(?:aria-label="([^"]*)")?/g),
  ]
  const [, url = ''] = links.find(([, , text]) => text === label) ?? []
  if (url === '') throw new Error(`expected a link ${label}`)
  return url
}

/** Returns the hidden fields of the last form of a page, without the CSRF token. */
async function readForm(page: Response): Promise<Readonly<Record<string, string>>> {
  const form = (await page.text()).split('<form').at(-1) ?? ''
  const inputs = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const fields = inputs.map(([, name = '', value = '']) => [name, value])
  return Object.fromEntries(fields.filter(([name]) => name !== 'csrfToken'))
}

/** Expects that a change was stored. */
async function expectSaved(pending: Promise<Response>): Promise<void> {
  const response = await pending
  expect([response.status, response.headers.get('location')]).toEqual([
    303,
    `${account}?saved=true`,
  ])
}

/** Expects the page again, with a sentence. */
async function expectRefused(
  pending: Promise<Response>,
  status: number,
  sentence: string,
): Promise<void> {
  const response = await pending
  const [, alert] = /<p role="alert">([^<]*)<\/p>/.exec(await response.text()) ?? []
  expect([response.status, alert]).toEqual([status, sentence])
}

/** Expects that the user must confirm first, and is then led to the account page or to `returnUrl`. */
async function expectConfirmation(
  pending: Promise<Response>,
  returnUrl: string = account,
): Promise<void> {
  const response = await pending
  const url = new URL(response.headers.get('location') ?? base)
  expect([response.status, url.pathname]).toEqual([302, '/api/auth/signin'])
  const { confirm, error, callbackUrl } = Object.fromEntries(url.searchParams)
  expect([confirm, error]).toEqual(['true', 'ConfirmationRequired'])
  expect(callbackUrl).toBe(returnUrl)
}

describe('the account page', () => {
  test('shows the account of the session, as a page and as JSON (I-54.1)', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    await signInWith(browser, 'other', 'alice', { link: 'true' })
    const html = await readPage(browser)
    for (const shown of [
      'alice@example.com',
      '<strong><bdi>Other</bdi></strong>',
      'This browser',
    ]) {
      expect(html).toContain(shown)
    }
    const { user, accounts, factors, sessions } = await read(browser)
    expect(user).toMatchObject({ email: 'alice@example.com', emailVerified: true })
    expect(accounts.map(({ provider }) => provider)).toEqual(['email', 'other'])
    expect(factors).toEqual([])
    expect(sessions).toMatchObject([{ isCurrent: true }])
  })

  test('shows when an account was added and last used', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    const html = await readPage(browser)
    const ways = html.slice(
      html.indexOf('<section id="ways"'),
      html.indexOf('<section id="sessions"'),
    )
    const days = [...ways.matchAll(/(Added|last used) on <time datetime="([\d-]+)">/g)]
    expect(days.map(([, what]) => what)).toEqual(['Added', 'last used'])
  })

  test('without a session leads to the sign-in page and back (I-54.1)', async () => {
    const service = serveAccount()
    const browser = service.browse()
    const response = await browser.visit('/account')
    const url = new URL(response.headers.get('location') ?? base)
    expect([response.status, url.pathname]).toEqual([302, '/api/auth/signin'])
    const { error, callbackUrl } = Object.fromEntries(url.searchParams)
    expect([error, callbackUrl]).toEqual(['SessionRequired', account])
    const json = await browser.visit('/account', asJson)
    expect(json.status).toBe(401)
    expect(await json.json()).toMatchObject({ error: 'SessionRequired' })
    await signInByEmail(service, browser)
    expect((await browser.visit('/account')).status).toBe(200)
  })

  test('is not found without the option', async () => {
    const { browse } = serveMail({ use: [confirmation()] })
    expect((await browse().visit('/account')).status).toBe(404)
    expect((await browse().post('/account', {})).status).toBe(404)
  })

  test('of a user who is deleted leads to the sign-in page', async () => {
    const { auth, browse } = serveAccount()
    const browser = browse()
    await signIn(browser)
    expect((await browser.visit('/account')).status).toBe(200)
    await auth.users.delete((await getUser(browser)).id)
    expect((await browser.visit('/account')).status).toBe(302)
  })

  test('escapes what users and browsers say', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    await expectSaved(change(browser, 'changeName', { name: '<b>"Ada"</b>' }))
    const html = await readPage(browser)
    expect(html).toContain('value="&lt;b&gt;&quot;Ada&quot;&lt;/b&gt;"')
    expect(html).not.toContain('<b>')
  })

  test('offers no way of signing in that the user has, and does not remove the last one', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signIn(browser)
    const listOffers = async (): Promise<readonly string[]> => {
      const html = await (await browser.visit('/account?add=true')).text()
      return [...html.matchAll(/action="[^"]*\/signin\/(\w+)"/g)].map(([, id = '']) => id)
    }
    expect(await listOffers()).toEqual(['email', 'other'])
    expect(await readPage(browser)).not.toContain('aria-label="Remove')
    await signInWith(browser, 'other', 'alice', { link: 'true' })
    expect(await listOffers()).toEqual(['email'])
    expect((await readPage(browser)).match(/aria-label="Remove: \w+/g)).toHaveLength(2)
  })
})

describe('a form of the account page', () => {
  test('that names no change is refused, and one that does is not', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signIn(browser)
    await expectSaved(change(browser, 'changeName', { name: 'Ada' }))
    expect((await change(browser, 'changeNames', { name: 'Eve' })).status).toBe(400)
    expect((await browser.submit('/account', { name: 'Eve' })).status).toBe(400)
    expect((await read(browser)).user.name).toBe('Ada')
  })

  test('without a CSRF token changes nothing, and shows the page again (I-17)', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signIn(browser)
    const fields = { action: 'changeName', name: 'Ada' }
    const response = await browser.post('/account', fields)
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('<h1>Your account</h1>')
    expect((await read(browser)).user.name).toBe('Person alice')
    await expectSaved(browser.submit('/account', fields))
    expect((await read(browser)).user.name).toBe('Ada')
  })

  test('of a trusted origin changes nothing (I-42)', async () => {
    const { browse } = serveAccount({ trustedOrigins: [trusted] })
    const browser = browse()
    await signIn(browser)
    const fields = { action: 'changeName', name: 'Ada' }
    const headers = { origin: trusted, 'sec-fetch-site': 'same-site' }
    expect((await browser.submit('/account', fields, { headers })).status).toBe(403)
    expect((await read(browser)).user.name).toBe('Person alice')
    await expectSaved(browser.submit('/account', fields, { headers: { origin } }))
  })

  test('of a trusted origin shows it nothing of the account (I-42.5)', async () => {
    const { browse } = serveAccount({ trustedOrigins: [trusted] })
    const browser = browse()
    await signIn(browser)
    const headers = { origin: trusted, 'sec-fetch-site': 'same-site' }
    const fields = { changeEmail: 'true', email: 'new@example.com' }
    const response = await browser.post('/signin/email', fields, { headers })
    expect(response.headers.get('access-control-allow-origin')).toBe(trusted)
    expect(response.status).toBe(403)
    expect(await response.text()).not.toContain('alice@example.com')
    const own = await browser.post('/signin/email', fields)
    expect(own.status).toBe(403)
    expect(await own.text()).toContain('alice@example.com')
  })

  test('of a session that has ended leads to the sign-in page', async () => {
    const { browse, auth } = serveAccount()
    const browser = browse()
    await signIn(browser)
    await expectSaved(change(browser, 'changeName', { name: 'Ada' }))
    await auth.sessions.revokeAll((await getUser(browser)).id)
    const { path, error } = getRedirect(await change(browser, 'changeName', { name: 'Eve' }))
    expect([path, error]).toEqual(['/api/auth/signin', 'SessionRequired'])
  })

  test('in JSON mode answers with the URL, or with the sentence', async () => {
    const { browse } = serveAccount()
    const browser = browse()
    await signIn(browser)
    const saved = await change(browser, 'changeName', { name: 'Ada', json: 'true' })
    expect([saved.status, await saved.json()]).toEqual([200, { url: `${account}?saved=true` }])
    const refused = await change(browser, 'changeName', { name: 'A\u0000', json: 'true' })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: 'Default',
      message: 'Enter a name of at most 255 characters.',
    })
  })
})

describe('the field callbackUrl', () => {
  const settings = `${origin}/settings`

  test('names the page after a change (I-54.2)', async () => {
    const { browse } = serveAccount()
    const browser = browse()
    await signIn(browser)
    const fields = { name: 'Ada', callbackUrl: '/settings' }
    const response = await change(browser, 'changeName', fields)
    expect([response.status, response.headers.get('location')]).toEqual([303, settings])
    const json = await change(browser, 'changeName', { ...fields, name: 'Eve', json: 'true' })
    expect([json.status, await json.json()]).toEqual([200, { url: settings }])
    expect((await read(browser)).user.name).toBe('Eve')
  })

  test('names the page after a confirmation, and after a sign-in (I-54.8)', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    service.wait(LONG)
    const fields = { sure: 'true', callbackUrl: '/settings' }
    await expectConfirmation(change(browser, 'deleteAccount', fields), settings)
    await service.auth.sessions.revokeAll(id)
    const refused = await change(browser, 'deleteAccount', fields)
    const { searchParams } = new URL(refused.headers.get('location') ?? base)
    const { error, callbackUrl } = Object.fromEntries(searchParams)
    expect([error, callbackUrl]).toEqual(['SessionRequired', settings])
    expect(await service.storage.getUser(id)).toBeDefined()
  })

  test('of an unknown origin becomes the origin, and of a trusted one stays (I-41)', async () => {
    const { browse } = serveAccount({ trustedOrigins: [trusted] })
    const browser = browse()
    await signIn(browser)
    const getLocation = async (callbackUrl: string): Promise<string | null> => {
      const response = await change(browser, 'changeName', { name: 'Ada', callbackUrl })
      expect(response.status).toBe(303)
      return response.headers.get('location')
    }
    expect(await getLocation(`${trusted}/settings`)).toBe(`${trusted}/settings`)
    expect(await getLocation('https://evil.example/settings')).toBe(origin)
  })
})

describe('the name', () => {
  test('is changed, and removed', async () => {
    const { browse } = serveAccount()
    const browser = browse()
    await signIn(browser)
    await expectSaved(change(browser, 'changeName', { name: '  Ada Lovelace ' }))
    expect((await read(browser)).user.name).toBe('Ada Lovelace')
    await expectSaved(change(browser, 'changeName', { name: ' ' }))
    expect((await read(browser)).user.name).toBeNull()
  })

  test.each([
    ['long', 'a'.repeat(256)],
    ['with a control character', 'a\u0007b'],
  ])('is refused if it is %s', async (_, name) => {
    const { browse } = serveAccount()
    const browser = browse()
    await signIn(browser)
    await expectSaved(change(browser, 'changeName', { name: name.slice(0, 1) }))
    const sentence = 'Enter a name of at most 255 characters.'
    await expectRefused(change(browser, 'changeName', { name }), 400, sentence)
    expect((await read(browser)).user.name).toBe('a')
  })
})

describe('the page of a row', () => {
  /** Returns a browser whose user has two accounts. */
  async function openTwo(over: Partial<AuthConfig> = {}) {
    const service = serveAccount(over)
    const browser = service.browse()
    await signInByEmail(service, browser)
    await signInWith(browser, 'other', 'alice', { link: 'true' })
    return { ...service, browser }
  }

  test('asks before an account is removed, and its form removes it', async () => {
    const { browser } = await openTwo()
    const url = await findLink(browser, 'Remove: Other')
    const page = await browser.visit(url)
    expect(page.status).toBe(200)
    expect(await page.clone().text()).toContain('<h1>Remove “Other”?</h1>')
    expect((await read(browser)).accounts).toHaveLength(2)
    const { action = '', ...fields } = await readForm(page)
    await expectSaved(change(browser, action, fields))
    expect((await read(browser)).accounts).toHaveLength(1)
    // What is gone has no page.
    expect(await (await browser.visit(url)).text()).toContain('<h1>Your account</h1>')
  })

  test('asks before the account is deleted, with one press left (I-54.7)', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    const url = await findLink(browser, 'Delete the account: alice@example.com')
    const { action = '', ...fields } = await readForm(await browser.visit(url))
    expect((await read(browser)).user.email).toBe('alice@example.com')
    const response = await change(browser, action, fields)
    expect(await response.text()).toContain('<h1>Your account is deleted</h1>')
  })

  test('has no email address in its URL', async () => {
    const service = await openTwo()
    const { browser, mailbox } = service
    await browser.submit('/signin/email', { email: 'second@example.com', link: 'true' })
    await browser.visit(mailbox.getLink().href)
    const url = new URL(await findLink(browser, 'Remove: Email address'))
    expect(url.search).toMatch(/^\?row=[\w-]{16}$/)
    const page = await (await browser.visit(url.href)).text()
    for (const shown of ['Remove “Email address”?', '<bdi>second@example.com</bdi>']) {
      expect(page).toContain(shown)
    }
  })

  test('asks for a confirmation first, and opens after it (I-54.8)', async () => {
    const service = await openTwo()
    const { browser, wait } = service
    const urls = await Promise.all(
      ['Remove: Other', 'Change: Email address', 'Delete the account: alice@example.com'].map(
        (label) => findLink(browser, label),
      ),
    )
    wait(LONG)
    for (const url of urls) {
      await expectConfirmation(browser.visit(url), url)
      expect((await browser.visit('/account')).status).toBe(200)
    }
    await expectConfirmation(browser.visit('/account?add=true'), `${account}?add=true`)
    const [url = ''] = urls
    const asked = { email: 'alice@example.com', confirm: 'true', callbackUrl: url }
    await browser.submit('/signin/email', asked)
    const confirmed = await browser.visit(service.mailbox.getLink().href)
    expect(confirmed.headers.get('location')).toBe(url)
    expect((await read(browser)).accounts).toHaveLength(2)
    const { action = '', ...fields } = await readForm(await browser.visit(url))
    await expectSaved(change(browser, action, fields))
  })

  test('opens again after a change that needs a confirmation, or is refused', async () => {
    const service = await serveOwner({ use: [accountPages()] })
    const owner = service.browse()
    await signIn(owner)
    await prove(owner, `${service.kept.secret}-2`)
    const url = await findLink(owner, 'Change: numbers')
    const { row = '', action: _, ...fields } = await readForm(await owner.visit(url))
    const renamed = { ...fields, row, name: 'a'.repeat(65) }
    const refused = await change(owner, 'renameFactor', renamed)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain(`value="${'a'.repeat(64)}"`)
    const unproven = service.owner
    await expectConfirmation(change(unproven, 'removeFactor', { ...fields, row }), url)
    await expectConfirmation(change(unproven, 'removeFactor', { ...fields, row: '?x' }))
  })
})

describe('a section of another capability', () => {
  /** Lists applications that act for a user, as an authorization server does. */
  function applications(removed: string[] = [], action = 'removeGrant'): Capability {
    const readGrants: AccountSection['read'] = async () => ({
      heading: 'Applications',
      text: 'They act for you.',
      rows: ['Editor', '<b>Mail</b>'].map((name) => ({
        name,
        facts: ['read your notes'],
        createdAt: 1_800_000_000,
        lastUsedAt: null,
        removal: { fields: { action, client: name } },
      })),
      json: { applications: ['Editor'] },
    })
    const remove: AccountChange = async ({ get }) => void removed.push(get('client'))
    const changes = new Map([[action, remove]])
    return {
      id: 'applications',
      fields: ['client'],
      account: [{ id: 'applications', rank: 50, read: readGrants, changes }],
    }
  }

  test('looks like the others, in the order of its rank, and its change is made', async () => {
    const removed: string[] = []
    const { browse } = serveAccount({ use: [applications(removed)] })
    const browser = browse()
    await signIn(browser)
    const html = await readPage(browser)
    const ids = [...html.matchAll(/<section id="([a-z-]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual(['profile', 'ways', 'sessions', 'applications', 'delete'])
    expect(html).toContain('<a href="#applications">Applications</a>')
    expect(html).toContain('&lt;b&gt;Mail&lt;/b&gt;')
    expect(html).toMatch(/Added on <time datetime="2027-01-15">Jan 15, 2027<\/time/)
    const asked = await browser.visit(await findLink(browser, 'Remove: Editor'))
    const { action = '', ...fields } = await readForm(asked)
    expect(removed).toEqual([])
    await expectSaved(change(browser, action, fields))
    expect(removed).toEqual(['Editor'])
    expect(await browser.json('/account', asJson)).toMatchObject({ applications: ['Editor'] })
  })

  test('without rows is left out', async () => {
    const empty = { id: 'empty', rank: 50, read: async () => ({ heading: 'Nothing' }) }
    const { browse } = serveAccount({ use: [{ id: 'empty', account: [empty] }] })
    const browser = browse()
    await signIn(browser)
    expect(await readPage(browser)).not.toContain('Nothing')
  })

  test('is refused at the start if its change is of another one', () => {
    const config = (action: string) => () => ({
      providers: [present],
      storage: memoryStorage(),
      use: [accountPages(), applications([], action)],
    })
    expect(getConfigError(config('removeGrant'))).toBeUndefined()
    const [option, problem] = getConfigError(config('unlink')) ?? []
    expect([option, problem]).toEqual(['use', 'account and applications have the change unlink'])
  })
})

describe('an account', () => {
  /** Returns a browser whose user has two accounts. */
  async function openTwo(over: Partial<AuthConfig> = {}) {
    const service = serveAccount(over)
    const browser = service.browse()
    await signIn(browser)
    await signInWith(browser, 'other', 'alice', { link: 'true' })
    return { ...service, browser }
  }
  const other = { provider: 'other', id: 'alice' }

  test('is removed, but not the last one (I-49.4)', async () => {
    const { browser } = await openTwo()
    await expectSaved(change(browser, 'unlink', other))
    const sentence = 'This is your only way to sign in. Add another one first.'
    const last = change(browser, 'unlink', { provider: 'passport', id: 'alice' })
    await expectRefused(last, 409, sentence)
    expect((await read(browser)).accounts).toHaveLength(1)
  })

  test('of another user is as absent', async () => {
    const { browser, browse } = await openTwo()
    const theirs = browse()
    await signInWith(theirs, 'other', 'mallory')
    const gone = 'This does not exist any more. It may have been changed in another window.'
    await expectRefused(change(browser, 'unlink', { provider: 'other', id: 'mallory' }), 404, gone)
    await expectRefused(change(browser, 'unlink', { provider: 'other', id: 'unknown' }), 404, gone)
    expect((await read(theirs)).accounts).toHaveLength(1)
    await expectSaved(change(browser, 'unlink', other))
  })

  test('of the email address stays: the verified email address would link it again', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    await signInWith(browser, 'other', 'alice', { link: 'true' })
    const own = { provider: 'email', id: 'alice@example.com' }
    const sentence = 'This is your email address. Change it to remove it.'
    expect((await readPage(browser)).match(/aria-label="Remove: \w+/g)).toHaveLength(1)
    await expectRefused(change(browser, 'unlink', own), 409, sentence)
    const second = { provider: 'email', id: 'second@example.com' }
    await browser.submit('/signin/email', { email: second.id, link: 'true' })
    await browser.visit(service.mailbox.getLink().href)
    expect((await read(browser)).accounts).toHaveLength(3)
    await expectSaved(change(browser, 'unlink', second))
    expect((await read(browser)).accounts).toHaveLength(2)
  })

  test('stays if the provider of the other one is not configured any more', async () => {
    const storage = memoryStorage()
    const { browser } = await openTwo({ storage })
    const { browse } = serveAccount({ storage, providers: [present] })
    const later = browse()
    for (const [name, value] of browser.cookies) later.cookies.set(name, value)
    const own = { provider: 'passport', id: 'alice' }
    const sentence = 'This is your only way to sign in. Add another one first.'
    await expectRefused(change(later, 'unlink', own), 409, sentence)
    await expectSaved(change(browser, 'unlink', own))
  })

  test('with an id that no storage has is as absent', async () => {
    const { browser } = await openTwo()
    const gone = 'This does not exist any more. It may have been changed in another window.'
    const unlinked = change(browser, 'unlink', { provider: 'other', id: 'alice\u0000' })
    await expectRefused(unlinked, 404, gone)
    await expectSaved(change(browser, 'unlink', other))
  })

  test('needs a recent confirmation to be removed (I-51.8)', async () => {
    const { browser, wait } = await openTwo()
    wait(LONG)
    await expectConfirmation(change(browser, 'unlink', other))
    expect((await read(browser)).accounts).toHaveLength(2)
  })

  test('is removed without one if confirmation.maxAge is 0', async () => {
    const { browser, wait } = await openTwo({ use: [confirmation({ maxAge: 0 })] })
    wait(LONG)
    await expectSaved(change(browser, 'unlink', other))
  })
})

describe.each<[string, NonNullable<AuthConfig['session']>]>([
  ['in the storage', {}],
  ['in its cookie, revocable', { strategy: 'cookie', revocable: true }],
])('a session %s', (_, session) => {
  test('is ended from another browser, but not by another user', async () => {
    const service = serveAccount({ session })
    const [here, there, theirs] = [service.browse(), service.browse(), service.browse()]
    await signIn(here)
    await signIn(there)
    await signIn(theirs, 'mallory')
    const { sessions } = await read(here)
    const id = sessions.find(({ isCurrent }) => !isCurrent)?.id ?? ''
    const gone = 'This does not exist any more. It may have been changed in another window.'
    await expectRefused(change(theirs, 'endSession', { id }), 404, gone)
    expect((await there.visit('/account')).status).toBe(200)
    await expectSaved(change(here, 'endSession', { id }))
    expect((await there.visit('/account')).status).toBe(302)
    expect((await here.visit('/account')).status).toBe(200)
  })

  test('is shown first, with the newest others, a hundred in all', async () => {
    const service = serveAccount({ session })
    const here = service.browse()
    await signIn(here)
    const all = 101
    for (let i = 1; i < all; i++) {
      service.wait(1)
      await signIn(service.browse())
    }
    const { sessions } = await read(here)
    expect(await service.auth.sessions.list((await getUser(here)).id)).toHaveLength(all)
    expect(sessions).toHaveLength(100)
    expect(sessions.map(({ isCurrent }) => isCurrent).indexOf(true)).toBe(0)
    expect(sessions.filter(({ isCurrent }) => isCurrent)).toHaveLength(1)
  })

  test('stays if all others are ended', async () => {
    const service = serveAccount({ session })
    const [here, there, theirs] = [service.browse(), service.browse(), service.browse()]
    await signIn(here)
    await signIn(there)
    await signIn(theirs, 'mallory')
    await expectSaved(change(here, 'endOtherSessions'))
    const statuses = await Promise.all(
      [here, there, theirs].map(async (browser) => (await browser.visit('/account')).status),
    )
    expect(statuses).toEqual([200, 302, 200])
  })
})

describe('the email address', () => {
  const address = 'new@example.com'
  const requestChange = (
    browser: Browser,
    email = address,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    browser.submit('/signin/email', { email, changeEmail: 'true', callbackUrl: account, ...fields })

  test('is changed by the link of an email, which replaces the account (I-54.4)', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    const { id } = await getUser(browser)
    expect(getRedirect(await requestChange(browser)).path).toBe('/api/auth/verify-request')
    expect(service.mailbox.last.to).toEqual({ address })
    expect((await read(browser)).user.email).toBe('alice@example.com')
    const response = await browser.visit(service.mailbox.getLink().href)
    expect(response.headers.get('location')).toBe(`${account}?saved=true`)
    const { user, accounts } = await read(browser)
    expect(user).toMatchObject({ id, email: address, emailVerified: true })
    expect(accounts.map(({ providerAccountId }) => providerAccountId)).toEqual([address])
  })

  test('afterwards signs in, and the previous one does not', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    const { id } = await getUser(browser)
    await requestChange(browser)
    await browser.visit(service.mailbox.getLink().href)
    const [next, previous] = [service.browse(), service.browse()]
    await signInByEmail(service, next, address)
    expect((await getUser(next)).id).toBe(id)
    await signInByEmail(service, previous, 'alice@example.com')
    expect((await getUser(previous)).id).not.toBe(id)
  })

  test('is not changed in another browser, nor is it a way to sign in there', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    await requestChange(browser)
    const link = service.mailbox.getLink()
    const elsewhere = service.browse()
    const asked = await elsewhere.visit(link.href)
    expect(asked.status).toBe(200)
    const { token = '', email = '' } = Object.fromEntries(link.searchParams)
    const posted = await elsewhere.submit('/callback/email', { token, email })
    expect(getRedirect(posted).error).toBe('Verification')
    expect(await elsewhere.json('/session')).toEqual({})
    expect((await read(browser)).user.email).toBe('alice@example.com')
    // The link still works where it was requested.
    await browser.visit(link.href)
    expect((await read(browser)).user.email).toBe(address)
  })

  test('is not changed by another session of the browser', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    await requestChange(browser)
    const link = service.mailbox.getLink().href
    await signInByEmail(service, browser, 'mallory@example.com')
    const { id } = await getUser(browser)
    await browser.visit(link)
    const { user } = await read(browser)
    expect(user).toMatchObject({ id, email: 'mallory@example.com' })
  })

  test('is not changed once the session has ended', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    const { id } = await getUser(browser)
    await requestChange(browser)
    await service.auth.sessions.revokeAll(id)
    await browser.visit(service.mailbox.getLink().href)
    expect(await service.storage.getUser(id)).toMatchObject({ email: 'alice@example.com' })
  })

  test('is not changed if callbacks.signIn refuses it, or the session ends meanwhile', async () => {
    let answer: (userId: string) => Promise<boolean | string> = async () => true
    const service = serveAccount({
      limits: { linkMailsPerUser: false, linkMailsPerAddress: false },
      callbacks: {
        signIn: async ({ user, email }) => email !== undefined || answer(user.id),
      },
    })
    const browser = service.browse()
    await signInByEmail(service, browser)
    const { id } = await getUser(browser)
    const openWith = async (next: typeof answer): Promise<string | null> => {
      answer = next
      await requestChange(browser, address)
      const { error } = getRedirect(await browser.visit(service.mailbox.getLink().href))
      expect(await service.storage.getUser(id)).toMatchObject({ email: 'alice@example.com' })
      return error
    }
    expect(await openWith(async () => false)).toBe('AccessDenied')
    expect(await openWith(async () => '/not-yet')).toBeNull()
    expect(
      await openWith(async (userId) => {
        await service.auth.sessions.revokeAll(userId)
        return true
      }),
    ).toBe('SessionRequired')
    answer = async () => true
    await signInByEmail(service, browser)
    await requestChange(browser)
    await browser.visit(service.mailbox.getLink().href)
    expect((await read(browser)).user.email).toBe(address)
  })

  test('that another user has verified is refused to the owner of the mailbox only', async () => {
    const service = serveAccount()
    const [browser, owner] = [service.browse(), service.browse()]
    await signInByEmail(service, owner, address)
    await signInByEmail(service, browser)
    const [taken, free] = [
      await requestChange(browser),
      await requestChange(browser, 'free@example.com'),
    ]
    expect([taken.status, taken.headers.get('location'), await taken.text()]).toEqual([
      free.status,
      free.headers.get('location'),
      await free.text(),
    ])
    const [, link] = service.mailbox.mails.slice(-2).map((mail) => service.mailbox.getLink(mail))
    const [takenMail] = service.mailbox.mails.slice(-2)
    const refused = await browser.visit(service.mailbox.getLink(takenMail).href)
    expect(getRedirect(refused)).toEqual({
      path: '/api/auth/account',
      error: 'OAuthAccountNotLinked',
    })
    const html = await (await browser.visit(refused.headers.get('location') ?? '')).text()
    expect(html).toContain('Another account has this email address.')
    expect((await read(browser)).user.email).toBe('alice@example.com')
    expect((await read(owner)).user.email).toBe(address)
    service.wait(15)
    await browser.visit(link?.href ?? '')
    expect((await read(browser)).user.email).toBe('free@example.com')
  })

  test('by which another user signs in is taken, also if that user has a different email address', async () => {
    const service = serveAccount()
    const [browser, other] = [service.browse(), service.browse()]
    await signIn(other, 'bob')
    await requestEmail(other, address, { link: 'true' })
    await other.visit(service.mailbox.getLink().href)
    await signIn(browser)
    await requestChange(browser)
    const refused = await browser.visit(service.mailbox.getLink().href)
    expect(getRedirect(refused).error).toBe('OAuthAccountNotLinked')
    service.wait(15)
    await requestChange(browser, 'free@example.com')
    await browser.visit(service.mailbox.getLink().href)
    expect((await read(browser)).user.email).toBe('free@example.com')
  })

  test('is changed by one of two links that are opened at the same moment', async () => {
    const inner = memoryStorage()
    let meanwhile: (() => Promise<Response>) | undefined
    const opened: Response[] = []
    const storage: Storage = {
      ...inner,
      async updateUser(...args) {
        const open = meanwhile
        meanwhile = undefined
        if (open) opened.push(await open())
        return inner.updateUser(...args)
      },
    }
    const service = serveAccount({ storage })
    const browser = service.browse()
    await signInByEmail(service, browser)
    await requestChange(browser, 'one@example.com')
    const [one] = service.mailbox.mails.slice(-1)
    await requestChange(browser, 'two@example.com')
    const [two] = service.mailbox.mails.slice(-1)
    meanwhile = () => browser.visit(service.mailbox.getLink(two).href)
    opened.push(await browser.visit(service.mailbox.getLink(one).href))
    const errors = opened.map((response) => getRedirect(response).error)
    expect(errors).toEqual(['Verification', null])
    const { user, accounts } = await read(browser)
    expect(user.email).toBe('one@example.com')
    expect(accounts).toMatchObject([{ providerAccountId: 'one@example.com' }])
  })

  test('that is taken at the last moment leaves the accounts as they were', async () => {
    const inner = memoryStorage()
    let isTaken = false
    const storage = {
      ...inner,
      updateUser: (...args: Parameters<typeof inner.updateUser>) =>
        isTaken ? Promise.resolve(undefined) : inner.updateUser(...args),
    }
    const service = serveAccount({ storage })
    const browser = service.browse()
    await signInByEmail(service, browser)
    await requestChange(browser)
    isTaken = true
    const refused = await browser.visit(service.mailbox.getLink().href)
    expect(getRedirect(refused).error).toBe('OAuthAccountNotLinked')
    isTaken = false
    const { user, accounts } = await read(browser)
    expect(user.email).toBe('alice@example.com')
    expect(accounts).toMatchObject([{ providerAccountId: 'alice@example.com' }])
    service.wait(15)
    await requestChange(browser)
    await browser.visit(service.mailbox.getLink().href)
    expect((await read(browser)).accounts).toMatchObject([{ providerAccountId: address }])
  })

  test('is not changed by a session that lacks a second factor enrolled meanwhile', async () => {
    const mailer = new Mailbox()
    const provider = createEmailProvider({ mailer })
    const { browse, auth } = serveSecond({
      use: [accountPages()],
      providers: [present, provider],
    })
    const browser = browse()
    await signIn(browser)
    await requestChange(browser)
    await enrol(browser)
    const refused = await browser.visit(mailer.getLink().href)
    expect(getRedirect(refused).error).toBe('ConfirmationRequired')
    expect((await read(browser)).user.email).toBe('alice@example.com')
    await auth.factors.remove(
      (await getUser(browser)).id,
      (await read(browser)).factors[0] ?? { type: '', id: '' },
    )
    await requestChange(browser)
    await browser.visit(mailer.getLink().href)
    expect((await read(browser)).user.email).toBe(address)
  })

  test.each(['storage', 'cookie'] as const)(
    'and the name are immediately in the session, which is kept in the %s',
    async (strategy) => {
      const service = serveAccount({
        session: { strategy, ...(strategy === 'cookie' && { revocable: true }) },
      })
      const browser = service.browse()
      await signInByEmail(service, browser)
      await expectSaved(change(browser, 'changeName', { name: 'Ada' }))
      expect(await getUser(browser)).toMatchObject({ name: 'Ada', email: 'alice@example.com' })
      await requestChange(browser)
      await browser.visit(service.mailbox.getLink().href)
      expect(await getUser(browser)).toMatchObject({ name: 'Ada', email: address })
    },
  )

  test.each(['storage', 'cookie'] as const)(
    'is in the session, which is kept in the %s, only as callbacks.jwt has it',
    async (strategy) => {
      const service = serveAccount({
        session: { strategy, ...(strategy === 'cookie' && { revocable: true }) },
        callbacks: {
          jwt: ({ trigger, token }) =>
            trigger === 'renew' ? token : { ...token, email: null, email_verified: false },
        },
      })
      const browser = service.browse()
      await signInByEmail(service, browser)
      await expectSaved(change(browser, 'changeName', { name: 'Ada' }))
      await requestChange(browser)
      await browser.visit(service.mailbox.getLink().href)
      expect((await read(browser)).user.email).toBe(address)
      expect(await getUser(browser)).toMatchObject({ name: 'Ada', email: null })
    },
  )

  test('is changed once by a link, and not after it has expired', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    await requestChange(browser)
    const link = service.mailbox.getLink().href
    await browser.visit(link)
    expect((await read(browser)).user.email).toBe(address)
    await service.auth.users.update((await getUser(browser)).id, { name: 'Ada' })
    await requestChange(browser, 'later@example.com')
    service.wait(LONG)
    const late = await browser.visit(service.mailbox.getLink().href)
    expect(getRedirect(late)).toEqual({ path: '/api/auth/account', error: 'Verification' })
    expect((await read(browser)).user.email).toBe(address)
  })

  test('needs a recent confirmation, also if confirmation.maxAge is 0 (I-51.8)', async () => {
    const service = serveAccount({ use: [confirmation({ maxAge: 0 })] })
    const browser = service.browse()
    await signInByEmail(service, browser)
    expect((await requestChange(browser)).status).toBe(302)
    const sent = service.mailbox.mails.length
    service.wait(LONG)
    await expectConfirmation(requestChange(browser))
    expect(service.mailbox.mails).toHaveLength(sent)
  })

  test('is proven by an email only, and from the service origin only', async () => {
    const service = serveAccount({ trustedOrigins: [trusted] })
    const browser = service.browse()
    await signInByEmail(service, browser)
    const byProvider = await browser.submit('/signin/other', { changeEmail: 'true' })
    expect(getRedirect(byProvider).error).toBe('AccessDenied')
    const headers = { origin: trusted, 'sec-fetch-site': 'same-site' }
    const fields = { email: address, changeEmail: 'true' }
    const sent = service.mailbox.mails.length
    expect((await browser.submit('/signin/email', fields, { headers })).status).toBe(403)
    expect(service.mailbox.mails).toHaveLength(sent)
    await requestChange(browser)
    expect(service.mailbox.mails).toHaveLength(sent + 1)
  })

  test('that is invalid is refused on the account page', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    const response = await requestChange(browser, 'not an email')
    expect(getRedirect(response)).toEqual({ path: '/api/auth/account', error: 'EmailSignin' })
    expect(getRedirect(await requestChange(browser)).path).toBe('/api/auth/verify-request')
  })

  test('is asked for without a code, which could be read out to a stranger', async () => {
    const service = serveMail({ use: [confirmation(), accountPages()] }, { code: true })
    const browser = service.browse()
    await signInByEmail(service, browser)
    expect(service.mailbox.getCode()).toMatch(/^\d{8}$/)
    await requestChange(browser)
    expect(() => service.mailbox.getCode()).toThrow('expected a code')
  })

  test('can be sent the email again, in the same flow', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    const { headers } = await requestChange(browser)
    const html = await (await browser.visit(headers.get('location') ?? '')).text()
    expect(html).toContain('name="changeEmail" value="true"')
    await requestChange(browser, address, { resend: 'true' })
    await browser.visit(service.mailbox.getLink().href)
    expect((await read(browser)).user.email).toBe(address)
  })

  test('has limits, which are shown on the account page (I-32)', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signInByEmail(service, browser)
    expect((await requestChange(browser, 'one@example.com')).status).toBe(302)
    expect((await requestChange(browser, 'two@example.com')).status).toBe(302)
    const limited = await requestChange(browser, 'three@example.com')
    expect(limited.status).toBe(429)
    expect(await limited.text()).toContain('<h1>Your account</h1>')
  })

  test('has no form without a provider of emails, and the field no meaning without the option', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signIn(browser)
    const form = await readForm(
      await browser.visit(await findLink(browser, 'Change: Email address')),
    )
    expect(form['changeEmail']).toBe('true')
    const plain = serveMail({ use: [confirmation()] })
    const visitor = plain.browse()
    await requestChange(visitor)
    await visitor.visit(plain.mailbox.getLink().href)
    expect((await getUser(visitor)).email).toBe(address)
  })

  test('is not changed if the option is gone when the link is opened', async () => {
    const storage = memoryStorage()
    const service = serveAccount({ storage })
    const browser = service.browse()
    await signInByEmail(service, browser)
    const { id } = await getUser(browser)
    await requestChange(browser)
    const { browse } = serveMail({ storage, use: [confirmation()] })
    const later = browse()
    for (const [name, value] of browser.cookies) later.cookies.set(name, value)
    const response = await later.visit(service.mailbox.getLink().href)
    expect(getRedirect(response).error).toBe('SessionRequired')
    expect(await storage.getUser(id)).toMatchObject({ email: 'alice@example.com' })
  })
})

describe('a second factor', () => {
  const gone = 'This does not exist any more. It may have been changed in another window.'
  const options = { use: [accountPages()] }

  /** Returns the owner's factor of the enrolled type. */
  async function getFactor(
    owner: Browser,
  ): Promise<{ readonly type: string; readonly id: string }> {
    const { factors } = await read(owner)
    const { type = '', id = '' } = factors.find((factor) => factor.type === 'numbers') ?? {}
    return { type, id }
  }

  /** Returns a browser whose user has proven the second factor: the session that enrolled it has not. */
  async function openProven({ browse, kept }: OwnedService, used = 1): Promise<Browser> {
    const browser = browse()
    await signIn(browser)
    const response = await prove(browser, `${kept.secret}-${used + 1}`)
    expect(response.status).toBe(302)
    return browser
  }

  test('is offered, and with it recovery codes', async () => {
    const service = await serveOwner(options)
    const { browse, owner } = service
    const other = browse()
    await signIn(other, 'mallory')
    const without = await readPage(other)
    expect(without).toContain(`action="${base}/signin/numbers"`)
    expect(without).not.toContain(`action="${base}/signin/spare"`)
    const proven = await openProven(service)
    const html = await readPage(proven)
    for (const id of ['numbers', 'spare']) expect(html).toContain(`action="${base}/signin/${id}"`)
    // The session in which it was enrolled has not proven it.
    const unproven = await readPage(owner)
    expect(unproven).not.toContain(`action="${base}/signin/numbers"`)
    const [, url = ''] = /href="([^"]*)"\s*>Set up an authenticator app</.exec(unproven) ?? []
    await expectConfirmation(owner.visit(url), url)
    const form = await readForm(await proven.visit(url))
    expect(form).toEqual({ callbackUrl: account, link: 'true' })
  })

  test('gets a name, and loses it (I-49.1)', async () => {
    const owner = await openProven(await serveOwner(options))
    const factor = await getFactor(owner)
    await expectSaved(change(owner, 'renameFactor', { ...factor, name: ' My <phone> ' }))
    expect((await read(owner)).factors[0]?.name).toBe('My <phone>')
    expect(await readPage(owner)).toContain('<bdi>My &lt;phone&gt;</bdi>')
    const sentence = 'Enter a name of at most 64 characters.'
    const named = (name: string): Promise<Response> =>
      change(owner, 'renameFactor', { ...factor, name })
    await expectRefused(named('a'.repeat(65)), 400, sentence)
    await expectRefused(named('a\u0000'), 400, sentence)
    expect((await read(owner)).factors[0]?.name).toBe('My <phone>')
    await expectSaved(named(''))
    expect((await read(owner)).factors[0]?.name).toBeNull()
  })

  test('is removed, and with it the recovery codes (I-53.4)', async () => {
    const owner = await openProven(await serveOwner(options))
    expect((await read(owner)).factors).toHaveLength(2)
    await expectSaved(change(owner, 'removeFactor', await getFactor(owner)))
    expect((await read(owner)).factors).toEqual([])
  })

  test('that is required is not removed (I-53.4)', async () => {
    const needed = new Set<string>()
    const service = await serveOwner(options, { require: ({ user }) => needed.has(user.id) })
    const owner = await openProven(service)
    needed.add((await getUser(owner)).id)
    const sentence = 'A second step is required here. Add another one first.'
    await expectRefused(change(owner, 'removeFactor', await getFactor(owner)), 409, sentence)
    const { id } = await getFactor(owner)
    await enrol(owner)
    await expectSaved(change(owner, 'removeFactor', { type: 'numbers', id }))
    expect((await read(owner)).factors).toHaveLength(2)
  })

  test('is unknown without the option', async () => {
    const { browse } = serveAccount()
    const browser = browse()
    await signIn(browser)
    const factor = { type: 'numbers', id: 'one', name: 'Mine' }
    for (const action of ['renameFactor', 'removeFactor']) {
      expect((await change(browser, action, factor)).status).toBe(400)
    }
  })

  test('of another user is as absent', async () => {
    const service = await serveOwner(options)
    const owner = await openProven(service)
    const factor = await getFactor(owner)
    const other = service.browse()
    await signIn(other, 'mallory')
    await expectRefused(change(other, 'removeFactor', factor), 404, gone)
    await expectRefused(change(other, 'renameFactor', { ...factor, name: 'Mine' }), 404, gone)
    expect((await read(owner)).factors[0]).toMatchObject({ ...factor, name: null })
    await expectSaved(change(owner, 'renameFactor', { ...factor, name: 'Mine' }))
  })

  test.each([
    ['renameFactor', { name: 'Mine' }],
    ['removeFactor', {}],
    ['deleteAccount', { sure: 'true' }],
  ])('is proven again before %s (I-51.8)', async (action, fields) => {
    const service = await serveOwner(options)
    const { owner, auth } = service
    const factor = await getFactor(owner)
    const { id } = await getUser(owner)
    // The session in which the first factor was enrolled has not proven it.
    await expectConfirmation(change(owner, action, { ...factor, ...fields }))
    expect(await auth.factors.list(id)).toHaveLength(2)
    const browser = await openProven(service)
    const response = await change(browser, action, { ...factor, ...fields })
    expect([200, 303]).toContain(response.status)
  })

  test('is asked for before the email address is changed (I-51.8)', async () => {
    const mailer = new Mailbox()
    const provider = createEmailProvider({ mailer })
    const service = await serveOwner({ ...options, providers: [present, provider] })
    const fields = { email: 'new@example.com', changeEmail: 'true', callbackUrl: account }
    await expectConfirmation(service.owner.submit('/signin/email', fields))
    const browser = await openProven(service)
    await browser.submit('/signin/email', fields)
    await browser.visit(mailer.getLink().href)
    expect((await read(browser)).user.email).toBe('new@example.com')
  })
})

describe('a deletion', () => {
  test('ends the account, its sessions and the cookies (I-54.5)', async () => {
    const deleted: string[] = []
    const service = serveAccount({
      events: { deleteUser: ({ userId }) => void deleted.push(userId) },
    })
    const [browser, there] = [service.browse(), service.browse()]
    await signIn(browser)
    await signIn(there)
    const { id } = await getUser(browser)
    const response = await change(browser, 'deleteAccount', { sure: 'true' })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('<h1>Your account is deleted</h1>')
    expect(browser.cookies.has('__Host-latchkey.session')).toBe(false)
    expect(await service.storage.getUser(id)).toBeUndefined()
    expect(deleted).toEqual([id])
    expect((await there.visit('/account')).status).toBe(302)
  })

  test('that cannot end the session in the storage has deleted the account all the same', async () => {
    const inner = memoryStorage()
    const storage = { ...inner, deleteSession: () => Promise.reject(new Error('down')) }
    const service = serveAccount({ storage })
    const browser = service.browse()
    await signIn(browser)
    const response = await change(browser, 'deleteAccount', { sure: 'true' })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('<h1>Your account is deleted</h1>')
    expect(browser.cookies.has('__Host-latchkey.session')).toBe(false)
  })

  test('needs the box and a recent confirmation', async () => {
    const service = serveAccount()
    const browser = service.browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    expect((await change(browser, 'deleteAccount')).status).toBe(400)
    service.wait(LONG)
    await expectConfirmation(change(browser, 'deleteAccount', { sure: 'true' }))
    expect(await service.storage.getUser(id)).toBeDefined()
    service.wait(-LONG)
    const response = await change(browser, 'deleteAccount', { sure: 'true', json: 'true' })
    expect([response.status, await response.json()]).toEqual([200, { url: origin }])
    expect(await service.storage.getUser(id)).toBeUndefined()
  })
})

describe('accountPages()', () => {
  const storage = memoryStorage()
  const use = [accountPages(), confirmation()]
  const both = { storage, use }

  test('is accepted with what it needs', () => {
    expect(getConfigError(() => ({ providers: [present], ...both }))).toBeUndefined()
  })

  test.each<[string, Partial<AuthConfig>, string, string]>([
    ['a storage', { use }, 'account', 'needs the option storage'],
    [
      'sessions that end',
      { ...both, session: { strategy: 'cookie' } },
      'account',
      'needs sessions that can be ended: set session.revocable, or the strategy storage',
    ],
    [
      'the field changeEmail',
      { ...both, providers: [{ ...passport(), fields: { changeEmail: { label: 'No' } } }] },
      'providers.passport.fields.changeEmail',
      'is a field of the protocol',
    ],
  ])('needs %s', (_, over, option, problem) => {
    const config = { providers: [present], ...over }
    expect(getConfigError(() => config)).toEqual([option, expect.stringContaining(problem)])
  })
})
