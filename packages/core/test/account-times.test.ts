import type { AccountInfo, Storage, StorageGroup } from '@latchkey/core'
import { getCapabilities } from '@latchkey/core/unstable'
import { memoryStorage } from '@latchkey/core/memory'
import { describe, expect, test } from 'vitest'
import { serveMail, signInByEmail } from './support/mailbox.ts'
import { getUser, passport, serve, signIn, signInWith } from './support/service.ts'
import type { TestService } from './support/service.ts'

const TIME = 1_800_000_000

function serveAt(
  storage: Storage = memoryStorage(),
  strategy: 'storage' | 'cookie' = 'storage',
): Pick<TestService<unknown>, 'auth' | 'browse' | 'wait'> {
  let now = TIME
  const session = strategy === 'cookie' ? { strategy } : {}
  const providers = [passport(), passport({ id: 'licence' })]
  const runtime = { now: () => now * 1000 }
  const { auth, browse } = serve({ storage, session, providers, runtime })
  return { auth, browse, wait: (seconds) => void (now += seconds) }
}

async function list(
  { auth }: Pick<TestService<unknown>, 'auth'>,
  id: string,
): Promise<readonly Pick<AccountInfo, 'createdAt' | 'lastUsedAt'>[]> {
  const accounts = await auth.accounts.list(id)
  return accounts.map(({ createdAt, lastUsedAt }) => ({ createdAt, lastUsedAt }))
}

describe('an account knows when it was linked and last used (I-39)', () => {
  test.for(['storage', 'cookie'] as const)('with sessions of the strategy %s', async (strategy) => {
    const service = serveAt(memoryStorage(), strategy)
    const browser = service.browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    expect(await list(service, id)).toEqual([{ createdAt: TIME, lastUsedAt: TIME }])
    service.wait(10)
    await signIn(service.browse())
    expect(await list(service, id)).toEqual([{ createdAt: TIME, lastUsedAt: TIME + 10 }])
    service.wait(10)
    await signIn(service.browse(), 'another')
    expect(await list(service, id)).toEqual([{ createdAt: TIME, lastUsedAt: TIME + 10 }])
  })

  test('a sign-in by email, which has no tokens, is a use too', async () => {
    for (const strategy of ['storage', 'cookie'] as const) {
      const session = strategy === 'cookie' ? { strategy } : {}
      const service = serveMail({ storage: memoryStorage(), session })
      const browser = service.browse()
      await signInByEmail(service, browser, 'alice@example.com')
      const { id } = await getUser(browser)
      const [first] = await list(service, id)
      service.wait(100)
      await signInByEmail(service, service.browse(), 'alice@example.com')
      const createdAt = first?.createdAt ?? 0
      expect(await list(service, id)).toEqual([{ createdAt, lastUsedAt: createdAt + 100 }])
    }
  })

  test('an account that is linked by hand is not used before its first sign-in', async () => {
    const service = serveAt()
    const browser = service.browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    service.wait(10)
    await signInWith(browser, 'licence', 'alice', { link: 'true' })
    const first = { createdAt: TIME, lastUsedAt: TIME }
    const linked = { createdAt: TIME + 10, lastUsedAt: undefined }
    expect(await list(service, id)).toEqual([first, linked])
    service.wait(10)
    await signInWith(browser, 'licence', 'alice', { link: 'true' })
    expect(await list(service, id)).toEqual([first, linked])
    await signInWith(service.browse(), 'licence', 'alice')
    expect(await list(service, id)).toEqual([first, { ...linked, lastUsedAt: TIME + 20 }])
  })

  test('a read and a renewal of the session are no use', async () => {
    const service = serveAt()
    const browser = service.browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    service.wait(3 * 86_400)
    expect((await getUser(browser)).id).toBe(id)
    expect(await list(service, id)).toEqual([{ createdAt: TIME, lastUsedAt: TIME }])
  })

  test('a sign-in with a stored session takes no further step for it', async () => {
    const storage = memoryStorage()
    const updates: unknown[] = []
    const service = serveAt({
      ...storage,
      updateAccount(provider, id, changes, expected) {
        updates.push(changes)
        return storage.updateAccount(provider, id, changes, expected)
      },
    })
    for (let i = 0; i < 2; i++) await signIn(service.browse())
    expect(updates).toEqual([{ access_token: 'access-token-of-the-person' }])
  })

  test('a storage without accountTimes gets no time beside the tokens', async () => {
    const storage = memoryStorage()
    const isOther = (group: StorageGroup): boolean => group !== 'accountTimes'
    const updates: unknown[] = []
    const without: Storage = {
      ...storage,
      capabilities: getCapabilities(storage).filter(isOther),
      updateAccount(provider, id, changes, expected) {
        updates.push(changes)
        return storage.updateAccount(provider, id, changes, expected)
      },
    }
    const service = serveAt(without, 'cookie')
    for (let i = 0; i < 2; i++) await signIn(service.browse())
    expect(updates).toEqual([{ access_token: 'access-token-of-the-person' }])
  })
})
