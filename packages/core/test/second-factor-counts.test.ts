import type { Browser } from '@latchkey/testing/browser'
import { accountPages, securityEmails } from '@latchkey/account'
import { email } from '@latchkey/core/providers/email'
import { describe, expect, test } from 'vitest'
import { Mailbox } from './support/mailbox.ts'
import {
  present,
  prove,
  readSecret,
  serveOwner,
  serveSecond,
  staff,
} from '../../second-factor/test/support/second-factor.ts'
import type { OwnedService } from '../../second-factor/test/support/second-factor.ts'
import { getUser, signIn } from './support/service.ts'

const DAY = 86_400
const address = 'alice@example.com'

/** Proves the first factor of alice in a browser. */
type ProveFirst = (browser: Browser) => Promise<unknown>

interface Guessed extends OwnedService {
  readonly id: string
  /** Proves the first factor by an account, a password of the application, or the mailbox. */
  readonly ways: Readonly<Record<'account' | 'password' | 'mailbox', ProveFirst>>
  /** Posts wrong codes in new browsers, ten in ten minutes, and returns how many were compared. */
  readonly guess: (way: ProveFirst, times: number, browser?: Browser) => Promise<number>
  /** Posts one code in a new browser. */
  readonly tryCode: (way: ProveFirst, code: string) => Promise<Response>
  /** Returns the link of the newest email. */
  readonly getLink: () => URL
}

async function serveGuessed(): Promise<Guessed> {
  const mailbox = new Mailbox()
  const mails = { mailer: mailbox, from: 'security@app.example' }
  const limits = { mailsPerAddress: false, credentialsPerName: false } as const
  const providers = [present, staff, email(mails)]
  const service = await serveOwner({
    providers,
    use: [accountPages(), securityEmails(mails)],
    limits,
  })
  const { browse, owner, storage, wait } = service
  const { id } = await getUser(owner)
  await storage.updateUser(id, { email: address, emailVerified: true })
  await storage.linkAccount(id, { provider: 'email', type: 'email', providerAccountId: address })
  const getLink = (): URL => mailbox.getLink()
  const tryCode: Guessed['tryCode'] = async (way, code) => {
    const browser = browse()
    await way(browser)
    return prove(browser, code)
  }
  return {
    ...service,
    id,
    getLink,
    tryCode,
    ways: {
      account: (browser) => signIn(browser),
      password: (browser) => browser.submit('/signin/credentials', { name: id, password: 'right' }),
      mailbox: async (browser) => {
        await browser.submit('/signin/email', { email: address })
        await browser.visit(getLink().href)
      },
    },
    async guess(way, times, browser) {
      let compared = 0
      for (let count = 0; count < times; count++) {
        if (count % 10 === 0) wait(601)
        const used = browser ?? browse()
        await way(used)
        compared += (await prove(used, 'wrong')).status === 401 ? 1 : 0
      }
      return compared
    },
  }
}

/** Returns the status, and the seconds of Retry-After. */
async function getWait(response: Promise<Response>): Promise<readonly [number, number]> {
  const { status, headers } = await response
  return [status, Number(headers.get('retry-after'))]
}

test('new users who enrol after a proof of their mailbox have no common count', async () => {
  const mailbox = new Mailbox()
  const mail = email({ mailer: mailbox, from: 'security@app.example' })
  const { browse } = serveSecond({ providers: [mail] }, { require: true })
  const begin = async (name: string): Promise<Browser> => {
    const browser = browse()
    await browser.submit('/signin/email', { email: `${name}@example.com` })
    await browser.visit(mailbox.getLink().href)
    return browser
  }
  for (let i = 0; i < 12; i++) {
    expect((await prove(await begin(`stranger${i}`), 'wrong-1')).status).toBe(401)
  }
  const browser = await begin('bob')
  expect((await prove(browser, `${await readSecret(browser)}-1`)).status).toBe(200)
  expect(await getUser(browser)).toMatchObject({ email: 'bob@example.com' })
})

