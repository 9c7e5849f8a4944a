import { encode } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import type { AuthConfig, Mail, Provider, Storage, WrittenMail } from '@latchkey/core'
import { accountPages, securityEmails } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { de } from '@latchkey/core/languages/de'
import { de as germanTexts } from '../src/languages/de.ts'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { secondFactor } from '@latchkey/second-factor'
import type { SecurityMail } from '@latchkey/account'
import type { Browser } from '@latchkey/testing/browser'
import { breakableStorage } from '../../core/test/support/breakable.ts'
import { hook } from '../../core/test/support/hook.ts'
import { Mailbox, requestEmail, signInByEmail } from '../../core/test/support/mailbox.ts'
import { serveAlice, serveSecurity, subjects, toSubjects } from './support/security-emails.ts'
import type { SecurityService } from './support/security-emails.ts'
import {
  enrol,
  numbers,
  present,
  prove,
  readSecret,
  spare,
  staff,
} from '../../second-factor/test/support/second-factor.ts'
import {
  getConfigError,
  getUser,
  origin,
  passport,
  serve,
  signIn,
  signInWith,
  toCookieHeader,
} from '../../core/test/support/service.ts'

const known = '__Host-latchkey.known.user'
const address = 'alice@example.com'
const firefox = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0'
const use = [confirmation(), secondFactor({ methods: [numbers, spare] })]
const factors: Partial<AuthConfig> = { providers: [present, staff], use }
const other = passport({ id: 'other', name: 'Other', linkByVerifiedEmail: true })

describe('a new browser', () => {
  test('is in an email with its time and its description', async () => {
    const { browseAs, takeMails } = await serveAlice()
    expect(await takeMails()).toEqual([])
    await signIn(browseAs(firefox))
    const [mail, ...others] = await takeMails()
    expect(others).toEqual([])
    expect(mail).toMatchObject({
      to: { address },
      from: { address: 'security@app.example', name: 'Example' },
      subject: subjects.newBrowser,
    })
    expect(mail?.text).toContain('Browser: Firefox (Windows)\n')
    expect(mail?.text).toMatch(/^Time: .*\d{4}.* UTC$/m)
    expect(mail?.text).toMatch(/^https:\/\/app\.example\/api\/auth\/end-sessions\?token=[\w.-]+$/m)
    expect(mail?.text).not.toContain('further changes')
  })

  test('is a known one at the next sign-in, for 400 days', async () => {
    const { browse, takeMails } = await serveAlice()
    const browser = browse()
    await signIn(browser)
    expect(toSubjects(await takeMails())).toEqual([subjects.newBrowser])
    await browser.submit('/signout')
    await signIn(browser)
    expect(await takeMails()).toEqual([])
  })

  test('is not in an email if the sign-in has stored the user', async () => {
    const { browse, takeMails, owner } = await serveAlice()
    expect(owner.cookies.has(known)).toBe(true)
    await owner.submit('/signout')
    await signIn(owner)
    expect(await takeMails()).toEqual([])
    await signIn(browse())
    expect(await takeMails()).toHaveLength(1)
  })

  test('is new to each user', async () => {
    const { browse, takeMails, owner } = await serveAlice()
    await signIn(browse(), 'bob')
    await owner.submit('/signout')
    await signIn(owner, 'bob')
    expect((await takeMails()).map(({ to }) => to.address)).toEqual(['bob@example.com'])
    for (const name of ['alice', 'bob']) {
      await owner.submit('/signout')
      await signIn(owner, name)
    }
    expect(await takeMails()).toEqual([])
  })

  test('is a new one with a cookie in which another user is known', async () => {
    const { browse, takeMails } = await serveAlice()
    const [bob, thief] = [browse(), browse()]
    await signIn(bob, 'bob')
    thief.cookies.set(known, bob.cookies.get(known) ?? '')
    await signIn(thief)
    expect(toSubjects(await takeMails())).toEqual([subjects.newBrowser])
  })

  test('remembers the last ten users', async () => {
    const { browse, takeMails } = serveSecurity()
    const browser = browse()
    const names = Array.from({ length: 11 }, (_, number) => `user${number}`)
    const signInAgain = async (name: string): Promise<void> => {
      await signIn(browser, name)
      await browser.submit('/signout')
    }
    for (const name of names) await signInAgain(name)
    expect(browser.cookies.get(known)?.length).toBeLessThan(700)
    for (const name of names.slice(1)) await signInAgain(name)
    expect(await takeMails()).toEqual([])
    await signInAgain('user0')
    expect((await takeMails()).map(({ to }) => to.address)).toEqual(['user0@example.com'])
  })

  test('is not one that has a session of the user, also an imported one (I-45)', async () => {
    const secret = 'the secret of next-auth'
    const service = await serveAlice({ session: { importFrom: [nextAuthV4({ secret })] } })
    const { browse, takeMails, id } = service
    const browser = browse()
    const value = await encode({ token: { sub: id }, secret, maxAge: 3600 })
    browser.cookies.set('__Secure-next-auth.session-token', value)
    expect(await getUser(browser)).toMatchObject({ id })
    expect(browser.cookies.has(known)).toBe(false)
    await signIn(browser)
    expect(browser.cookies.has(known)).toBe(true)
    expect(await takeMails()).toEqual([])
  })

  test('is not remembered by a HEAD, a failed sign-in, or without the option', async () => {
    const { browse } = await serveAlice()
    const browser = browse()
    await browser.visit('/callback/passport?code=alice', { method: 'HEAD' })
    await browser.visit('/callback/passport?code=alice')
    expect(browser.cookies.has(known)).toBe(false)
    const { browse: browseElsewhere } = serve({ storage: memoryStorage() })
    const elsewhere = browseElsewhere()
    await signIn(elsewhere)
    expect(await getUser(elsewhere)).toMatchObject({ name: 'Person alice' })
    expect(elsewhere.cookies.has(known)).toBe(false)
  })

  test('gets its session also if the storage fails to say whether it is known', async () => {
    const { storage, arm } = hook('getRevocation', 'before')
    const { browse, takeMails, lines } = await serveAlice({ storage })
    // After the two calls that say whether the sessions of the user were ended meanwhile.
    arm(() => Promise.reject(new Error('down')), 2)
    const browser = browse()
    await signIn(browser)
    expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
    expect(await takeMails()).toEqual([])
    expect(lines.map(({ message }) => message)).toContain(
      'securityEmails was left out of a sign-in',
    )
  })
})

