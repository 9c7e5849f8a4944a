import { queued } from '@latchkey/passwords'
import type { QueuedHasher } from '@latchkey/passwords'
import { expect, test } from 'vitest'
import { slowStorage } from '../../core/test/support/slow-storage.ts'
import { listFactors, row, runImport, serviceOptions } from './support/import.ts'
import {
  alice,
  ask,
  change,
  choose,
  fastHasher,
  getEmail,
  good,
  other,
  register,
  reset,
  servePasswords,
  signIn,
} from './support/service.ts'

const limits = {
  credentialsPerName: { times: 2, window: 3600 },
  credentialsPerClient: false,
  mailsPerAddress: false,
  mailsPerClient: false,
} as const

test('an attempt that could not be compared does not count', async () => {
  const before = servePasswords()
  const { storage } = before
  await register(before)
  let isDown = true
  const hasher = fastHasher()
  const service = servePasswords(
    {
      hasher: {
        ...hasher,
        verify: (...args) => (isDown ? Promise.reject(new Error('down')) : hasher.verify(...args)),
      },
    },
    { storage, limits },
  )
  const browser = service.browse()
  for (let i = 0; i < 4; i++) expect((await signIn(browser, good)).status).not.toBe(429)
  isDown = false
  await signIn(browser, good)
  expect(await getEmail(browser)).toBe(alice)
  const thief = service.browse()
  for (const status of [401, 401, 429]) expect((await signIn(thief, other)).status).toBe(status)
})

test('requests for links and posted links are limited for a client (I-32)', async () => {
  const starts = { startsPerClient: { times: 3, window: 60 } }
  const asking = servePasswords({}, { limits: starts }).browse()
  for (const status of [302, 302, 302, 429]) {
    expect((await ask(asking, 'forgot')).status).toBe(status)
  }
  const callbacks = { callbacksPerClient: { times: 3, window: 60 } }
  const posting = servePasswords({}, { limits: callbacks }).browse()
  const link = `https://app.example/api/auth/callback/passwords?token=${'x'.repeat(43)}&email=${alice}`
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await choose(posting, link, good)).status)
  expect(statuses.map((status) => status === 429)).toEqual([false, false, false, true])
})

test('a password posted to the callback signs in, and counts as a sign-in begun (I-43)', async () => {
  const before = servePasswords()
  await register(before)
  const starts = { startsPerClient: { times: 3, window: 60 } }
  const { browse } = servePasswords({}, { storage: before.storage, limits: starts })
  const browser = browse('192.0.2.7')
  const post = (fields: Readonly<Record<string, string>>): Promise<Response> =>
    browser.submit('/callback/passwords', fields)
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await post({ email: alice, password: good })).status)
  expect(statuses).toEqual([302, 302, 302, 429])
  expect(await getEmail(browser)).toBe(alice)
  const link = { token: 'x'.repeat(43), email: alice, password: good }
  const elsewhere = browse('192.0.2.9')
  for (const isLimited of [false, false, false, true]) {
    expect((await elsewhere.submit('/callback/passwords', link)).status === 429).toBe(isLimited)
  }
})

test('the password that the user of a session chooses is hashed before passwords of strangers', async () => {
  const callers: unknown[] = []
  const queue = queued(fastHasher(), { cores: 2 })
  const hasher: QueuedHasher = {
    ...queue,
    run(work, caller) {
      callers.push(caller?.isKnown === true)
      return queue.run(work, caller)
    },
  }
  const service = servePasswords({ hasher })
  const browser = await register(service)
  callers.length = 0
  expect((await change(browser, other)).status).toBe(303)
  expect(callers).toEqual([true])
  await reset(service, good)
  expect(callers.at(-1)).toBe(false)
})

test('an attempt that could not be compared is taken back before the answer, also in a known browser', async () => {
  const { storage, watch } = slowStorage('increment')
  const hasher = fastHasher()
  let isDown = false
  const verify: typeof hasher.verify = (...args) =>
    isDown ? Promise.reject(new Error('down')) : hasher.verify(...args)
  const service = servePasswords({ hasher: { ...hasher, verify } }, { storage })
  const known = await register(service)
  await known.submit('/signout')
  await signIn(known, good)
  await known.submit('/signout')
  const late = watch(service.auth)
  isDown = true
  for (const browser of [known, service.browse()]) {
    expect((await signIn(browser, good)).status).toBe(502)
  }
  isDown = false
  expect((await signIn(known, good)).status).toBe(302)
  expect(late).toEqual([])
})

test('the right password of an imported user is taken back before the answer', async () => {
  const { storage, watch } = slowStorage('increment')
  const service = servePasswords(serviceOptions, { storage })
  await runImport(service.auth, [{ ...row, emailVerified: false }])
  const late = watch(service.auth)
  const response = await signIn(service.browse(), good)
  expect(response.headers.get('location')).toContain('/verify-request')
  expect(late).toEqual([])
})

test('the right password of an imported user does not count before the mailbox is proven', async () => {
  const service = servePasswords(serviceOptions, { limits })
  await runImport(service.auth, [{ ...row, emailVerified: false }])
  for (let i = 0; i < 4; i++) {
    const response = await signIn(service.browse(), good)
    expect(response.headers.get('location')).toContain('/verify-request')
  }
  for (const status of [401, 401, 429]) {
    expect((await signIn(service.browse(), other)).status).toBe(status)
  }
})

test('a password that cannot be hashed again signs in, and its use is noted', async () => {
  const before = servePasswords()
  await register(before)
  const lines: string[] = []
  const decoy = await fastHasher(2).hash(other)
  const hash = (): Promise<never> => Promise.reject(new Error('down'))
  const { storage } = before
  const logger = { error: () => undefined, warn: (message: string) => void lines.push(message) }
  const hasher = { ...fastHasher(2), decoy, hash }
  const service = servePasswords({ hasher }, { storage, logger })
  await service.clock.advance(60_000)
  const browser = service.browse()
  await signIn(browser, good)
  expect(await getEmail(browser)).toBe(alice)
  expect(lines).toContain('a password was not hashed again')
  const session: { readonly user: { readonly id: string } } = await (
    await browser.visit('/session')
  ).json()
  const [factor] = await listFactors(storage, session.user.id)
  expect(factor?.lastUsedAt).toBeGreaterThan(factor?.changedAt ?? Infinity)
})

test('a password that is hashed again is noted as used', async () => {
  const before = servePasswords()
  await register(before)
  const { storage } = before
  const service = servePasswords({ hasher: fastHasher(2) }, { storage })
  await service.clock.advance(60_000)
  await signIn(service.browse(), good)
  const { id = '' } = (await storage.getUserByEmail(alice)) ?? {}
  const [factor] = await listFactors(storage, id)
  expect(factor?.data).toContain('fast2:')
  expect(factor?.lastUsedAt).toBe((factor?.changedAt ?? 0) + 60)
})
