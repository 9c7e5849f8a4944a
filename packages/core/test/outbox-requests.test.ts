import { accountPages, securityEmails } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import type { OutboxEventName } from '@latchkey/core/outbox'
import { secondFactor } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { breakableStorage } from './support/breakable.ts'
import { Mailbox, submitForm } from './support/mailbox.ts'
import { deliverLater, serveOutbox, takeDelivered } from './support/outbox.ts'
import type { OutboxService } from './support/outbox.ts'
import {
  enrol,
  numbers,
  present,
  prove,
  readSecret,
  spare,
} from '../../second-factor/test/support/second-factor.ts'
import { getUser, mergeUse, signIn, signInWith } from './support/service.ts'

const other = { ...present, id: 'other', name: 'Other', linkByVerifiedEmail: true }

function serveAll(over: Parameters<typeof serveOutbox>[0] = {}): OutboxService {
  return serveOutbox({
    deliver: deliverLater,
    providers: [present, other],
    session: { strategy: 'storage', update: ({ token }) => ({ ...token }) },
    ...over,
    use: mergeUse(
      [accountPages(), confirmation(), secondFactor({ methods: [numbers, spare] })],
      over.use,
    ),
  })
}

async function change(
  browser: Browser,
  action: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<void> {
  const response = await browser.submit('/account', { action, ...fields })
  expect(response.status).toBeLessThan(400)
}

/** What one of two browsers does in which the user has signed in. */
type Act = (browser: Browser, service: OutboxService) => Promise<unknown>

const acts: readonly (readonly [string, Act, readonly OutboxEventName[]])[] = [
  ['signs in', (browser) => signIn(browser), ['signIn']],
  ['signs out', (browser) => browser.submit('/signout'), ['signOut']],
  [
    'updates the session',
    async (browser) => {
      const csrfToken = await browser.csrfToken()
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ csrfToken, data: {} })
      await browser.visit('/session', { method: 'POST', headers, body })
    },
    ['updateSession'],
  ],
  [
    'links an account',
    (browser) => signInWith(browser, 'other', 'alice'),
    ['linkAccount', 'signIn'],
  ],
  ['changes the name', (browser) => change(browser, 'changeName', { name: 'Al' }), ['updateUser']],
  [
    'ends another session',
    async (browser, { auth }) => {
      const { id } = await getUser(browser)
      const current = await browser.json('/account', { headers: { accept: 'application/json' } })
      const sessions = current['sessions'] as { id: string; isCurrent: boolean }[]
      const ended = sessions.find(({ isCurrent }) => !isCurrent)
      await change(browser, 'endSession', { id: ended?.id ?? '' })
      expect(await auth.sessions.list(id)).toHaveLength(1)
    },
    ['revokeSession'],
  ],
  ['ends all other sessions', (browser) => change(browser, 'endOtherSessions'), ['revokeSession']],
  ['enrols a first second factor', (browser) => enrol(browser), ['enrolFactor', 'revokeSession']],
  [
    'deletes the account',
    (browser) => change(browser, 'deleteAccount', { sure: 'true' }),
    ['deleteUser', 'signOut'],
  ],
]

