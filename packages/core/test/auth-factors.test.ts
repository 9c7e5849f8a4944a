import { describe, expect, test } from 'vitest'
import type { AuthConfig, Factor } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import type { SecondFactorOptions } from '@latchkey/second-factor'
import { newFactor } from '@latchkey/testing/factors-contract'
import {
  numbers,
  present,
  prove,
  serveOwner,
  serveSecond,
  spare,
} from '../../second-factor/test/support/second-factor.ts'
import type { OwnedService } from '../../second-factor/test/support/second-factor.ts'
import { getUser, signIn } from './support/service.ts'

interface Owned extends OwnedService {
  readonly id: string
  readonly app: Pick<Factor, 'type' | 'id'>
}

/** Serves alice with one app and recovery codes. */
async function serveApp(
  over: Partial<AuthConfig> = {},
  options: Partial<SecondFactorOptions> = {},
): Promise<Owned> {
  const service = await serveOwner(over, options)
  const { id } = await getUser(service.owner)
  const [app] = await service.auth.factors.list(id)
  if (!app) throw new Error('expected a factor')
  return { ...service, id, app }
}

/** Serves the same storage with other options. */
function serveAgain(
  { storage }: Pick<Owned, 'storage'>,
  options: Partial<SecondFactorOptions>,
  over: Partial<AuthConfig> = {},
): ReturnType<typeof serveSecond> {
  return serveSecond({ providers: [present], storage, ...over }, options)
}

describe('auth.factors.remove keeps the last second factor (I-53.4)', () => {
  test('of a user who needs one, and nothing changes', async () => {
    const events: unknown[] = []
    const owned = await serveApp()
    const { id, app, storage } = owned
    const removeFactor = (event: unknown): number => events.push(event)
    const { auth, browse } = serveAgain(
      owned,
      { require: ({ user, methods }) => user.id === id && methods.length === 0 },
      { events: { removeFactor } },
    )
    const before = await storage.listFactors?.(id)
    expect(await auth.factors.remove(id, app)).toBe('last')
    expect(await storage.listFactors?.(id)).toEqual(before)
    expect(events).toEqual([])
    const bob = browse()
    await signIn(bob, 'bob')
    expect(await getUser(bob)).toMatchObject({ name: 'Person bob' })
    const removed = await auth.factors.remove(id, app, { evenIfRequired: true })
    expect([removed, await storage.listFactors?.(id), events.length]).toEqual(['removed', [], 1])
  })

  test('but not one of two, nor recovery codes', async () => {
    const owned = await serveApp()
    const { id, app, storage } = owned
    const { auth } = serveAgain(owned, { require: true })
    const codes = { type: 'spare', id }
    expect(await auth.factors.remove(id, codes)).toBe('removed')
    const second = { ...newFactor(), type: 'numbers' }
    expect(await storage.createFactor?.(id, second)).toBe(true)
    expect(await auth.factors.remove(id, app)).toBe('removed')
    expect(await auth.factors.remove(id, second)).toBe('last')
    await storage.deleteFactor?.(id, 'numbers', second.id)
    await storage.createFactor?.(id, { ...newFactor(), ...codes })
    expect(await auth.factors.remove(id, codes)).toBe('removed')
  })

  test('and waits until the recovery codes are removed too', async () => {
    const memory = memoryStorage()
    const storage: typeof memory = {
      ...memory,
      async deleteFactor(...given) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return (await memory.deleteFactor?.(...given)) ?? 'absent'
      },
    }
    const { auth, id, app } = await serveApp({ storage })
    expect(await storage.listFactors?.(id)).toHaveLength(2)
    expect(await auth.factors.remove(id, app)).toBe('removed')
    expect(await storage.listFactors?.(id)).toEqual([])
  })

  test('and counts one whose method is not configured any more (I-49.5)', async () => {
    const owned = await serveApp()
    const { id, app, storage } = owned
    const other = { ...newFactor(), type: 'sms' }
    expect(await storage.createFactor?.(id, other)).toBe(true)
    const { auth } = serveAgain(owned, { require: true })
    expect(await auth.factors.remove(id, app)).toBe('removed')
    expect(await auth.factors.remove(id, other)).toBe('last')
  })

  test('and removes nothing if require throws', async () => {
    const owned = await serveApp()
    const { id, app, storage } = owned
    const before = await storage.listFactors?.(id)
    const require = (): never => {
      throw new Error('down')
    }
    const { auth } = serveAgain(owned, { require })
    await expect(auth.factors.remove(id, app)).rejects.toMatchObject({ code: 'Callback' })
    expect(await storage.listFactors?.(id)).toEqual(before)
    expect(await owned.auth.factors.remove(id, app)).toBe('removed')
  })

  test('and the last way to sign in, which a provider declares (I-63.7)', async () => {
    const storage = memoryStorage()
    const methods = [{ ...numbers, id: 'badge' }, spare]
    const badges = {
      ...present,
      id: 'badges',
      type: 'custom',
      kind: 'factor',
      factorType: 'badge',
    } as const
    const { auth } = serveAgain({ storage }, { methods }, { providers: [present, badges] })
    const without = serveAgain({ storage }, { methods })
    const [first, second] = [newFactor({ type: 'badge' }), newFactor({ type: 'badge' })]
    const alice = { id: 'alice', name: 'Alice', email: null, emailVerified: false, image: null }
    await storage.createUser(alice, undefined, undefined, undefined, first)
    expect(await storage.createFactor?.('alice', second)).toBe(true)
    expect(await auth.factors.remove('alice', first)).toBe('removed')
    expect(await auth.factors.remove('alice', second)).toBe('last')
    expect(await auth.factors.list('alice')).toMatchObject([{ id: second.id }])
    expect(await without.auth.factors.remove('alice', second)).toBe('removed')
  })
})

