import { describe, expect, test } from 'vitest'
import type { Factor, Storage } from '@latchkey/core'
import type { EnrolledMethod } from '@latchkey/second-factor'
import { memoryStorage } from '@latchkey/core/memory'
import { resealFactors } from '@latchkey/second-factor/reseal-factors'
import type { ResealSummary } from '@latchkey/second-factor/reseal-factors'
import { newFactor } from '@latchkey/testing/factors-contract'
import { enrol, numbers, present, prove, serveSecond, spare } from './support/second-factor.ts'
import { getUser, serve, signIn } from '../../core/test/support/service.ts'

const [old, next] = ['the old secret, of at least 32 bytes', 'the new secret, of at least 32 bytes']

/** Serves a storage with some secrets. */
function serveWith(storage: Storage, ...secret: readonly string[]): ReturnType<typeof serveSecond> {
  return serveSecond({ providers: [present], storage, secret }, { rememberFor: 3600 })
}

interface Setup {
  readonly storage: Storage
  readonly both: ReturnType<typeof serveSecond>
  readonly after: ReturnType<typeof serveSecond>
  /** The secrets of the users, by their names. */
  readonly kept: ReadonlyMap<string, string>
  readonly ids: readonly string[]
  readonly list: () => Promise<readonly Factor[]>
}

/** Enrols users under the old secret. */
async function setUp(storage = memoryStorage(), names = ['alice', 'bob']): Promise<Setup> {
  const before = serveWith(storage, old)
  const kept = new Map<string, string>()
  const ids: string[] = []
  for (const name of names) {
    const browser = before.browse()
    await signIn(browser, name)
    kept.set(name, (await enrol(browser)).secret)
    ids.push((await getUser(browser)).id)
  }
  const list = async (): Promise<readonly Factor[]> =>
    (await Promise.all(ids.map(async (id) => storage.listFactors?.(id)))).flatMap(
      (each) => each ?? [],
    )
  const [both, after] = [serveWith(storage, next, old), serveWith(storage, next)]
  return { storage, both, after, kept, ids, list }
}

/** Returns the status of a code of a user. */
async function use({ after, kept }: Setup, name: string, number: number): Promise<number> {
  const browser = after.browse()
  await signIn(browser, name)
  return (await prove(browser, `${kept.get(name)}-${number}`)).status
}

const without = (factors: readonly Factor[]): unknown[] =>
  factors.map((factor) => ({ ...factor, data: '', version: '' }))