/** Each way of signing in, with what stores its user. */
const ways: Readonly<
  Record<
    string,
    {
      readonly over: (mailbox: Mailbox) => Partial<AuthConfig>
      readonly run: (browser: Browser, mailbox: Mailbox) => Promise<unknown>
    }
  >
> = {
  'a provider': { over: () => ({}), run: (browser) => signIn(browser) },
  'an email link': {
    over: (mailer) => ({ providers: [email({ mailer, from: 'sign-in@app.example' })] }),
    run: (browser, mailbox) => signInByEmail({ mailbox }, browser),
  },
  'an email code': {
    over: (mailer) => ({ providers: [email({ mailer, from: 'sign-in@app.example', code: true })] }),
    run: async (browser, mailbox) => {
      await requestEmail(browser)
      return browser.submit('/callback/email', { code: mailbox.getCode() })
    },
  },
}

describe.each(Object.entries(ways))('a sign-in by %s', (_, { over, run }) => {
  test('sends one email in another browser', async () => {
    const sent = new Mailbox()
    const { browse, takeMails } = serveSecurity(over(sent))
    await run(browse(), sent)
    expect(await takeMails()).toEqual([])
    const browser = browse()
    await run(browser, sent)
    expect(toSubjects(await takeMails())).toEqual([subjects.newBrowser])
    expect(browser.cookies.has(known)).toBe(true)
  })
})

test('a sign-in by credentials sends one email in another browser', async () => {
  const { storage, browse, takeMails } = serveSecurity({ providers: [staff] })
  const user = { id: 'user-1', name: null, email: address, emailVerified: true, image: null }
  await storage.createUser(user)
  const browser = browse()
  await browser.submit('/signin/credentials', { name: 'user-1', password: 'right' })
  expect(toSubjects(await takeMails())).toEqual([subjects.newBrowser])
  await browser.submit('/signin/credentials', { name: 'user-1', password: 'right' })
  expect(await takeMails()).toEqual([])
})

