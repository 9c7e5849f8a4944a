import type { Factor, NewFactor, StorageGroup, Factors, Storage } from '@latchkey/core'
import {
  CONCURRENCY,
  contract,
  createUser,
  getByAccount,
  newKey,
  newPerson,
  newSession,
  newUuid,
  now,
  runConcurrently,
  runConcurrentlyOn,
  unlink,
} from './contract-case.ts'
import type { StorageCase } from './contract-case.ts'
import { equal } from './equal.ts'

type FactorStorage = Storage & Factors

/** Bytes of a factor's data. */
const MAX_DATA = 8192
/** A text that is only kept if nothing is escaped, quoted or converted. */
const STRANGE = `Zoë ‏שרה 😀 '";-- #?`

/** The cases of the capability `factors`. The storage may hold factors of other cases. */
export const factorCases: readonly StorageCase[] = [
  factorCase('createFactor stores a factor, and every getter returns it', [], async (storage) => {
    const user = await createUser(storage, newPerson().user)
    const factor = newFactor({ name: STRANGE, data: JSON.stringify({ text: STRANGE }) })
    equal(await storage.createFactor(user.id, factor), true, 'createFactor')
    const found = await storage.getFactorAndUser(factor.type, factor.id)
    const version = found?.factor.version
    equal(typeof version === 'string' && version !== '', true, 'the version is a text')
    equal(found, { factor: { ...factor, userId: user.id, version }, user }, 'getFactorAndUser')
    equal(await storage.listFactors(user.id), [found?.factor], 'listFactors')
  }),
  factorCase('unknown factors are absent', [], async (storage) => {
    const { id } = await createUser(storage, newPerson().user)
    const factor = newFactor()
    equal(await storage.getFactorAndUser(factor.type, factor.id), undefined, 'getFactorAndUser')
    equal(await storage.listFactors(id), [], 'listFactors')
    equal(await storage.listFactors(newUuid()), [], 'listFactors of an unknown user')
    equal(await update(storage, factor, newUuid()), false, 'updateFactor')
    equal(await remove(storage, id, factor), 'absent', 'deleteFactor')
    equal(await remove(storage, newUuid(), factor), 'absent', 'deleteFactor of an unknown user')
  }),
  factorCase('createFactor for an unknown user stores nothing', [], async (storage) => {
    const factor = newFactor()
    const userId = newUuid()
    equal(await storage.createFactor(userId, factor), false, 'createFactor')
    equal(await storage.getFactorAndUser(factor.type, factor.id), undefined, 'getFactorAndUser')
    equal(await storage.listFactors(userId), [], 'listFactors')
  }),
  factorCase(
    'createFactor with the type and id of a factor changes nothing',
    [],
    async (storage) => {
      const [one, two] = [
        await createUser(storage, newPerson().user),
        await createUser(storage, newPerson().user),
      ]
      const factor = newFactor()
      await storage.createFactor(one.id, factor)
      const stored = await get(storage, factor)
      for (const { id } of [one, two]) {
        const again = { ...factor, data: '{"again":true}' }
        equal(await storage.createFactor(id, again), false, 'createFactor')
      }
      equal(await get(storage, factor), stored, 'the factor')
      equal(await storage.listFactors(two.id), [], 'the factors of the other user')
      const otherType = { ...factor, type: 'totp' }
      equal(await storage.createFactor(two.id, otherType), true, 'the same id of another type')
      equal((await get(storage, otherType))?.userId, two.id, 'the factor of the other type')
      equal(await get(storage, factor), stored, 'the factor, at last')
    },
  ),
  factorCase('types and ids of factors are compared exactly', [], async (storage) => {
    const { id: userId } = await createUser(storage, newPerson().user)
    const factor = newFactor({ type: 'Clé', id: `Zoë ${newKey()}` })
    await storage.createFactor(userId, factor)
    const version = (await get(storage, factor))?.version ?? ''
    const near = [
      ...toNear(factor.id).map((id) => ({ ...factor, id })),
      ...toNear(factor.type).map((type) => ({ ...factor, type })),
    ]
    for (const other of near) {
      const what = JSON.stringify([other.type, other.id])
      equal(await get(storage, other), undefined, what)
      equal(await update(storage, other, version), false, what)
      equal(await remove(storage, userId, other), 'absent', what)
    }
    equal((await get(storage, factor))?.version, version, 'the factor')
  }),
  factorCase('the longest texts of a factor are kept', [], async (storage) => {
    const { id } = await createUser(storage, newPerson().user)
    const texts = ['😀', 'é', 'x', `'`, '\\', '\0', '\ud800']
    for (const text of texts) {
      const factor = newFactor({
        type: '😀'.repeat(64),
        id: `${newKey()}${'😀'.repeat(212)}`,
        name: '😀'.repeat(64),
        // JSON has escapes for NUL and lone surrogates, which databases do not keep.
        data: toLongestJson(text),
      })
      equal(await storage.createFactor(id, factor), true, 'createFactor')
      const stored = await get(storage, factor)
      equal(stored, { ...factor, userId: id, version: stored?.version }, 'the factor')
      const data = toLongestJson(`${text}x`)
      equal(await update(storage, factor, stored?.version, { data }), true, 'updateFactor')
      equal((await get(storage, factor))?.data, data, 'the changed factor')
    }
  }),
  factorCase('listFactors returns the factors of a user, oldest first', [], async (storage) => {
    const [{ id }, other] = [
      await createUser(storage, newPerson().user),
      await createUser(storage, newPerson().user),
    ]
    const at = now()
    const [first, second, third] = [
      newFactor({ type: 'totp', createdAt: at - 60 }),
      newFactor({ type: 'passkey', createdAt: at - 30 }),
      newFactor({ type: 'password', createdAt: at, id }),
    ]
    for (const factor of [second, third, first]) await storage.createFactor(id, factor)
    await storage.createFactor(other.id, newFactor())
    const expected = [first, second, third].map(({ type }) => type)
    const listed = await storage.listFactors(id)
    equal(
      listed.map(({ type }) => type),
      expected,
      'the types',
    )
    equal(listed[2], await get(storage, third), 'a whole record')
    await update(storage, second, listed[1]?.version)
    const later = await storage.listFactors(id)
    equal(
      later.map(({ type }) => type),
      expected,
      'after a change',
    )
  }),

  factorCase('createUser creates a factor in the same step', ['sessions'], async (storage) => {
    const { user, account } = newPerson()
    const session = newSession()
    const factor = newFactor({ type: 'password', id: user.id })
    const stored = await createUser(storage, user, account, session, undefined, factor)
    equal(stored, user, 'createUser')
    const found = await storage.getFactorAndUser(factor.type, factor.id)
    equal(found?.user, stored, 'the user')
    equal(found?.factor, { ...factor, userId: user.id, version: found?.factor.version }, 'factor')
    equal(await getByAccount(storage, account), stored, 'the account')
    equal((await storage.getSessionAndUser(session.id, now()))?.user, stored, 'the session')
    const only = newPerson()
    const passkey = newFactor()
    await createUser(storage, only.user, undefined, undefined, undefined, passkey)
    equal((await get(storage, passkey))?.userId, only.user.id, 'without an account')
  }),
  factorCase(
    'createUser creates several factors in the same step',
    ['sessions'],
    async (storage) => {
      const { user } = newPerson()
      const session = newSession()
      const factors = [newFactor({ type: 'password', id: user.id }), newFactor({ type: 'totp' })]
      await createUser(storage, user, undefined, session, undefined, ...factors)
      const types = (await storage.listFactors(user.id)).map(({ type }) => type)
      equal(types.toSorted(), ['password', 'totp'], 'listFactors')
      equal((await storage.getSessionAndUser(session.id, now()))?.user.id, user.id, 'the session')
      const other = newPerson()
      const taken = [newFactor(), newFactor({ type: 'totp', id: factors[1]?.id ?? '' })]
      const created = await storage.createUser(
        other.user,
        other.account,
        undefined,
        undefined,
        ...taken,
      )
      equal(created, undefined, 'createUser with the second factor of another user')
      equal(await storage.getUser(other.user.id), undefined, 'the refused user')
      equal(await storage.listFactors(other.user.id), [], 'the factors of the refused user')
    },
  ),
  factorCase(
    'createUser with the factor of another user stores nothing',
    ['sessions'],
    async (storage) => {
      const factor = newFactor()
      const owner = newPerson().user
      await createUser(storage, owner, undefined, undefined, undefined, factor)
      const stored = await get(storage, factor)
      const { user, account } = newPerson()
      const session = newSession()
      const created = await storage.createUser(user, account, session, undefined, factor)
      equal(created, undefined, 'createUser')
      equal(await storage.getUser(user.id), undefined, 'the user')
      equal(await storage.getUserByEmail(user.email ?? ''), undefined, 'the email address')
      equal(await getByAccount(storage, account), undefined, 'the account')
      equal(await storage.getSessionAndUser(session.id, now()), undefined, 'the session')
      equal(await get(storage, factor), stored, 'the factor')
      equal((await createUser(storage, user, account)).id, user.id, 'createUser without the factor')
    },
  ),
  factorCase('createUser that is refused stores no factor', [], async (storage) => {
    const first = newPerson()
    await createUser(storage, first.user, first.account)
    const second = newPerson()
    const refused = [
      [{ ...second.user, email: first.user.email }, second.account],
      [second.user, first.account],
    ] as const
    for (const [user, account] of refused) {
      const factor = newFactor()
      const created = await storage.createUser(user, account, undefined, undefined, factor)
      equal(created, undefined, 'createUser')
      equal(await get(storage, factor), undefined, 'the factor')
      equal(await storage.listFactors(user.id), [], 'listFactors')
    }
  }),
  factorCase(
    `one of ${CONCURRENCY} concurrent createUser and createFactor gets the factor`,
    [],
    async (storage) => {
      const { id } = await createUser(storage, newPerson().user)
      const factor = newFactor()
      const users = Array.from({ length: CONCURRENCY }, () => newPerson().user)
      const results = await runConcurrently(async (i): Promise<unknown> => {
        const user = users[i]
        return i % 2 === 0 && user
          ? storage.createUser(user, undefined, undefined, undefined, factor)
          : storage.createFactor(id, factor)
      })
      equal(results.filter(Boolean).length, 1, 'winners')
      const stored = await Promise.all(users.map((user) => storage.getUser(user.id)))
      const owner = stored.find((user) => user !== undefined)?.id ?? id
      equal((await get(storage, factor))?.userId, owner, 'the owner')
      equal(stored.filter(Boolean).length, owner === id ? 0 : 1, 'stored users')
    },
  ),

  factorCase('updateFactor changes the given members and the version', [], async (storage) => {
    const { id: userId } = await createUser(storage, newPerson().user)
    const factor = newFactor()
    await storage.createFactor(userId, factor)
    const changes = [
      { lastUsedAt: now() + 5 },
      { name: 'Renamed' },
      { data: '{"changed":true}', changedAt: now() + 9 },
      { name: null, lastUsedAt: null },
      {},
    ]
    let before = await get(storage, factor)
    const versions = new Set([before?.version])
    for (const change of changes) {
      equal(await update(storage, factor, before?.version, change), true, 'updateFactor')
      const after = await get(storage, factor)
      equal(after, { ...before, ...change, version: after?.version }, 'the factor')
      versions.add(after?.version)
      before = after
    }
    equal(versions.size, changes.length + 1, 'the number of versions')
  }),
  factorCase('updateFactor with another version changes nothing', [], async (storage) => {
    const { id: userId } = await createUser(storage, newPerson().user)
    const factor = newFactor()
    await storage.createFactor(userId, factor)
    const first = (await get(storage, factor))?.version
    await update(storage, factor, first, { name: 'Second' })
    const second = await get(storage, factor)
    for (const version of [first, newUuid(), '', second?.version.toUpperCase().concat(' ')]) {
      equal(await update(storage, factor, version), false, `the version ${version}`)
    }
    equal(await get(storage, factor), second, 'the factor')
    // Of a factor that was deleted, no version belongs to a later one.
    await storage.createFactor(userId, newFactor())
    equal(await remove(storage, userId, factor), 'deleted', 'deleteFactor')
    equal(await update(storage, factor, second?.version), false, 'of a deleted factor')
    await storage.createFactor(userId, factor)
    for (const version of [first, second?.version]) {
      equal(await update(storage, factor, version), false, 'of an earlier factor')
    }
  }),
  factorCase(
    `one of ${CONCURRENCY} concurrent updateFactor wins each version`,
    [],
    async (storage) => {
      const { id: userId } = await createUser(storage, newPerson().user)
      const factor = newFactor()
      await storage.createFactor(userId, factor)
      const seen = new Set<string | undefined>()
      for (let round = 0; round < 3; round++) {
        const version = (await get(storage, factor))?.version
        seen.add(version)
        const results = await runConcurrently((i) =>
          update(storage, factor, version, { data: `{"writer":"${round} ${i}"}` }),
        )
        equal(results.filter(Boolean).length, 1, 'winners')
        const data = `{"writer":"${round} ${results.indexOf(true)}"}`
        equal((await get(storage, factor))?.data, data, 'the data of the winner')
      }
      equal(seen.size, 3, 'the versions')
    },
  ),

  factorCase('deleteFactor deletes a factor of the user', [], async (storage) => {
    const { user, account } = newPerson()
    const { id } = await createUser(storage, user, account)
    const other = await createUser(storage, newPerson().user, newPerson().account)
    const [factor, kept, theirs] = [newFactor(), newFactor(), newFactor()]
    for (const each of [factor, kept]) await storage.createFactor(id, each)
    await storage.createFactor(other.id, theirs)
    equal(await remove(storage, other.id, factor), 'absent', 'of another user')
    equal((await get(storage, factor))?.userId, id, 'the factor')
    equal(await remove(storage, id, factor), 'deleted', 'of the user')
    equal(await get(storage, factor), undefined, 'the deleted factor')
    equal(await remove(storage, id, factor), 'absent', 'a second time')
    equal((await storage.listFactors(id)).length, 1, 'the other factor')
    equal((await get(storage, theirs))?.userId, other.id, 'the factor of the other user')
    equal(await storage.createFactor(other.id, factor), true, 'the same id again')
  }),
  factorCase('deleteFactor keeps the last way to sign in', [], async (storage) => {
    for (const type of ['password', 'passkey']) {
      const { id } = await createUser(storage, newPerson().user)
      const [first, second] = [newFactor({ type }), newFactor({ type: 'passkey' })]
      // No ways to sign in.
      for (const further of ['totp', 'recovery', 'another']) {
        await storage.createFactor(id, newFactor({ type: further }))
      }
      await storage.createFactor(id, first)
      equal(await remove(storage, id, first), 'last', 'the only way')
      equal((await get(storage, first))?.userId, id, 'the factor')
      await storage.createFactor(id, second)
      equal(await remove(storage, id, first), 'deleted', 'one of two')
      equal(await remove(storage, id, second), 'last', 'the remaining one')
      const { account } = newPerson()
      await storage.linkAccount(id, account)
      equal(await remove(storage, id, second), 'deleted', 'beside an account')
      equal((await storage.listFactors(id)).length, 3, 'the other factors')
    }
  }),
  factorCase('deleteFactor deletes every factor of another type', [], async (storage) => {
    const { id } = await createUser(storage, newPerson().user)
    for (const type of ['totp', 'recovery', 'another', 'Passkey']) {
      const factor = newFactor({ type })
      await storage.createFactor(id, factor)
      equal(await remove(storage, id, factor), 'deleted', type)
    }
  }),
  factorCase(
    'unlinkAccount counts the factors that are ways to sign in',
    ['accountLists'],
    async (storage) => {
      for (const type of ['password', 'passkey']) {
        const { user, account } = newPerson()
        const { id } = await createUser(storage, user, account)
        const other = await createUser(storage, newPerson().user)
        await storage.createFactor(other.id, newFactor({ type }))
        for (const further of ['totp', 'recovery', 'another']) {
          await storage.createFactor(id, newFactor({ type: further }))
        }
        equal(await unlink(storage, id, account), false, 'without a password and a passkey')
        const factor = newFactor({ type })
        await storage.createFactor(id, factor)
        equal(await unlink(storage, id, account), true, `with a ${type}`)
        equal(await getByAccount(storage, account), undefined, 'the account')
        equal(await remove(storage, id, factor), 'last', 'the factor')
      }
    },
  ),
  factorCase(
    'linkAccount with null requires a user without a factor to sign in with',
    ['accountLists'],
    async (storage) => {
      for (const type of ['password', 'passkey']) {
        const { user, account } = newPerson({ email: null, emailVerified: false })
        const { id } = await createUser(storage, user)
        const factor = newFactor({ type })
        await storage.createFactor(id, newFactor({ type: 'totp' }))
        const withFactor = newPerson({ email: null, emailVerified: false }).user
        await createUser(storage, withFactor, undefined, undefined, undefined, factor)
        equal(await storage.linkAccount(withFactor.id, account, null), false, type)
        equal(await getByAccount(storage, account), undefined, 'the account')
        equal(await storage.linkAccount(id, account, null), true, 'only an authenticator app')
        const further = newPerson().account
        equal(await storage.linkAccount(withFactor.id, further), true, 'without null')
      }
    },
  ),
  ...[undefined, ['badge', '"key"']].map((signsInBy) =>
    factorCase(
      `after ${CONCURRENCY} concurrent unlinkAccount and deleteFactor one way to sign in remains: ${
        signsInBy ? 'listed types' : 'without a list'
      }`,
      ['accountLists'],
      async (storage) => {
        const { user, account } = newPerson()
        const { id } = await createUser(storage, user, account)
        const accounts = [account, newPerson().account]
        await storage.linkAccount(id, accounts[1] ?? account)
        const [first = 'password', second = 'passkey'] = signsInBy ?? []
        const factors = await addFactors(storage, id, [first, second, second])
        await addFactors(storage, id, ['totp'])
        const calls = [
          ...accounts.map((each) => () => unlink(storage, id, each, signsInBy)),
          ...factors.map((each) => async () => {
            return (await remove(storage, id, each, signsInBy)) === 'deleted'
          }),
        ]
        const attempts = Array.from({ length: CONCURRENCY }, (_, i) => calls[i % calls.length])
        const results = await runConcurrentlyOn(attempts, async (call) => call?.())
        equal(results.filter(Boolean).length, calls.length - 1, 'removed ways')
        const left = (await storage.listFactors(id)).filter(({ type }) => type !== 'totp')
        equal((await storage.listAccounts(id)).length + left.length, 1, 'remaining ways')
      },
    ),
  ),

  factorCase(
    'deleteFactor keeps the last way to sign in of the listed types',
    ['accountLists'],
    async (storage) => {
      const signsInBy = ['badge', '"key"']
      for (const type of signsInBy) {
        const { id } = await createUser(storage, newPerson().user)
        const others = await addFactors(storage, id, ['password', 'totp', 'Badge', 'badg', 'key'])
        const [first = newFactor(), second = newFactor()] = await addFactors(storage, id, [
          type,
          'badge',
        ])
        equal(await remove(storage, id, first, signsInBy), 'deleted', 'one of two')
        equal(await remove(storage, id, second, signsInBy), 'last', 'the remaining one')
        equal((await get(storage, second))?.userId, id, 'the factor')
        const { account } = newPerson()
        await storage.linkAccount(id, account)
        equal(await remove(storage, id, second, signsInBy), 'deleted', 'beside an account')
        for (const other of others)
          equal(await remove(storage, id, other, signsInBy), 'deleted', other.type)
      }
    },
  ),
  factorCase('deleteFactor deletes every factor if no type is listed', [], async (storage) => {
    const { id } = await createUser(storage, newPerson().user)
    const [first = newFactor(), second = newFactor()] = await addFactors(storage, id, [
      'passkey',
      'passkey',
    ])
    equal(await remove(storage, id, first, ['passkey']), 'deleted', 'one of two')
    equal(await remove(storage, id, second, ['passkey']), 'last', 'the remaining one')
    equal(await remove(storage, id, second, []), 'deleted', 'without a type')
  }),
  factorCase(
    'unlinkAccount counts the factors of the listed types',
    ['accountLists'],
    async (storage) => {
      const signsInBy = ['badge', '"key"']
      const others = ['password', 'passkey', 'totp', 'Badge', 'badg', 'key']
      for (const type of [...signsInBy, 'another']) {
        const { user, account } = newPerson()
        const { id } = await createUser(storage, user, account)
        await addFactors(storage, id, [...others, type])
        const isListed = signsInBy.includes(type)
        equal(await unlink(storage, id, account, []), false, 'without a type')
        equal(await unlink(storage, id, account, signsInBy), isListed, `with a ${type}`)
        const owner = isListed ? undefined : id
        equal((await getByAccount(storage, account))?.id, owner, 'the account')
      }
    },
  ),
  factorCase(
    'linkAccount with null counts every factor except backups',
    ['accountLists'],
    async (storage) => {
      const link = async (
        types: readonly string[],
        backups: readonly string[],
      ): Promise<boolean> => {
        const { user, account } = newPerson({ email: null, emailVerified: false })
        const { id } = await createUser(storage, user)
        await addFactors(storage, id, types)
        const isLinked = await storage.linkAccount(id, account, null, undefined, backups)
        equal((await getByAccount(storage, account))?.id, isLinked ? id : undefined, 'the account')
        return isLinked
      }
      const backups = ['codes', '"key"']
      equal(await link([], backups), true, 'no factor')
      equal(await link(backups, backups), true, 'only backups')
      equal(await link([], []), true, 'no factor, without backups')
      for (const type of ['badge', 'totp', 'passkey', 'Codes', 'code', 'key'])
        equal(await link([...backups, type], backups), false, type)
      equal(await link(['codes'], []), false, 'without backups')
    },
  ),

  factorCase('deleteUser deletes the user’s factors too', [], async (storage) => {
    const { user, account } = newPerson()
    const other = await createUser(storage, newPerson().user)
    const factors = ['password', 'passkey', 'totp'].map((type) => newFactor({ type }))
    const theirs = newFactor()
    await createUser(storage, user, account)
    for (const factor of factors) await storage.createFactor(user.id, factor)
    await storage.createFactor(other.id, theirs)
    await storage.deleteUser(user.id)
    for (const factor of factors) equal(await get(storage, factor), undefined, factor.type)
    equal(await storage.listFactors(user.id), [], 'listFactors')
    equal((await get(storage, theirs))?.userId, other.id, 'the factor of another user')
    const first = factors.slice(0, 1)
    const again = await storage.createUser(user, account, undefined, undefined, ...first)
    equal(again?.id, user.id, 'createUser with the same factor')
    equal((await storage.listFactors(user.id)).length, 1, 'the factors of the new user')
  }),
  factorCase(
    'no factor remains of a user who is deleted while factors are created',
    [],
    async (storage) => {
      const { id } = await createUser(storage, newPerson().user)
      const factors = Array.from({ length: 20 }, () => newFactor())
      const create = async (factor: NewFactor): Promise<unknown> => storage.createFactor(id, factor)
      const half = factors.length / 2
      await Promise.all([
        ...factors.slice(0, half).map(create),
        storage.deleteUser(id),
        ...factors.slice(half).map(create),
      ])
      for (const factor of factors) equal(await get(storage, factor), undefined, 'a factor')
      equal(await storage.listFactors(id), [], 'listFactors')
    },
  ),
]

