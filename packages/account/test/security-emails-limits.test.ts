import { describe, expect, test } from 'vitest'
import type { AuthConfig } from '@latchkey/core'
import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { de as germanTexts } from '../src/languages/de.ts'
import { deliverEvents } from '@latchkey/core/outbox'
import { email } from '@latchkey/core/providers/email'
import { secondFactor } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing/browser'
import { breakableStorage } from '../../core/test/support/breakable.ts'
import { Mailbox, requestEmail } from '../../core/test/support/mailbox.ts'
import { recordOutbox } from '../../core/test/support/outbox.ts'
import {
  enrol,
  numbers,
  present,
  prove,
  readSecret,
  spare,
} from '../../second-factor/test/support/second-factor.ts'
import { serveAlice, subjects, toSubjects } from './support/security-emails.ts'
import type { SecurityService } from './support/security-emails.ts'
import {
  beginSignIn,
  getUser,
  passport,
  serve,
  signIn,
  signInWith,
  toCallbackUrl,
} from '../../core/test/support/service.ts'

const other = passport({ id: 'other', name: 'Other' })
const recent = { ...present, id: 'other', name: 'Other' }
const factors: Partial<AuthConfig> = {
  providers: [present, recent],
  use: [confirmation(), secondFactor({ methods: [numbers, spare] }), accountPages()],
}

/** Links an account in the session of a browser: a change that is counted. */
const link = (browser: Browser, subject: string): Promise<Response> =>
  signInWith(browser, 'other', subject, { link: 'true' })

/** Makes the ten changes of an hour. */
async function useUp(browser: Browser): Promise<void> {
  for (let n = 0; n < 10; n++) expect(isLimited(await link(browser, `person-${n}`))).toBe(false)
}

function isLimited({ status, headers }: Response): boolean {
  return status === 429 || (headers.get('location') ?? '').includes('error=RateLimited')
}

/** Unlinks an account as an application can without a request: a change whose emails are limited. */
async function unlink(
  { auth, storage }: SecurityService,
  id: string,
  subject: string,
): Promise<void> {
  const account = { provider: 'x', providerAccountId: subject }
  await storage.linkAccount(id, { ...account, type: 'oauth' })
  await auth.accounts.unlink(id, account)
}

/** Begins to enrol a factor, and confirms it. */
async function addFactor(browser: Browser): Promise<Response> {
  await browser.submit('/signin/numbers', { link: 'true' })
  return browser.submit('/signin/numbers', { code: `${await readSecret(browser)}-1` })
}

test('a change that gives a lasting way in is in an email after any number of others (I-62.5)', async () => {
  const service = await serveAlice(factors)
  const { browse, takeMails, id } = service
  for (let n = 0; n < 4; n++) await signIn(browse())
  for (const subject of ['a', 'b', 'c']) await unlink(service, id, subject)
  expect(await takeMails()).toHaveLength(5)
  const thief = browse()
  await signIn(thief)
  expect(await takeMails()).toEqual([])
  await link(thief, 'mallory')
  const { secret } = await enrol(thief)
  await thief.submit('/signout')
  await signIn(thief)
  await prove(thief, `${secret}-2`)
  await thief.submit('/signin/spare', { link: 'true' })
  const told = toSubjects(await takeMails())
  const lasting = [subjects.accountLinked, subjects.factorAdded, subjects.recoveryCodesReplaced]
  expect(told.toSorted()).toEqual(lasting.toSorted())
})