describe('a request delivers the events that it has stored (I-60.6)', () => {
  test.each(acts)('a browser that %s', async (_, act, types) => {
    const service = serveAll()
    const [browser, second] = [service.browseAt(), service.browseAt()]
    await signIn(browser)
    await signIn(second)
    expect(await takeDelivered(service)).toEqual(['createUser', 'linkAccount', 'signIn', 'signIn'])
    await act(browser, service)
    expect(await takeDelivered(service)).toEqual(types.toSorted())
  })

  test('a browser that unlinks an account', async () => {
    const service = serveAll()
    const browser = service.browseAt()
    await signIn(browser)
    await signInWith(browser, 'other', 'alice')
    await takeDelivered(service)
    await change(browser, 'unlink', { provider: 'other', id: 'alice' })
    expect(await takeDelivered(service)).toEqual(['unlinkAccount'])
  })

  test('a browser that enrols a second factor beside another, and removes it', async () => {
    const service = serveAll()
    const browser = service.browseAt()
    await signIn(browser)
    const { secret } = await enrol(browser)
    await signIn(browser, 'alice', { confirm: 'true' })
    expect((await prove(browser, `${secret}-2`)).status).toBe(302)
    await takeDelivered(service)
    await enrol(browser)
    expect(await takeDelivered(service)).toEqual(['enrolFactor'])
    const { id: userId } = await getUser(browser)
    const [factor] = await service.auth.factors.list(userId)
    await change(browser, 'removeFactor', { type: 'numbers', id: factor?.id ?? '' })
    expect(await takeDelivered(service)).toEqual(['removeFactor'])
  })

  test('a browser that enrols a second factor at a sign-in', async () => {
    const methods = [numbers, spare]
    const service = serveAll({ use: [secondFactor({ methods, require: true })] })
    const browser = service.browseAt()
    await signIn(browser)
    expect(await takeDelivered(service)).toEqual([])
    await prove(browser, `${await readSecret(browser)}-1`)
    const types = ['createUser', 'enrolFactor', 'linkAccount', 'signIn']
    expect(await takeDelivered(service)).toEqual(types)
  })

  test('a browser that ends all sessions by the link of a security email', async () => {
    const mailbox = new Mailbox()
    const from = 'Example <security@app.example>'
    const service = serveAll({ use: [securityEmails({ mailer: mailbox, from })] })
    await signIn(service.browseAt())
    await signIn(service.browseAt())
    await takeDelivered(service)
    const browser = service.browseAt()
    const page = await (await browser.visit(mailbox.getLink().href)).text()
    expect((await submitForm(browser, page)).status).toBe(200)
    expect(await takeDelivered(service)).toEqual(['revokeSession'])
  })

  test('a request that fails after it has stored one', async () => {
    const { storage, fail } = breakableStorage()
    const service = serveAll({ storage })
    await signIn(service.browseAt())
    await takeDelivered(service)
    fail(['createSession'])
    await signInWith(service.browseAt(), 'other', 'alice')
    fail([])
    expect(await takeDelivered(service)).toEqual(['linkAccount'])
  })
})

test('a request that stores no event takes none', async () => {
  const taken: string[] = []
  const storage = memoryStorage()
  const takeEvents: typeof storage.takeEvents = async (...args) => {
    taken.push('takeEvents')
    return storage.takeEvents(...args)
  }
  const service = serveAll({ storage: { ...storage, takeEvents }, names: ['signIn', 'signOut'] })
  const browser = service.browseAt()
  await signIn(browser)
  await service.settle()
  expect(taken.splice(0)).toEqual(['takeEvents'])
  await browser.visit('/session')
  await browser.visit('/account')
  await change(browser, 'changeName', { name: 'Al' })
  await browser.submit('/signin/passport')
  await service.settle()
  expect(taken).toEqual([])
  await browser.submit('/signout')
  await service.settle()
  expect(taken).toEqual(['takeEvents'])
})

test('an event of a request on the account page has the IP address', async () => {
  const service = serveAll({ deliver: () => undefined })
  const browser = service.browseAt()
  await signIn(browser)
  await signInWith(browser, 'other', 'alice')
  await service.settle()
  const { id: userId } = await getUser(browser)
  await change(browser, 'unlink', { provider: 'other', id: 'alice' })
  await change(browser, 'endOtherSessions')
  await service.auth.sessions.revokeAll(userId)
  const ips = (await service.flush()).map(({ type, data }) => [type, 'ip' in data && data.ip])
  expect(ips).toEqual([
    ['unlinkAccount', '192.0.2.1'],
    ['revokeSession', '192.0.2.1'],
    ['revokeSession', false],
  ])
})
