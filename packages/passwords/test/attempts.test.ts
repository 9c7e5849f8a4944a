import { expect, test } from 'vitest'
import { listFactors, row, runImport, serviceOptions } from './support/import.ts'
import {
  alice,
  ask,
  choose,
  fastHasher,
  getEmail,
  good,
  other,
  register,
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