describe('a change', () => {
  test('of second factors: enrolled, proven in a new browser, and removed', async () => {
    const { auth, browse, takeMails, owner, id } = await serveAlice(factors)
    const { secret } = await enrol(owner)
    const [added] = await takeMails()
    expect(added?.subject).toBe(subjects.factorAdded)
    const browser = browse()
    await signIn(browser)
    expect(browser.cookies.has(known)).toBe(false)
    expect(await takeMails()).toEqual([])
    await prove(browser, `${secret}-2`)
    expect(toSubjects(await takeMails())).toEqual([subjects.newBrowser])
    const [factor] = (await auth.factors.list(id)).filter(({ type }) => type === 'numbers')
    expect(await auth.factors.remove(id, { type: 'numbers', id: factor?.id ?? '' })).toBe('removed')
    expect(toSubjects(await takeMails())).toEqual([subjects.factorRemoved])
    expect(await auth.factors.remove(id, { type: 'numbers', id: factor?.id ?? '' })).toBe('unknown')
    expect(await takeMails()).toEqual([])
  })

  test.each([
    ['is taken back because it is not known whether its session lives', ['getSessionAndUser']],
    ['stays because it cannot be taken back', ['getSessionAndUser', 'deleteFactor']],
  ] as const)('of a second factor that %s', async (_, methods) => {
    const { storage: breakable, fail } = breakableStorage()
    const { storage, arm } = hook('createFactor', 'after', breakable)
    const { auth, takeMails, owner, id } = await serveAlice({ ...factors, storage })
    arm(async () => fail(methods))
    await owner.submit('/signin/numbers', { link: 'true' })
    const finished = await prove(owner, `${await readSecret(owner)}-1`)
    expect(finished.status).toBe(503)
    const staying = methods.length > 1 ? ['numbers'] : []
    expect(toSubjects(await takeMails())).toEqual(staying.map(() => subjects.factorAdded))
    expect((await auth.factors.list(id)).map(({ type }) => type)).toEqual(staying)
  })

  test('of recovery codes: used, and replaced', async () => {
    const { browse, takeMails, owner } = await serveAlice(factors)
    const { codes } = await enrol(owner)
    await takeMails()
    const browser = browse()
    await signIn(browser)
    await browser.submit('/signin/spare', { code: 'wrong' })
    expect(await takeMails()).toEqual([])
    await browser.submit('/signin/spare', { code: codes[0] ?? '' })
    const used = toSubjects(await takeMails())
    expect(used.toSorted()).toEqual([subjects.newBrowser, subjects.recoveryCodeUsed].toSorted())
    await browser.submit('/signin/spare', { link: 'true', json: 'true' })
    expect(toSubjects(await takeMails())).toEqual([subjects.recoveryCodesReplaced])
  })

  test('of a second factor that a stored user needs at the sign-in, not of a new user', async () => {
    const required = {
      ...factors,
      use: [confirmation(), secondFactor({ methods: [numbers], require: true })],
    }
    const { storage, browse, takeMails } = serveSecurity(required)
    const signUp = async (name: string, run: (browser: Browser) => Promise<unknown>) => {
      const browser = browse()
      await run(browser)
      await prove(browser, `${await readSecret(browser)}-1`)
      expect(await getUser(browser), name).toBeDefined()
      return toSubjects(await takeMails())
    }
    expect(await signUp('new', (browser) => signIn(browser))).toEqual([])
    const user = {
      id: 'user-1',
      name: null,
      email: 'bob@example.com',
      emailVerified: true,
      image: null,
    }
    await storage.createUser(user)
    const typed = { name: 'user-1', password: 'right' }
    const mails = await signUp('stored', (browser) => browser.submit('/signin/credentials', typed))
    expect(mails.toSorted()).toEqual([subjects.factorAdded, subjects.newBrowser].toSorted())
  })

  test('of accounts: linked, linked again, and unlinked', async () => {
    const { auth, takeMails, owner, id } = await serveAlice({
      providers: [passport(), passport({ id: 'other', name: 'Other <b>' })],
    })
    await signInWith(owner, 'other', 'alice', { link: 'true' })
    const [linked, ...others] = await takeMails()
    expect([linked?.subject, others]).toEqual([subjects.accountLinked, []])
    expect(linked?.text).toContain('Name: Other <b>\n')
    expect(linked?.html).toContain('Name: \u2068Other &lt;b&gt;\u2069')
    await signInWith(owner, 'other', 'alice', { link: 'true' })
    expect(await takeMails()).toEqual([])
    const account = { provider: 'other', providerAccountId: 'alice' }
    expect(await auth.accounts.unlink(id, account)).toBe('unlinked')
    expect(toSubjects(await takeMails())).toEqual([subjects.accountUnlinked])
    expect(await auth.accounts.unlink(id, account)).toBe('unknown')
    expect(await takeMails()).toEqual([])
  })

  test('of accounts: linked by a sign-in with a verified email address', async () => {
    const { takeMails, owner } = await serveAlice({ providers: [passport(), other] })
    await owner.submit('/signout')
    await signInWith(owner, 'other')
    expect(toSubjects(await takeMails())).toEqual([subjects.accountLinked])
  })

  test('of the email address: both are told, each only if it was proven', async () => {
    const { auth, takeMails, id } = await serveAlice()
    const update = async (next: string, emailVerified: boolean): Promise<readonly string[]> => {
      const { user } = await auth.users.update(id, { email: next, emailVerified })
      expect(user?.email).toBe(next)
      const mails = await takeMails()
      expect(new Set(toSubjects(mails))).toEqual(new Set([subjects.emailChanged]))
      return mails.map(({ to }) => to.address)
    }
    expect(await update('one@example.com', true)).toEqual([address, 'one@example.com'])
    expect(await update('two@example.com', false)).toEqual(['one@example.com'])
    expect(await update('three@example.com', true)).toEqual(['three@example.com'])
    await auth.users.update(id, { name: 'Alice' })
    await auth.users.update(id, { email: 'three@example.com' })
    expect(await takeMails()).toEqual([])
  })

  test('of the email address: its account is unlinked without another email', async () => {
    const sent = new Mailbox()
    const mail = email({ mailer: sent, from: 'sign-in@app.example' })
    const { auth, browse, takeMails } = serveSecurity({ providers: [mail, passport()] })
    const browser = browse()
    await signInByEmail({ mailbox: sent }, browser)
    const { id } = await getUser(browser)
    await auth.users.update(id, { email: 'new@example.com', emailVerified: true })
    expect(await auth.accounts.list(id)).toMatchObject([{ providerAccountId: 'new@example.com' }])
    const mails = await takeMails()
    expect(toSubjects(mails)).toEqual([subjects.emailChanged, subjects.emailChanged])
  })

  test('is not told to an email address that is not proven', async () => {
    const unproven = passport({ identify: () => ({ emailProven: false }) })
    const changes: string[] = []
    const { auth, browse, takeMails } = serveSecurity({
      providers: [unproven],
      events: { securityChanged: ({ change }) => void changes.push(change) },
    })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    await signIn(browse())
    expect([await takeMails(), changes]).toEqual([[], ['newBrowser']])
    await auth.users.update(id, { email: address, emailVerified: true })
    await takeMails()
    await signIn(browse())
    expect(toSubjects(await takeMails())).toEqual([subjects.newBrowser])
  })
})

