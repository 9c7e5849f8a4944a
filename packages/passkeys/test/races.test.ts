import type { Factor, Storage } from '@latchkey/core'
import { secondFactor, totp } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing'
import { passkeyFactor } from '@latchkey/passkeys'
import { describe, expect, test } from 'vitest'
import { hook } from '../../core/test/support/hook.ts'
import { slowStorage } from '../../core/test/support/slow-storage.ts'
import { createDevice } from './support/device.ts'
import type { Device } from './support/device.ts'
import {
  addPasskey,
  alice,
  answer,
  ask,
  defaultUse,
  getEmail,
  getUserId,
  origin,
  servePasskeys,
  signIn,
  signInByEmail,
} from './support/service.ts'
import type { PasskeyService } from './support/service.ts'

/** Removes the passkeys of Alice, as an administrator or another tab does. */
async function removeAll(service: PasskeyService): Promise<void> {
  const userId = await getUserId(service)
  for (const { type, id } of (await service.storage.listFactors?.(userId)) ?? []) {
    await service.storage.deleteFactor?.(userId, type, id)
  }
}

async function createAlice(over: Parameters<typeof servePasskeys>[1]): Promise<{
  readonly service: PasskeyService
  readonly browser: Browser
  readonly device: Device
}> {
  const service = servePasskeys({}, over)
  const browser = await signInByEmail(service)
  const device = await addPasskey(browser)
  expect((await signIn(service.browse(), device)).status).toBe(200)
  return { service, browser, device }
}

describe('a sign-in by a passkey that is removed meanwhile', () => {
  test.each([
    ['before its use is stored', 'updateFactor', 'before', 'CredentialsSignin'],
    ['after its use is stored', 'updateFactor', 'after', 'SessionRequired'],
    ['before the session is stored', 'createSession', 'before', 'SessionRequired'],
    ['after the session is stored', 'createSession', 'after', 'SessionRequired'],
  ] as const)('%s begins no session', async (_, name, when, error) => {
    const { storage, arm } = hook(name, when)
    const { service, device } = await createAlice({ storage })
    const browser = service.browse()
    const { publicKey } = await ask(browser)
    arm(() => removeAll(service))
    const response = await answer(browser, await device.get(publicKey))
    expect([response.status, (await response.json()).error]).toEqual([401, error])
    expect(await getEmail(browser)).toBeUndefined()
    const userId = await getUserId(service)
    expect(await service.auth.sessions.list(userId)).toHaveLength(2)
  })
})

test('a twenty-first passkey that is stored at the same moment is deleted before the answer', async () => {
  const { storage, arm } = hook('createFactor', 'after', slowStorage('deleteFactor').storage)
  const { service, browser } = await createAlice({ storage })
  const userId = await getUserId(service)
  const list = async (): Promise<readonly Factor[]> => (await storage.listFactors?.(userId)) ?? []
  const [first] = await list()
  if (!first) throw new Error('expected a passkey')
  const copy = async (id: number): Promise<unknown> =>
    storage.createFactor?.(userId, { ...first, id: `copy ${id}` })
  for (let id = 2; id < 20; id++) await copy(id)
  const { publicKey } = await ask(browser, { link: 'true' })
  arm(() => copy(20))
  const added = await (await createDevice(origin)).create(publicKey)
  expect((await answer(browser, added)).status).toBe(409)
  expect(await list()).toHaveLength(20)
})

test('of two answers to one challenge at the same moment, one signs in', async () => {
  const { service, device } = await createAlice({})
  const browser = service.browse()
  const { publicKey } = await ask(browser)
  const csrfToken = await browser.csrfToken()
  const credential = JSON.stringify(await device.get(publicKey))
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
  const post = (): Promise<Response> =>
    service
      .browse()
      .post(
        '/callback/passkey',
        { csrfToken, credential },
        { headers: { cookie, accept: 'application/json' } },
      )
  const statuses = (await Promise.all([post(), post(), post()])).map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401, 401])
})

test('20 sign-ins by one passkey at the same moment all succeed, and the counter never goes back', async () => {
  const { service, device } = await createAlice({})
  const attempts = Array.from({ length: 20 }, async (_, index) => {
    const browser = service.browse()
    const { publicKey } = await ask(browser)
    return answer(browser, await device.get(publicKey, { counter: 100 + index }))
  })
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  expect(statuses.every((status) => status === 200)).toBe(true)
  const [factor] = (await service.storage.listFactors?.(await getUserId(service))) ?? []
  const { credential }: { credential: { counter: number } } = JSON.parse(factor?.data ?? '')
  expect(credential.counter).toBe(119)
})