describe('codes that were wasted after one proof (I-52.8)', () => {
  test.each([
    ['password', 'account'],
    ['account', 'mailbox'],
    ['mailbox', 'password'],
  ] as const)('of the %s do not count after the %s', async (wasted, used) => {
    const { guess, tryCode, ways, kept } = await serveGuessed()
    expect(await guess(ways[wasted], 10)).toBe(10)
    expect((await tryCode(ways[wasted], `${kept.secret}-2`)).status).toBe(429)
    expect((await tryCode(ways[used], `${kept.secret}-2`)).status).toBe(302)
  })

  test('leave recovery codes after another proof', async () => {
    const { browse, ways, kept } = await serveGuessed()
    const post = async (way: ProveFirst, code: string): Promise<number> => {
      const browser = browse()
      await way(browser)
      return (await browser.submit('/signin/spare', { code })).status
    }
    const wrong = Array.from({ length: 11 }, () => post(ways.password, 'wrong'))
    expect((await Promise.all(wrong)).filter((status) => status === 401)).toHaveLength(10)
    expect(await post(ways.mailbox, kept.codes[0] ?? '')).toBe(302)
  })
})

describe('after a hundred wrong codes (I-52.8)', () => {
  test('one a day is compared, and Retry-After is at most a day', async () => {
    const { guess, tryCode, ways, wait, kept } = await serveGuessed()
    expect(await guess(ways.account, 120)).toBe(101)
    wait(601)
    const [status, seconds] = await getWait(tryCode(ways.account, `${kept.secret}-2`))
    expect(status).toBe(429)
    expect(seconds).toBeGreaterThan(600)
    expect(seconds).toBeLessThanOrEqual(DAY)
    wait(seconds)
    expect((await tryCode(ways.account, `${kept.secret}-2`)).status).toBe(302)
    // The success begins another count.
    expect(await guess(ways.account, 20)).toBe(20)
  })

  test('of 40 browsers at the same moment one is compared', async () => {
    const { browse, guess, ways, wait } = await serveGuessed()
    await guess(ways.account, 100)
    wait(601)
    const browsers = Array.from({ length: 40 }, () => browse())
    for (const browser of browsers) await ways.account(browser)
    const replies = await Promise.all(browsers.map((browser) => prove(browser, 'wrong')))
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(1)
  })

  test('the application begins another count by revokeAll; the link of an email and the account page do not', async () => {
    const { auth, browse, getLink, guess, id, owner, tryCode, ways, wait, kept } =
      await serveGuessed()
    await guess(ways.account, 105)
    wait(601)
    expect((await owner.submit('/account', { action: 'endOtherSessions' })).status).toBe(303)
    const token = getLink().searchParams.get('token') ?? ''
    expect((await browse().submit('/end-sessions', { token })).status).toBe(200)
    expect((await tryCode(ways.account, `${kept.secret}-2`)).status).toBe(429)
    wait(601)
    await auth.sessions.revokeAll(id)
    expect((await tryCode(ways.account, `${kept.secret}-2`)).status).toBe(302)
  })

  test('confirmations in a known browser are refused too', async () => {
    const { guess, id, owner, wait, kept } = await serveGuessed()
    const fields = { name: id, password: 'right', confirm: 'true' }
    const confirm: ProveFirst = (browser) => browser.submit('/signin/credentials', fields)
    wait(1)
    await confirm(owner)
    expect((await prove(owner, `${kept.secret}-2`)).status).toBe(302)
    expect(await guess(confirm, 120, owner)).toBe(101)
    wait(601)
    await confirm(owner)
    expect((await prove(owner, `${kept.secret}-3`)).status).toBe(429)
  })
})

test('beside successes, 300 wrong codes are compared in 30 days, and then ten a day (I-52.8)', async () => {
  const { auth, guess, id, owner, tryCode, ways, wait, kept } = await serveGuessed()
  let number = 2
  const succeed = async (): Promise<void> => {
    await owner.submit('/signout')
    await ways.account(owner)
    expect((await prove(owner, `${kept.secret}-${number++}`)).status).toBe(302)
  }
  let compared = 0
  for (let round = 0; round < 4; round++) {
    compared += await guess(ways.account, 90)
    await (round === 2 ? auth.sessions.revokeAll(id) : succeed())
  }
  expect(compared).toBe(310)
  wait(601)
  const [status, seconds] = await getWait(tryCode(ways.account, `${kept.secret}-${number}`))
  expect(status).toBe(429)
  expect(seconds).toBeLessThanOrEqual(DAY)
  expect((await tryCode(ways.password, `${kept.secret}-${number++}`)).status).toBe(302)
  wait(DAY)
  expect(await guess(ways.account, 20)).toBe(10)
  wait(30 * DAY)
  expect(await guess(ways.account, 20)).toBe(20)
})