test('a hundred wrong codes are in one email, until the user proves a code (I-52.8)', async () => {
  const { browse, takeMails, owner, wait } = await serveAlice(factors)
  const { secret } = await enrol(owner)
  await takeMails()
  for (const code of ['2', '3']) {
    const statuses: number[] = []
    for (let count = 0; count < 120; count++) {
      if (count % 10 === 0) wait(601)
      const browser = browse()
      await signIn(browser)
      statuses.push((await prove(browser, 'wrong')).status)
      if (count === 99) expect(await takeMails()).toEqual([])
      if (count === 100) {
        expect(toSubjects(await takeMails())).toEqual([subjects.secondFactorFailed])
      }
    }
    // Beyond a hundred, one a day is compared (I-52.8).
    expect(statuses.filter((status) => status === 401)).toHaveLength(101)
    expect(await takeMails()).toEqual([])
    await owner.submit('/signout')
    await signIn(owner)
    await prove(owner, `${secret}-${code}`)
    expect(await getUser(owner)).toMatchObject({ name: 'Person alice' })
  }
})

describe('the limit', () => {
  /** Links and unlinks accounts, as an application can without a request. */
  const change = async ({ auth, storage }: SecurityService, id: string, name: string) => {
    const account = { provider: 'other', providerAccountId: name }
    await storage.linkAccount(id, { ...account, type: 'oauth' })
    await auth.accounts.unlink(id, account)
  }

  test('is five emails in an hour, of 200 changes at the same time; the next one mentions it', async () => {
    let events = 0
    const service = await serveAlice({ events: { securityChanged: () => void (events += 1) } })
    const { takeMails, wait, id } = service
    const names = Array.from({ length: 200 }, (_, number) => `account-${number}`)
    await Promise.all(names.map((name) => change(service, id, name)))
    expect([(await takeMails()).length, events]).toEqual([5, 200])
    wait(3599)
    await change(service, id, 'later')
    expect(await takeMails()).toEqual([])
    wait(2)
    await change(service, id, 'next')
    const [next] = await takeMails()
    expect(next?.text).toContain('There were further changes since our last email.')
    expect(next?.html).toContain('There were further changes since our last email.')
    wait(1)
    await change(service, id, 'another')
    expect((await takeMails()).map(({ text }) => text.includes('further changes'))).toEqual([false])
  })

  test('is counted for each user', async () => {
    const service = await serveAlice()
    const { browse, takeMails, id } = service
    for (let count = 0; count < 6; count++) await change(service, id, `account-${count}`)
    expect(await takeMails()).toHaveLength(5)
    const bob = browse()
    await signIn(bob, 'bob')
    await change(service, (await getUser(bob)).id, 'account')
    expect(await takeMails()).toHaveLength(1)
  })

  test('does not hold back a recovery code, nor another email address', async () => {
    const service = await serveAlice(factors)
    const { auth, browse, takeMails, owner, id } = service
    const { codes } = await enrol(owner)
    expect(await takeMails()).toHaveLength(1)
    for (let count = 0; count < 6; count++) await change(service, id, `account-${count}`)
    expect(await takeMails()).toHaveLength(5)
    for (const code of codes) {
      const browser = browse()
      await signIn(browser)
      await browser.submit('/signin/spare', { code })
    }
    const used = await takeMails()
    expect(toSubjects(used)).toEqual(codes.map(() => subjects.recoveryCodeUsed))
    expect(used[0]?.text).toContain('further changes')
    await auth.users.update(id, { email: 'new@example.com', emailVerified: true })
    expect((await takeMails()).map(({ to }) => to.address)).toEqual([address, 'new@example.com'])
  })
})