describe('ten changes of a user in an hour (I-62.10)', () => {
  test('are made of eleven at the same time, each with an email', async () => {
    const { auth, browse, takeMails, id, wait } = await serveAlice({
      providers: [passport(), other],
    })
    const begun = await Promise.all(
      Array.from({ length: 11 }, async (_, n) => {
        const browser = browse()
        await signIn(browser)
        const request = await beginSignIn(browser, { link: 'true' }, '/signin/other')
        return { browser, url: toCallbackUrl(request, `person-${n}`) }
      }),
    )
    await takeMails()
    const replies = await Promise.all(begun.map(({ browser, url }) => browser.visit(url)))
    expect(replies.filter(isLimited)).toHaveLength(1)
    expect(await auth.accounts.list(id)).toHaveLength(11)
    expect(toSubjects(await takeMails())).toEqual(Array(10).fill(subjects.accountLinked))
    const browser = browse()
    await signIn(browser)
    expect(isLimited(await link(browser, 'late'))).toBe(true)
    wait(3601)
    expect(isLimited(await link(browser, 'late'))).toBe(false)
    expect(await auth.accounts.list(id)).toHaveLength(12)
  })

  test('are counted for each user', async () => {
    const { browse, owner } = await serveAlice({ providers: [passport(), other] })
    await useUp(owner)
    const bob = browse()
    await signIn(bob, 'bob')
    expect(isLimited(await link(bob, 'friend'))).toBe(false)
    expect(isLimited(await link(owner, 'late'))).toBe(true)
  })

  test('are of every kind: an account, a factor, recovery codes, the email address', async () => {
    const mailer = new Mailbox()
    const service = await serveAlice({
      ...factors,
      providers: [present, recent, email({ mailer, from: 'sign-in@app.example' })],
    })
    const { auth, browse, id, wait } = service
    const { secret } = await enrol(service.owner)
    wait(3601)
    const browser = browse()
    await signIn(browser)
    await prove(browser, `${secret}-2`)
    const kinds = {
      account: () => link(browser, 'late'),
      factor: () => addFactor(browser),
      codes: () => browser.submit('/signin/spare', { link: 'true' }),
      address: async () => {
        await requestEmail(browser, 'new@example.com', { changeEmail: 'true' })
        return browser.visit(mailer.getLink().href)
      },
    }
    await useUp(browser)
    const before = [await auth.accounts.list(id), await auth.factors.list(id)]
    for (const [kind, change] of Object.entries(kinds)) {
      expect(isLimited(await change()), kind).toBe(true)
    }
    expect([await auth.accounts.list(id), await auth.factors.list(id)]).toEqual(before)
    expect(await auth.users.get(id)).toMatchObject({ email: 'alice@example.com' })
    wait(3601)
    await browser.submit('/signout')
    await signIn(browser)
    await prove(browser, `${secret}-3`)
    for (const [kind, change] of Object.entries(kinds)) {
      expect(isLimited(await change()), kind).toBe(false)
    }
    expect(await auth.users.get(id)).toMatchObject({ email: 'new@example.com' })
  })

  test('do not count calls of the application', async () => {
    const { auth, owner, id, takeMails } = await serveAlice({ providers: [passport(), other] })
    for (let n = 0; n < 11; n++) {
      await auth.users.update(id, { email: `alice${n}@example.com`, emailVerified: true })
    }
    expect(await takeMails()).toHaveLength(22)
    expect(isLimited(await link(owner, 'friend'))).toBe(false)
  })

  test('leave to the owner what ends the access of a thief', async () => {
    const service = await serveAlice(factors)
    const { auth, browse, owner, id, mailbox, takeMails } = service
    const { secret } = await enrol(owner)
    const thief = browse()
    await signIn(thief)
    await prove(thief, `${secret}-2`)
    await addFactor(thief)
    // With the two factors these are ten.
    for (let n = 0; n < 8; n++) await link(thief, `person-${n}`)
    expect(isLimited(await link(thief, 'late'))).toBe(true)
    const [mail] = await takeMails()
    const page = await owner.visit(mailbox.getLink(mail).href)
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(await page.text()) ?? []
    expect((await owner.submit('/end-sessions', { token })).status).toBe(200)
    expect(await thief.json('/session')).toEqual({})
    await signIn(owner)
    await prove(owner, `${secret}-3`)
    const [, theirs] = (await auth.factors.list(id)).filter(({ type }) => type === 'numbers')
    const { type = '', id: factorId = '' } = { ...theirs }
    const removed = await owner.submit('/account', { action: 'removeFactor', type, id: factorId })
    expect(removed.headers.get('location')).toContain('saved=true')
    for (let n = 0; n < 8; n++) {
      const fields = { action: 'unlink', provider: 'other', id: `person-${n}` }
      expect((await owner.submit('/account', fields)).status).toBe(303)
    }
    expect(await auth.accounts.list(id)).toHaveLength(1)
    expect(
      (await auth.factors.list(id)).filter(({ type: kind }) => kind === 'numbers'),
    ).toHaveLength(1)
  })

  test('leave to the owner a sign-in that links another account by the email address', async () => {
    const trusted = passport({ id: 'trusted', linkByVerifiedEmail: true })
    const { auth, browse, owner, id } = await serveAlice({
      providers: [passport(), other, trusted],
    })
    await useUp(owner)
    const browser = browse()
    await signInWith(browser, 'trusted')
    expect(await getUser(browser)).toMatchObject({ id })
    expect(await auth.accounts.list(id)).toHaveLength(12)
  })

  test('change nothing if the storage cannot count them', async () => {
    const { storage, fail } = breakableStorage()
    const { auth, owner, id } = await serveAlice({ storage, providers: [passport(), other] })
    const request = await beginSignIn(owner, { link: 'true' }, '/signin/other')
    fail(['increment'])
    const response = await owner.visit(toCallbackUrl(request, 'friend'))
    expect(response.headers.get('location') ?? String(response.status)).toMatch(/Unavailable|503/)
    fail([])
    expect(await auth.accounts.list(id)).toHaveLength(1)
    expect(isLimited(await link(owner, 'friend'))).toBe(false)
    expect(await auth.accounts.list(id)).toHaveLength(2)
  })
})

