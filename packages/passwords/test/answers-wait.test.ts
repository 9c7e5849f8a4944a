import { expect, test } from 'vitest'
import { hook } from '../../core/test/support/hook.ts'
import { slowStorage } from '../../core/test/support/slow-storage.ts'
import { row, runImport, serviceOptions } from './support/import.ts'
import {
  alice,
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

test('an answer waits for the storage when a password is chosen, used, changed and reset', async () => {
  const { storage, watch } = slowStorage()
  const service = servePasswords({}, { storage })
  const late = watch(service.auth)
  const owner = await register(service)
  const browser = service.browse()
  await signIn(browser, 'a wrong password')
  await signIn(browser, good, 'unknown@example.com')
  await signIn(browser, good)
  expect(await getEmail(browser)).toBe(alice)
  await owner.submit('/signin/passwords', { action: 'change', password: 'short' })
  await change(owner, other)
  await signIn(service.browse(), other)
  await reset(service, good)
  expect(await getEmail(browser)).toBeUndefined()
  expect(late).toEqual([])
})

test('an answer waits for the storage when a hash is made anew', async () => {
  const { storage, watch } = slowStorage()
  await register(servePasswords({}, { storage }))
  const service = servePasswords({ hasher: fastHasher(2) }, { storage })
  const late = watch(service.auth)
  const browser = service.browse()
  await signIn(browser, good)
  expect(await getEmail(browser)).toBe(alice)
  expect(late).toEqual([])
})

test.each([undefined, 'createFactor'] as const)(
  'an answer waits for the storage when an imported user proves the mailbox, and an import for its rows: %s',
  async (name) => {
    const { storage, watch } = slowStorage(name)
    const service = servePasswords(serviceOptions, { storage })
    expect((await runImport(service.auth, [{ ...row, emailVerified: false }])).counts).toEqual([
      1, 0, 0,
    ])
    const late = watch(service.auth)
    const browser = service.browse()
    await signIn(browser, good)
    await browser.visit(await service.mailbox.linkTo(alice))
    expect(await getEmail(browser)).toBe(alice)
    await browser.submit('/signout')
    await signIn(browser, good)
    await change(browser, other)
    expect(await getEmail(browser)).toBe(alice)
    expect(late).toEqual([])
  },
)

test('an answer waits for the storage when a reset replaces an imported password', async () => {
  const { storage, watch } = slowStorage('deleteFactor')
  const service = servePasswords(serviceOptions, { storage })
  await runImport(service.auth, [{ ...row, emailVerified: false }])
  await storage.updateUser('alice', { emailVerified: true })
  const late = watch(service.auth)
  const browser = service.browse()
  await reset(service, other, browser)
  expect(await getEmail(browser)).toBe(alice)
  expect(await storage.listFactors?.('alice')).toHaveLength(1)
  expect(late).toEqual([])
})

test('an answer waits for the storage when a first password is not kept', async () => {
  const { storage: slow, watch } = slowStorage('deleteFactor')
  const { storage, arm } = hook('createFactor', 'after', slow)
  const service = servePasswords({}, { storage })
  const browser = service.browse()
  await browser.submit('/signin/email', { email: alice })
  await browser.visit(await service.mailbox.linkTo(alice))
  const { id = '' } = (await slow.getUserByEmail(alice)) ?? {}
  const late = watch(service.auth)
  arm(() => service.auth.sessions.revokeAll(id))
  await change(browser, other)
  expect(await slow.listFactors?.(id)).toEqual([])
  expect(late).toEqual([])
})

test('a session that begins while a password is replaced ends with it', async () => {
  const { storage, arm } = hook('updateFactor', 'before')
  const service = servePasswords({}, { storage })
  await register(service)
  const { id = '' } = (await storage.getUserByEmail(alice)) ?? {}
  const now = Math.floor(service.clock.runtime.now() / 1000)
  const times = { createdAt: now, renewedAt: now, expires: now + 3600, data: '' }
  arm(() => storage.createSession(id, { id: 'of the old password', ...times }))
  await reset(service, other)
  const sessions = await storage.listSessions(id, now)
  expect(sessions.map((session) => session.id)).not.toContain('of the old password')
  expect(sessions).toHaveLength(1)
})

test('an answer waits for the storage when a new password is not kept', async () => {
  const { storage, watch } = slowStorage()
  let allows = true
  const service = servePasswords({}, { storage, callbacks: { signIn: () => allows } })
  const late = watch(service.auth)
  const browser = service.browse()
  await browser.submit('/signin/passwords', { action: 'register', email: alice })
  const link = await service.mailbox.linkTo(alice)
  allows = false
  await choose(browser, link, good)
  expect(await getEmail(browser)).toBeUndefined()
  expect(late).toEqual([])
})

test('an answer waits for the storage when a session ends while its password is stored', async () => {
  const { storage: slow, watch } = slowStorage()
  const { storage, arm } = hook('updateFactor', 'after', slow)
  const service = servePasswords({}, { storage })
  const browser = await register(service)
  const { user } = (await browser.json('/session')) as { readonly user: { readonly id: string } }
  const late = watch(service.auth)
  arm(() => service.auth.sessions.revokeAll(user.id))
  await change(browser, other)
  expect(await getEmail(browser)).toBeUndefined()
  const next = service.browse()
  await signIn(next, good)
  expect(await getEmail(next)).toBe(alice)
  expect(late).toEqual([])
})