describe('a mailer that fails', () => {
  test('changes nothing; the next email mentions the change', async () => {
    const { browse, mailbox, takeMails, lines, wait } = await serveAlice()
    mailbox.failure = () => Promise.reject(new Error('the server is down'))
    const browser = browse()
    await signIn(browser)
    expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
    expect(await takeMails()).toEqual([])
    const [line] = lines.filter(({ level }) => level === 'error')
    expect(line).toMatchObject({
      message: 'an email about security was not sent',
      details: { change: 'newBrowser', causes: ['Error: the server is down'] },
    })
    expect(JSON.stringify(lines)).not.toContain('token=')
    mailbox.failure = undefined
    wait(1)
    await signIn(browse())
    expect((await takeMails()).map(({ text }) => text.includes('further changes'))).toEqual([true])
  })

  test('does not delay the reply, but a call of the server waits for it', async () => {
    const { auth, browse, mailbox, settle, id } = await serveAlice()
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    mailbox.failure = async () => {
      await held
      throw new Error('late')
    }
    const browser = browse()
    await signIn(browser)
    expect(await getUser(browser)).toMatchObject({ id })
    const update = auth.users.update(id, { email: 'new@example.com', emailVerified: true })
    const waited = new Promise((resolve) => setTimeout(resolve, 50, 'waits'))
    expect(await Promise.race([update, waited])).toBe('waits')
    release()
    expect(await update).toMatchObject({ user: { id } })
    await settle()
  })
})