describe('auth.factors.rename (I-53.8)', () => {
  test('names a factor, emits nothing, and an unfinished sign-in continues', async () => {
    const events: unknown[] = []
    const note = (event: unknown): number => events.push(event)
    const { auth, browse, kept, id, app } = await serveApp({ events: { removeFactor: note } })
    const browser = browse()
    await signIn(browser)
    const [before] = await auth.factors.list(id)
    expect(await auth.factors.rename(id, app, ' Phone\u00a0')).toBe(true)
    const [named] = await auth.factors.list(id)
    expect(named).toEqual({ ...before, name: 'Phone' })
    expect((await prove(browser, `${kept.secret}-2`)).status).toBe(302)
    expect(events).toEqual([])
    expect(await auth.factors.rename(id, app, null)).toBe(true)
    expect(await auth.factors.list(id)).toMatchObject([{ name: null }, { type: 'spare' }])
    await auth.factors.rename(id, app, 'Watch')
    await auth.factors.remove(id, app)
    const { type, id: appId } = app
    expect(events).toEqual([{ userId: id, factor: { type, id: appId, name: 'Watch' } }])
  })

  test('of a user who lacks the factor is false, also if another user has it', async () => {
    const { auth, browse, id, app } = await serveApp()
    const browser = browse()
    await signIn(browser, 'bob')
    const bob = await getUser(browser)
    expect(await auth.factors.rename(bob.id, app, 'Mine')).toBe(false)
    expect(await auth.factors.rename(id, { ...app, id: 'another' }, 'Mine')).toBe(false)
    expect(await auth.factors.list(id)).toMatchObject([{ name: null }, {}])
    expect(await auth.factors.rename(id, app, 'Mine')).toBe(true)
  })

  test('of a password is false: it has no name', async () => {
    const { auth, storage, id, app } = await serveApp()
    const password = { ...newFactor(), type: 'password', id }
    expect(await storage.createFactor?.(id, password)).toBe(true)
    expect(await auth.factors.rename(id, password, 'Mine')).toBe(false)
    expect(await auth.factors.rename(id, app, 'Mine')).toBe(true)
  })

  test('is repeated if a code is used at the same moment, and loses no use', async () => {
    const memory = memoryStorage()
    let uses = 0
    const storage: typeof memory = {
      ...memory,
      async updateFactor(type, id, version, changes, events) {
        if (changes.name !== undefined && uses-- > 0) {
          await memory.updateFactor?.(type, id, version, { lastUsedAt: 7 })
        }
        return (await memory.updateFactor?.(type, id, version, changes, events)) ?? false
      },
    }
    const { auth, id, app } = await serveApp({ storage })
    uses = 3
    expect(await auth.factors.rename(id, app, 'Phone')).toBe(true)
    expect(await auth.factors.list(id)).toMatchObject([{ name: 'Phone', lastUsedAt: 7 }, {}])
  })

  test('is tried 20 times while codes are used, and fails then', async () => {
    const memory = memoryStorage()
    let uses = 0
    const storage: typeof memory = {
      ...memory,
      async updateFactor(type, id, version, changes, events) {
        if (changes.name !== undefined && uses-- > 0) return false
        return (await memory.updateFactor?.(type, id, version, changes, events)) ?? false
      },
    }
    const { auth, id, app } = await serveApp({ storage })
    uses = 19
    expect(await auth.factors.rename(id, app, 'Phone')).toBe(true)
    uses = 20
    const failed = auth.factors.rename(id, app, 'Watch')
    await expect(failed).rejects.toMatchObject({ code: 'Unavailable' })
    expect(await auth.factors.list(id)).toMatchObject([{ name: 'Phone' }, {}])
  })

  test.each(['x', 'x'.repeat(64), '😀'.repeat(64), `${' '.repeat(99)}x`, '<b>&"\'', 'ם'])(
    'accepts %j',
    async (name) => {
      const { auth, id, app } = await serveApp()
      expect(await auth.factors.rename(id, app, name)).toBe(true)
      expect(await auth.factors.list(id)).toMatchObject([{ name: name.trim() }, {}])
    },
  )

  test.each([
    ['an empty text', ''],
    ['white space', ' \t\n\u3000'],
    ['65 characters', 'x'.repeat(65)],
    ['65 emojis', '😀'.repeat(65)],
    ['a control character', 'a\u0000b'],
    ['a line break', 'a\nb'],
    ['a C1 control character', 'a\u0085b'],
    ['a lone surrogate', 'a\ud800b'],
    ['a number', 1],
    ['undefined', undefined],
    ['a list', ['x']],
  ])('refuses %s', async (_, name) => {
    const { auth, id, app } = await serveApp()
    const before = await auth.factors.list(id)
    const renamed = auth.factors.rename(id, app, name as never)
    await expect(renamed).rejects.toThrow(/^name must be a text of 1 to 64 characters/)
    await expect(renamed).rejects.toBeInstanceOf(TypeError)
    expect(await auth.factors.list(id)).toEqual(before)
  })
})