function factorCase(
  name: string,
  needs: readonly StorageGroup[],
  run: (storage: FactorStorage) => Promise<void>,
): StorageCase {
  return contract(name, ['factors', ...needs], (storage) => run(requireFactors(storage)))
}

/** Returns the storage with the methods of the capability `factors`. */
export function requireFactors(storage: Storage): FactorStorage {
  if (hasFactors(storage)) return storage
  throw new Error('expected the methods of the capability factors, found not all of them')
}

function hasFactors(storage: Storage): storage is FactorStorage {
  const { createFactor, getFactorAndUser, listFactors, updateFactor, deleteFactor } = storage
  const methods = [createFactor, getFactorAndUser, listFactors, updateFactor, deleteFactor]
  return methods.every((method) => method !== undefined)
}

/** Returns a new passkey with an unused id. */
export function newFactor(over: Partial<NewFactor> = {}): NewFactor {
  const at = now()
  return {
    type: 'passkey',
    id: newKey(),
    name: 'Phone',
    data: '{"counter":0}',
    changedAt: at - 20,
    createdAt: at - 20,
    lastUsedAt: at,
    ...over,
  }
}

/** Returns texts that some collations compare as equal to a text. */
function toNear(text: string): readonly string[] {
  const decomposed = text.normalize('NFD')
  return [text.toLowerCase(), text.toUpperCase(), decomposed, `${text} `, ` ${text}`]
}