describe('resealFactors (I-53.10)', () => {
  test('seals what an old secret has sealed, so that the old secret can be removed', async () => {
    const setup = await setUp()
    const { both, list } = setup
    expect(await use(setup, 'alice', 2)).toBe(503)
    const before = await list()
    const progress: number[] = []
    const onProgress = ({ users }: ResealSummary): number => progress.push(users)
    const done = { users: 2, unreadable: [], isComplete: true }
    expect(await resealFactors(both.auth, { onProgress })).toEqual({
      ...done,
      resealed: 2,
      current: 2,
    })
    expect(progress).toEqual([1, 2])
    expect(without(await list())).toEqual(without(before))
    expect(await resealFactors(both.auth)).toEqual({ ...done, resealed: 0, current: 4 })
    expect([await use(setup, 'alice', 2), await use(setup, 'bob', 2)]).toEqual([302, 302])
  })

  test('changes nothing with dryRun', async () => {
    const { both, list } = await setUp()
    const before = await list()
    expect(await resealFactors(both.auth, { dryRun: true })).toMatchObject({ resealed: 2 })
    expect(await list()).toEqual(before)
    expect(await resealFactors(both.auth)).toMatchObject({ resealed: 2 })
    expect(await list()).not.toEqual(before)
  })

  test('ends no unfinished sign-in, and no remembered browser', async () => {
    const setup = await setUp()
    const { both, kept } = setup
    const [remembered, unfinished] = [both.browse(), both.browse()]
    await signIn(remembered)
    await prove(remembered, `${kept.get('alice')}-2`, { remember: 'true' })
    await signIn(unfinished)
    expect(await resealFactors(both.auth)).toMatchObject({ resealed: 1, current: 3 })
    expect((await prove(unfinished, `${kept.get('alice')}-3`)).status).toBe(302)
    await signIn(remembered)
    expect(await getUser(remembered)).toMatchObject({ name: 'Person alice' })
  })

  test('stores nothing over the use of a code at the same moment', async () => {
    const memory = memoryStorage()
    let uses = 0
    const storage: Storage = {
      ...memory,
      async updateFactor(type, id, version, changes, events) {
        if (changes.lastUsedAt === undefined && uses-- > 0) {
          const browser = setup.both.browse()
          await signIn(browser)
          expect((await prove(browser, `${setup.kept.get('alice')}-7`)).status).toBe(302)
        }
        return (await memory.updateFactor?.(type, id, version, changes, events)) ?? false
      },
    }
    const setup = await setUp(storage, ['alice'])
    uses = 1
    expect(await resealFactors(setup.both.auth)).toMatchObject({ resealed: 0, current: 2 })
    expect(await use(setup, 'alice', 7)).toBe(401)
    expect(await use(setup, 'alice', 8)).toBe(302)
  })

  test('does not refuse a code that is used at the same moment', async () => {
    const memory = memoryStorage()
    let reseals = 0
    const storage: Storage = {
      ...memory,
      async updateFactor(type, id, version, changes, events) {
        if (changes.lastUsedAt !== undefined && reseals-- > 0) {
          expect(await resealFactors(setup.both.auth)).toMatchObject({ resealed: 1 })
        }
        return (await memory.updateFactor?.(type, id, version, changes, events)) ?? false
      },
    }
    const setup = await setUp(storage, ['alice'])
    const browser = setup.both.browse()
    await signIn(browser)
    reseals = 1
    expect((await prove(browser, `${setup.kept.get('alice')}-7`)).status).toBe(302)
    expect(await use(setup, 'alice', 7)).toBe(401)
    expect(await use(setup, 'alice', 8)).toBe(302)
  })

  test('reads a factor again that another process has changed', async () => {
    const memory = memoryStorage()
    let changes = 3
    const storage: Storage = {
      ...memory,
      async updateFactor(type, id, version, given, events) {
        if (given.data !== undefined && changes-- > 0) {
          await memory.updateFactor?.(type, id, version, { name: `name ${changes}` })
        }
        return (await memory.updateFactor?.(type, id, version, given, events)) ?? false
      },
    }
    changes = 0
    const setup = await setUp(storage, ['alice'])
    changes = 3
    expect(await resealFactors(setup.both.auth)).toMatchObject({ resealed: 1 })
    expect(await setup.list()).toMatchObject([{ name: 'name 0' }, {}])
    expect(await use(setup, 'alice', 2)).toBe(302)
  })

  test('names what no secret opens, and factors without a method', async () => {
    const { both, storage, ids } = await setUp()
    const [alice = '', bob = ''] = ids
    const [held] = (await storage.listFactors?.(alice)) ?? []
    if (!held) throw new Error('expected a factor')
    // The sealed key of another user.
    const stolen = { ...newFactor(), type: 'numbers', data: held.data }
    const [broken, foreign] = ['numbers', 'sms'].map((type) => ({ ...newFactor(), type }))
    if (!broken || !foreign) throw new Error('expected two factors')
    for (const factor of [stolen, broken, foreign]) await storage.createFactor?.(bob, factor)
    for (const type of ['password', 'passkey']) {
      await storage.createFactor?.(bob, { ...newFactor(), type })
    }
    const { resealed, unreadable } = await resealFactors(both.auth)
    const expected = [stolen, broken, foreign].map(({ type, id }) => ({ userId: bob, type, id }))
    expect([resealed, unreadable]).toEqual([2, expect.arrayContaining(expected)])
    expect(unreadable).toHaveLength(3)
    const kept = (await storage.listFactors?.(bob)) ?? []
    for (const { id, data } of [stolen, broken, foreign]) {
      expect(kept.find((factor) => factor.id === id)?.data).toBe(data)
    }
  })

  test('names what it cannot open of every user', async () => {
    const { both, storage, ids } = await setUp()
    for (const id of ids.slice(0, 2)) {
      await storage.createFactor?.(id, { ...newFactor(), type: 'sms', id: `sms of ${id}` })
    }
    const { unreadable } = await resealFactors(both.auth)
    expect(unreadable.map(({ userId }) => userId).toSorted()).toEqual(ids.slice(0, 2).toSorted())
  })

  test('can be stopped, and repeated', async () => {
    const { both } = await setUp()
    const controller = new AbortController()
    const options = { signal: controller.signal, onProgress: () => controller.abort() }
    const stopped = await resealFactors(both.auth, options)
    expect(stopped).toMatchObject({ users: 1, resealed: 1, isComplete: false })
    const rest = await resealFactors(both.auth)
    expect(rest).toMatchObject({ users: 2, resealed: 1, current: 3, isComplete: true })
  })

  test('lists every page of users', async () => {
    const { both, storage, ids } = await setUp(memoryStorage(), ['alice'])
    for (let i = 0; i < 250; i++) {
      const user = { id: `user ${i}`, name: null, email: null, emailVerified: false, image: null }
      await storage.createUser(user)
    }
    expect(await resealFactors(both.auth)).toMatchObject({ users: 251, resealed: 1 })
    expect(ids).toHaveLength(1)
  })

  test('takes ids of users, for a storage that does not list them', async () => {
    const { listUsers: _, ...storage } = memoryStorage()
    const { both, ids } = await setUp(storage)
    await expect(resealFactors(both.auth)).rejects.toThrow(/^resealFactors: .*userLists/)
    const [alice = ''] = ids
    const userIds = [alice, 'an unknown user', alice]
    expect(await resealFactors(both.auth, { userIds })).toMatchObject({ resealed: 1, current: 3 })
  })

  test('needs secondFactor() in use, and what createAuth returned', async () => {
    const { auth } = serve({ storage: memoryStorage() })
    await expect(resealFactors(auth)).rejects.toThrow('resealFactors: needs secondFactor() in use')
    await expect(resealFactors({})).rejects.toThrow('resealFactors: needs the object')
    expect(await resealFactors(serveWith(memoryStorage(), next).auth)).toMatchObject({ users: 0 })
  })

  test('changes no factor of a method that seals nothing', async () => {
    const { id, methods, fields, enrolment } = numbers
    const plain: EnrolledMethod = { id, methods, fields, enrolment, verify: async () => undefined }
    const { storage, list } = await setUp()
    const { auth } = serveSecond({ storage, secret: [next, old] }, { methods: [plain, spare] })
    const before = await list()
    expect(await resealFactors(auth)).toMatchObject({ resealed: 0, current: 4, unreadable: [] })
    expect(await list()).toEqual(before)
  })
})