describe('a passkey that is removed on the account page', () => {
  const remove = async (browser: Browser): Promise<Response> => {
    const account = await browser.json('/account', { headers: { accept: 'application/json' } })
    const [{ id = '' } = {}] = account['passkeys'] as readonly { readonly id?: string }[]
    const headers = { accept: 'application/json' }
    return browser.submit('/account', { action: 'removePasskey', id }, { headers })
  }

  test.each([
    ['is gone if another tab removes it at the same moment', 404, 'This does not exist any more.'],
    ['stays if it becomes the last way to sign in', 409, 'This is your only way to sign in.'],
  ])('%s', async (_, status, message) => {
    const { storage, arm } = hook('deleteFactor', 'before')
    const removed: unknown[] = []
    const events = { removeFactor: (event: unknown) => void removed.push(event) }
    const { service, browser, device } = await createAlice({ storage, events })
    const email = { provider: 'email', providerAccountId: alice }
    arm(async () =>
      status === 404
        ? removeAll(service)
        : service.auth.accounts.unlink(await getUserId(service), email),
    )
    const refused = await remove(browser)
    expect(refused.status).toBe(status)
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining(message) })
    expect(removed).toEqual([])
    expect((await signIn(service.browse(), device)).status).toBe(status === 404 ? 401 : 200)
    await addPasskey(browser)
    expect((await remove(browser)).status).toBe(200)
    expect(removed).toHaveLength(1)
  })
})

test('a registration waits until what it has stored in an ended session is deleted', async () => {
  const { storage, arm } = hook('createFactor', 'after', slowStorage('deleteFactor').storage)
  const { service, browser } = await createAlice({ storage })
  const { publicKey } = await ask(browser, { link: 'true' })
  const credential = await (await createDevice(origin)).create(publicKey)
  const userId = await getUserId(service)
  arm(async () => service.auth.sessions.revokeAll(userId))
  expect((await answer(browser, credential)).status).toBe(401)
  expect(await storage.listFactors?.(userId)).toHaveLength(1)
})

test('a registration in a session that has ended stores nothing, also for a moment', async () => {
  const { storage: interrupted, arm } = hook('listFactors', 'after')
  let stored = 0
  const storage: Storage = {
    ...interrupted,
    async createFactor(...given) {
      stored++
      return (await interrupted.createFactor?.(...given)) ?? false
    },
  }
  const { service, browser } = await createAlice({ storage })
  expect(stored).toBe(1)
  const { publicKey } = await ask(browser, { link: 'true' })
  const credential = await (await createDevice(origin)).create(publicKey)
  arm(async () => service.auth.sessions.revokeAll(await getUserId(service)))
  expect((await answer(browser, credential)).status).toBe(401)
  expect(stored).toBe(1)
})

describe('a registration in a session that ends meanwhile', () => {
  test.each([
    ['before the passkey is stored', 'before'],
    ['while the passkey is stored', 'after'],
  ] as const)('%s keeps no passkey', async (_, when) => {
    const { storage, arm } = hook('createFactor', when)
    const { service, browser } = await createAlice({ storage })
    const { publicKey } = await ask(browser, { link: 'true' })
    const device = await createDevice(origin)
    const credential = await device.create(publicKey)
    arm(async () => service.auth.sessions.revokeAll(await getUserId(service)))
    expect((await answer(browser, credential)).status).toBe(401)
    expect((await signIn(service.browse(), device)).status).toBe(401)
    expect(await service.storage.listFactors?.(await getUserId(service))).toHaveLength(1)
  })

  test('of a user who is deleted keeps nothing', async () => {
    const { storage, arm } = hook('createFactor', 'before')
    const { service, browser } = await createAlice({ storage })
    const { publicKey } = await ask(browser, { link: 'true' })
    const device = await createDevice(origin)
    const userId = await getUserId(service)
    const credential = await device.create(publicKey)
    arm(() => service.auth.users.delete(userId))
    expect((await answer(browser, credential)).status).toBe(409)
    expect((await signIn(service.browse(), device)).status).toBe(401)
  })
})

test('one credential that is registered twice at the same moment is stored once', async () => {
  const { service, browser } = await createAlice({})
  const other = await signInByEmail(service)
  const device = await createDevice(origin)
  const credentials = await Promise.all(
    [browser, other].map(async (each) => {
      const { publicKey } = await ask(each, { link: 'true' })
      return device.create(publicKey)
    }),
  )
  const responses = await Promise.all([
    answer(browser, credentials[0] ?? ''),
    answer(other, credentials[1] ?? ''),
  ])
  const statuses = responses.map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409])
})