test('the event has the user, the change, the browser and the time', async () => {
  const events: unknown[] = []
  const { auth, browseAs, settle, id, storage } = await serveAlice({
    events: { securityChanged: (event) => void events.push(event) },
  })
  const before = Math.floor(Date.now() / 1000)
  const browser = browseAs(firefox)
  await signIn(browser)
  await settle()
  await storage.linkAccount(id, { provider: 'x', type: 'oauth', providerAccountId: 'x' })
  await auth.accounts.unlink(id, { provider: 'x', providerAccountId: 'x' })
  expect(events).toEqual([
    {
      user: await storage.getUser(id),
      change: 'newBrowser',
      browser: 'Firefox (Windows)',
      at: expect.any(Number),
    },
    { user: await storage.getUser(id), change: 'accountUnlinked', at: expect.any(Number) },
  ])
  expect(events).toMatchObject([{ at: expect.toSatisfy((at: number) => at >= before - 1) }, {}])
})

describe('what the user chose', () => {
  const html = '<script>alert(1)</script>"\'&'

  test('is not shown: a User-Agent', async () => {
    const { browseAs, takeMails } = await serveAlice(factors)
    const browser = browseAs(`${html} Firefox/1`)
    await signIn(browser)
    const [signedIn] = await takeMails()
    expect(signedIn?.text).toContain('Browser: Firefox\n')
    expect(signedIn?.html).not.toContain('alert')
  })

  test('no Host header is in a link', async () => {
    const { auth, owner, takeMails } = await serveAlice({ providers: [passport(), other] })
    const request = new Request('https://evil.example/api/auth/session', {
      headers: { host: 'evil.example', cookie: toCookieHeader(owner) },
    })
    await auth.handle(request)
    await signInWith(owner, 'other')
    const [mail] = await takeMails()
    expect(mail?.text).toContain(`${origin}/api/auth/end-sessions?token=`)
    expect(`${mail?.text}${mail?.html}`).not.toContain('evil')
  })
})

test('the option write may return a promise', async () => {
  const write = async ({ change, url }: SecurityMail): Promise<WrittenMail> => ({
    subject: change,
    text: url,
    html: '',
  })
  const { browse, takeMails } = await serveAlice({}, { write })
  await signIn(browse())
  expect(toSubjects(await takeMails())).toEqual(['newBrowser'])
})

test('the option write writes the email', async () => {
  const seen: unknown[] = []
  const written = { subject: 'Changed', text: 'text', html: '<p>html</p>' }
  const { browse, takeMails } = await serveAlice(
    {},
    {
      write: (mail) => {
        seen.push(mail)
        return written
      },
    },
  )
  await signIn(browse())
  const [mail] = await takeMails()
  expect(mail).toMatchObject<Partial<Mail>>(written)
  expect(seen).toMatchObject([
    {
      change: 'newBrowser',
      browser: undefined,
      detail: undefined,
      hasFurther: false,
      host: 'app.example',
      url: expect.stringContaining(`${origin}/api/auth/end-sessions?token=`),
      language: { tag: 'en' },
    },
  ])
})