describe('with an outbox, an email that the limit has held back', () => {
  async function serveHeld(over: Partial<AuthConfig> = {}) {
    const recorded = recordOutbox()
    const service = await serveAlice({ outbox: recorded.outbox, ...over })
    for (let n = 0; n < 3; n++) await signIn(service.browse())
    await service.settle()
    recorded.delivered.splice(0)
    return { ...service, recorded }
  }

  test('comes when the hour is over, and mentions the others (I-62.5)', async () => {
    const { auth, browseAs, settle, takeMails, wait, recorded } = await serveHeld({
      messages: { de: germanTexts },
    })
    expect(await takeMails()).toHaveLength(3)
    const german = { headers: { 'accept-language': 'de' } }
    const firefox = browseAs(
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    )
    const request = await beginSignIn(firefox)
    await firefox.visit(toCallbackUrl(request, 'alice'), german)
    for (let n = 0; n < 4; n++) await signIn(browseAs('Chrome/140'))
    await settle()
    wait(3590)
    await deliverEvents(auth)
    expect(await takeMails()).toEqual([])
    wait(20)
    await deliverEvents(auth)
    const [mail, ...others] = await takeMails()
    expect(others).toEqual([])
    expect(mail?.subject).toBe(
      germanTexts.capabilities.securityEmails.changes.newBrowser.replace('{name}', 'app.example'),
    )
    expect(mail?.text).toContain('Firefox (Linux)')
    expect(mail?.text).toContain(germanTexts.capabilities.securityEmails.further)
    await deliverEvents(auth)
    expect(await takeMails()).toEqual([])
    expect(JSON.stringify(recorded.delivered)).not.toContain('securityEmail')
  })

  test('mentions no others if there are none', async () => {
    const { auth, browse, settle, takeMails, wait } = await serveHeld()
    await takeMails()
    await signIn(browse())
    await settle()
    wait(3601)
    await deliverEvents(auth)
    const mails = await takeMails()
    expect(mails.map(({ text }) => text.includes('further changes'))).toEqual([false])
  })

  test('is sent again if the mailer fails', async () => {
    const { auth, browse, mailbox, settle, takeMails, wait } = await serveHeld()
    await takeMails()
    await signIn(browse())
    await settle()
    wait(3601)
    mailbox.failure = () => Promise.reject(new Error('the server is down'))
    expect(await deliverEvents(auth)).toMatchObject({ failed: 1 })
    mailbox.failure = undefined
    wait(6)
    expect(await deliverEvents(auth)).toMatchObject({ failed: 0 })
    expect(toSubjects(await takeMails())).toEqual([subjects.newBrowser])
  })

  test('is not sent to a user who was deleted meanwhile', async () => {
    const { auth, browse, id, settle, takeMails, wait } = await serveHeld()
    await takeMails()
    await signIn(browse())
    await settle()
    wait(3601)
    await auth.users.delete(id)
    expect(await deliverEvents(auth)).toMatchObject({ failed: 0 })
    expect(await takeMails()).toEqual([])
  })

  test('is not delivered to the application, also without the option', async () => {
    const { browse, takeMails, settle, storage, recorded } = await serveHeld()
    await signIn(browse())
    await settle()
    recorded.delivered.splice(0)
    const { auth, wait } = serve({ storage, outbox: recorded.outbox })
    wait(3602)
    expect(await deliverEvents(auth)).toEqual({ delivered: 1, failed: 0 })
    expect(recorded.delivered).toEqual([])
    expect(await takeMails()).toHaveLength(3)
  })
})

test('an email names the kind of factor, not what its owner typed (I-62.3)', async () => {
  const { auth, owner, id, takeMails } = await serveAlice(factors)
  await enrol(owner)
  const [factor] = await auth.factors.list(id)
  if (!factor) throw new Error('expected a factor')
  await auth.factors.rename(id, factor, 'Call us: https://evil.example')
  await auth.factors.remove(id, factor)
  const mails = await takeMails()
  expect(toSubjects(mails)).toEqual([subjects.factorAdded, subjects.factorRemoved])
  for (const { text, html } of mails) {
    expect(text).toContain('Name: numbers\n')
    expect(`${text}${html}`).not.toContain('evil')
  }
})