async function get(storage: FactorStorage, { type, id }: NewFactor): Promise<Factor | undefined> {
  return (await storage.getFactorAndUser(type, id))?.factor
}

async function update(
  storage: FactorStorage,
  { type, id }: NewFactor,
  version = '',
  changes: Parameters<Factors['updateFactor']>[3] = { name: 'Changed' },
): Promise<boolean> {
  return storage.updateFactor(type, id, version, changes)
}

function remove(
  storage: FactorStorage,
  userId: string,
  { type, id }: NewFactor,
  signsInBy?: readonly string[],
): ReturnType<Factors['deleteFactor']> {
  return storage.deleteFactor(userId, type, id, undefined, signsInBy)
}

/** Creates factors of these types, and returns them. */
async function addFactors(
  storage: FactorStorage,
  userId: string,
  types: readonly string[],
): Promise<NewFactor[]> {
  const factors = types.map((type) => newFactor({ type }))
  for (const factor of factors) await storage.createFactor(userId, factor)
  return factors
}

/** Returns JSON of 8 KiB, or a few bytes less, that repeats a text. */
function toLongestJson(text: string): string {
  const each = getJsonSize(text) - getJsonSize('')
  return JSON.stringify(text.repeat(Math.floor((MAX_DATA - getJsonSize('')) / each)))
}

function getJsonSize(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text)).length
}