describe('start-up', () => {
  const mailer = new Mailbox()
  const from = 'security@app.example'
  const valid = (): Partial<AuthConfig> => ({
    storage: memoryStorage(),
    use: [securityEmails({ mailer, from })],
  })
  const without = (capability: string): Storage => {
    const storage = memoryStorage()
    const names = ['sessions', 'sessionData', 'sessionLists', 'increment', 'revocations'] as const
    return { ...storage, capabilities: names.filter((name) => name !== capability) }
  }
  const named = (id: string): Provider => passport({ id })

  test('accepts the option', () => {
    expect(getConfigError(valid)).toBeUndefined()
    expect(getConfigError(() => ({ ...valid(), storage: without('') }))).toBeUndefined()
    expect(getConfigError(() => ({ ...valid(), providers: [named('users')] }))).toBeUndefined()
    const revocable = { strategy: 'cookie', revocable: true } as const
    expect(getConfigError(() => ({ ...valid(), session: revocable }))).toBeUndefined()
  })

  test.each<[string, () => Partial<AuthConfig>, string, RegExp]>([
    [
      'to be without a storage',
      () => ({ use: [securityEmails({ mailer, from })] }),
      'securityEmails',
      /storage/,
    ],
    ...['sessionLists', 'increment', 'revocations'].map(
      (name): [string, () => Partial<AuthConfig>, string, RegExp] => [
        `a storage without ${name}`,
        () => ({ ...valid(), storage: without(name) }),
        'securityEmails',
        new RegExp(`capability ${name}`),
      ],
    ),
    [
      'sessions that cannot be ended',
      () => ({ ...valid(), session: { strategy: 'cookie', acceptsDeletedUsers: true } }),
      'securityEmails',
      /session\.revocable/,
    ],
    [
      'without serviceUrl',
      () => ({ ...valid(), serviceUrl: undefined, trustHost: ['app.example'] }),
      'securityEmails',
      /serviceUrl/,
    ],
    ['a provider user', () => ({ ...valid(), providers: [named('user')] }), 'providers', /"user"/],
    [
      'a mailer without send',
      () => ({ use: [securityEmails({ mailer: {} as Mailbox, from })] }),
      'securityEmails.mailer',
      /send/,
    ],
    [
      'a sender without an email address',
      () => ({ use: [securityEmails({ mailer, from: 'Example' })] }),
      'securityEmails.from',
      /email address/,
    ],
  ])('refuses %s', (_, config, option, problem) => {
    const [found = '', text = ''] = getConfigError(config) ?? []
    expect(found).toBe(option)
    expect(text).toMatch(problem)
  })
})

describe('a change on the account page', () => {
  test('is in an email in the language of the request, with its browser', async () => {
    const { browseAs, takeMails } = serveSecurity({
      providers: [present, { ...present, id: 'other', name: 'Other' }],
      use: [...use, accountPages()],
      messages: { de: [de, germanTexts] },
    })
    const browser = browseAs(firefox)
    const german = { headers: { 'accept-language': 'de' } }
    await signIn(browser)
    await signInWith(browser, 'other', 'alice', { link: 'true' })
    await takeMails()
    const unlinked = { action: 'unlink', provider: 'other', id: 'alice' }
    expect((await browser.submit('/account', unlinked, german)).status).toBe(303)
    const [mail, ...others] = await takeMails()
    expect(others).toEqual([])
    expect(mail?.subject).toBe(
      germanTexts.capabilities.securityEmails.changes.accountUnlinked.replace(
        '{name}',
        'app.example',
      ),
    )
    expect(mail?.text).toContain('Firefox (Windows)')
  })

  test('of the email address is told to both, of a factor too', async () => {
    const mailer = new Mailbox()
    const { browse, takeMails } = serveSecurity({
      providers: [present, email({ mailer, from: 'sign-in@app.example' })],
      use: [...use, accountPages()],
    })
    const browser = browse()
    await signIn(browser)
    await requestEmail(browser, 'new@example.com', { changeEmail: 'true', callbackUrl: '/' })
    expect(await takeMails()).toEqual([])
    await browser.visit(mailer.getLink().href)
    const told = await takeMails()
    expect(toSubjects(told)).toEqual([subjects.emailChanged, subjects.emailChanged])
    expect(told.map(({ to }) => to.address)).toEqual([address, 'new@example.com'])
    const { secret } = await enrol(browser)
    expect(toSubjects(await takeMails())).toEqual([subjects.factorAdded])
    const owner = browse()
    await signIn(owner)
    await prove(owner, `${secret}-2`)
    await takeMails()
    const headers = { headers: { accept: 'application/json' } }
    const { factors: held } = await owner.json('/account', headers)
    const { type, id } = (held as readonly { readonly type: string; readonly id: string }[])[0] ?? {
      type: '',
      id: '',
    }
    await owner.submit('/account', { action: 'removeFactor', type, id })
    expect(toSubjects(await takeMails())).toEqual([subjects.factorRemoved])
  })
})