test('a second step whose passkey is removed meanwhile is refused', async () => {
  const option = secondFactor({ methods: [passkeyFactor(), totp()] })
  const { storage, arm } = hook('updateFactor', 'before')
  const { service, device } = await createAlice({ storage, use: [...defaultUse, option] })
  const begin = async (): Promise<Browser> => {
    const waiting = service.browse()
    await waiting.submit('/signin/email', { email: alice })
    await waiting.visit(await service.mailbox.linkTo(alice))
    return waiting
  }
  const first = await begin()
  const { publicKey } = await ask(first, { second: 'true' })
  expect((await answer(first, await device.get(publicKey))).status).toBe(200)
  const browser = await begin()
  const { publicKey: next } = await ask(browser, { second: 'true' })
  const credential = await device.get(next)
  arm(() => removeAll(service))
  expect((await answer(browser, credential)).status).toBe(401)
  expect(await getEmail(browser)).toBeUndefined()
})

describe('auth.sessions.revokeAll', () => {
  test('ends a sign-in that has proven a passkey, where passkeys are second factors', async () => {
    const option = secondFactor({ methods: [passkeyFactor(), totp()] })
    const { storage, arm } = hook('updateFactor', 'after')
    const { service, device } = await createAlice({ storage, use: [...defaultUse, option] })
    const browser = service.browse()
    const { publicKey } = await ask(browser)
    const credential = await device.get(publicKey)
    arm(async () => {
      await service.clock.advance(1000)
      await service.auth.sessions.revokeAll(await getUserId(service))
    })
    expect((await answer(browser, credential)).status).toBe(401)
    expect(await getEmail(browser)).toBeUndefined()
    expect((await signIn(service.browse(), device)).status).toBe(200)
  })
})

test('a passkey that is taken back ends the session that it has begun meanwhile', async () => {
  const { storage: inner, arm: armCreate } = hook('createFactor', 'before')
  const { storage, arm: armCheck } = hook('getSessionAndUser', 'before', inner)
  const service = servePasskeys({}, { storage })
  const thief = await signInByEmail(service)
  const userId = await getUserId(service)
  const device = await createDevice(origin)
  const { publicKey } = await ask(thief, { link: 'true' })
  const credential = await device.create(publicKey)
  const second = service.browse('192.0.2.66')
  let begun: unknown
  armCreate(async () => {
    await service.auth.sessions.revokeAll(userId)
    armCheck(async () => {
      await signIn(second, device)
      begun = await getEmail(second)
    })
  })
  expect((await answer(thief, credential)).status).toBe(401)
  expect(begun).toBe(alice)
  expect(await getEmail(second)).toBeUndefined()
  expect(await storage.listFactors?.(userId)).toEqual([])
})

describe('a first passkey as a second factor ends no other session', () => {
  const second = secondFactor({ methods: [passkeyFactor(), totp()] })

  test('if its own has ended', async () => {
    for (const isEnded of [false, true]) {
      const { storage, arm } = hook('listFactors', 'before')
      const service = servePasskeys({}, { storage, use: [...defaultUse, second] })
      const thief = await signInByEmail(service)
      const userId = await getUserId(service)
      const [session] = await service.auth.sessions.list(userId)
      const owner = await signInByEmail(service)
      const { publicKey } = await ask(thief, { link: 'true' })
      const credential = await (await createDevice(origin)).create(publicKey)
      if (isEnded) arm(() => service.auth.sessions.revoke(userId, session?.id ?? ''))
      expect((await answer(thief, credential)).status).toBe(isEnded ? 401 : 200)
      expect(await getEmail(owner)).toBe(isEnded ? alice : undefined)
    }
  })

  test('if another user has it', async () => {
    const service = servePasskeys({}, { use: [...defaultUse, second] })
    const [laptop, phone] = [await signInByEmail(service), await signInByEmail(service)]
    const other = await signInByEmail(service, 'bob@example.com')
    const device = await createDevice(origin)
    const register = async (browser: Browser): Promise<number> => {
      const { publicKey } = await ask(browser, { link: 'true' })
      return (await answer(browser, await device.create(publicKey))).status
    }
    expect(await register(other)).toBe(200)
    expect(await register(laptop)).toBe(409)
    expect(await getEmail(phone)).toBe(alice)
  })
})
