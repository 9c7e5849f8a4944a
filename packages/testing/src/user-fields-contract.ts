import type { NewSession, StoredUser, Storage, UserFields } from '@latchkey/core'
import { userFields } from '@latchkey/core/user-fields'
import { equal } from './equal.ts'

/** The values of {@link contractFields}. */
export interface ContractFieldValues {
  readonly role: string
  readonly nickname: string | null
  readonly credits: number | null
  readonly balance: number
  readonly isAdmin: boolean
  readonly trialEnds: Date | null
  readonly preferences: unknown
  readonly order: string | null
  readonly provider: string | null
  readonly expires: number | null
}

/**
 * The fields with which the storage of the contract is created: every type, with and without defaults,
 * and names that are words of SQL or columns of other tables.
 */
export const contractFields: UserFields<ContractFieldValues> = userFields({
  role: { type: 'text', default: 'it’s a #member?\\' },
  nickname: { type: 'text' },
  credits: { type: 'integer' },
  balance: { type: 'number', default: 0.5 },
  isAdmin: { type: 'boolean', default: false },
  trialEnds: { type: 'date' },
  preferences: { type: 'json' },
  order: { type: 'text' },
  provider: { type: 'text' },
  expires: { type: 'integer' },
})

/** A storage that was created with {@link contractFields}. */
type FieldStorage = Storage<ContractFieldValues>

/** One requirement of a storage with fields. */
export interface UserFieldsCase {
  /** The title of the case. */
  readonly name: string
  /**
   * Runs the case. The storage may hold records of other cases: every key is new.
   *
   * @throws Error with the expected and the actual value
   */
  readonly run: (storage: FieldStorage) => Promise<void>
}

/**
 * The contract of a storage that keeps an application's own fields of a user, as plain data. The
 * storage must have been created with {@link contractFields}.
 *
 * @example
 *   import { memoryStorage } from '@latchkey/core/memory'
 *   import { contractFields, userFieldsContract } from '@latchkey/testing/user-fields-contract'
 *
 *   for (const { name, run } of userFieldsContract) {
 *     await run(memoryStorage({ fields: contractFields }))
 *     console.log(`ok: ${name}`)
 *   }
 */
export const userFieldsContract: readonly UserFieldsCase[] = [
  contract('the storage declares its fields', async (storage) => {
    equal(storage.fields?.declarations, contractFields.declarations, 'fields')
  }),
  contract('every getter returns the fields, in their types', async (storage) => {
    const { user, account, session } = newPerson(filled)
    const created = await storage.createUser(user, account, session)
    const { id } = created ?? user
    const expected = { ...user, id }
    equalUser(created, expected, 'createUser')
    equalUser(await storage.getUser(id), expected, 'getUser')
    equalUser(await storage.getUserByEmail(user.email ?? ''), expected, 'getUserByEmail')
    const byAccount = await storage.getUserByAccount('passport', account.providerAccountId)
    equalUser(byAccount, expected, 'getUserByAccount')
    const found = await storage.getSessionAndUser(session.id, session.createdAt)
    equalUser(found?.user, expected, 'getSessionAndUser')
    equal(found?.session.expires, session.expires, 'the session')
  }),
  contract('fields that are not given have their defaults, or are null', async (storage) => {
    const { user } = newPerson({})
    const created = await storage.createUser(user)
    const expected = { ...user, id: created?.id ?? '', ...empty }
    equalUser(created, expected, 'createUser')
    equalUser(await storage.getUser(expected.id), expected, 'getUser')
  }),
  contract('members that are not declared are not stored', async (storage) => {
    const { user } = newPerson({})
    const undeclared = { password: 'hunter2' }
    const created = await storage.createUser({ ...user, ...undeclared })
    const { id = '' } = created ?? {}
    await storage.updateUser(id, { name: 'Renamed', ...undeclared })
    equalUser(await storage.getUser(id), { ...user, id, ...empty, name: 'Renamed' }, 'getUser')
  }),
  contract('updateUser changes the given fields, and returns all', async (storage) => {
    const { user } = newPerson(filled)
    const { id = '' } = (await storage.createUser(user)) ?? {}
    const changes = { role: 'editor', credits: null, isAdmin: false, preferences: ['a'] }
    const expected = { ...user, ...changes, id }
    equalUser(await storage.updateUser(id, changes), expected, 'updateUser')
    equalUser(await storage.getUser(id), expected, 'getUser')
    equalUser(await storage.updateUser(id, {}), expected, 'updateUser without a change')
  }),
  contract('other changes leave the fields', async (storage) => {
    const { user } = newPerson(filled)
    const { id = '' } = (await storage.createUser(user)) ?? {}
    const email = newEmail()
    const expected = { ...user, id, email, emailVerified: false, name: null }
    equalUser(await storage.updateUser(id, { email, name: null }), expected, 'updateUser')
    equalUser(await storage.getUser(id), expected, 'getUser')
  }),
  contract('a new email address is unverified although a field changes too', async (storage) => {
    const { user } = newPerson(filled)
    const { id = '' } = (await storage.createUser(user)) ?? {}
    const updated = await storage.updateUser(id, { email: newEmail(), role: 'editor' })
    equal(updated?.emailVerified, false, 'emailVerified')
  }),
  contract('values at the limits of their types survive', async (storage) => {
    for (const values of limits) {
      const { user } = newPerson({ ...filled, ...values })
      const { id = '' } = (await storage.createUser(user)) ?? {}
      const expected = { ...user, id }
      equalUser(await storage.getUser(id), expected, 'getUser')
      equalUser(await storage.updateUser(id, values), expected, 'updateUser')
    }
  }),
  contract('a value of the wrong type rejects, and nothing changes', async (storage) => {
    const { user } = newPerson(filled)
    const { id = '' } = (await storage.createUser(user)) ?? {}
    for (const values of wrong) {
      const { user: other } = newPerson({})
      const name = Object.keys(values).join()
      const creating = storage.createUser({ ...other, ...values })
      equal(await rejects(creating), true, `createUser with ${name}`)
      equal(await storage.getUserByEmail(other.email ?? ''), undefined, 'getUserByEmail')
      const updating = storage.updateUser(id, { name: 'Renamed', ...values })
      equal(await rejects(updating), true, `updateUser with ${name}`)
    }
    equalUser(await storage.getUser(id), { ...user, id }, 'getUser')
  }),
  contract('concurrent changes of different fields are all kept', async (storage) => {
    const { user } = newPerson({})
    const { id = '' } = (await storage.createUser(user)) ?? {}
    const changes = [{ role: 'editor' }, { nickname: 'Al' }, { credits: 7 }, { isAdmin: true }]
    await Promise.all(changes.map((change) => storage.updateUser(id, change)))
    const all: Partial<ContractFieldValues> = Object.assign({}, ...changes)
    equalUser(await storage.getUser(id), { ...user, id, ...empty, ...all }, 'getUser')
  }),
]

const empty: ContractFieldValues = {
  role: 'it’s a #member?\\',
  nickname: null,
  credits: null,
  balance: 0.5,
  isAdmin: false,
  trialEnds: null,
  preferences: null,
  order: null,
  provider: null,
  expires: null,
}

const filled: ContractFieldValues = {
  role: 'admin',
  nickname: 'Zoë 😀 “O’Neil” #?$1\\',
  credits: 42,
  balance: -12.75,
  isAdmin: true,
  trialEnds: new Date('2031-02-03T04:05:06.789Z'),
  preferences: { theme: 'dark', tags: ['a', null, 1.5], nested: { deep: true } },
  order: '',
  provider: 'a column of accounts and sessions',
  expires: 1,
}

const limits: readonly Partial<ContractFieldValues>[] = [
  { credits: Number.MAX_SAFE_INTEGER, balance: 1e300, nickname: 'x'.repeat(10_000) },
  { credits: Number.MIN_SAFE_INTEGER, balance: 5e-300, nickname: '😀'.repeat(5000) },
  { credits: 0, balance: 0.1, trialEnds: new Date(0), preferences: false },
  { trialEnds: new Date(8.64e15), preferences: 'text' },
  { trialEnds: new Date(-8.64e15), preferences: '\0\ud800', nickname: ' \t\n' },
  { preferences: [], nickname: '' },
]

const circle: unknown[] = []
circle.push(circle)

const wrong: readonly Readonly<Record<string, unknown>>[] = [
  { role: null },
  { role: 5 },
  { nickname: 'x'.repeat(10_001) },
  { nickname: '\0' },
  { nickname: '\ud800' },
  { nickname: ['text'] },
  { credits: 1.5 },
  { credits: '1' },
  { credits: 2 ** 53 },
  { balance: Number.NaN },
  { balance: Infinity },
  { isAdmin: 1 },
  { isAdmin: 'true' },
  { trialEnds: '2031-02-03' },
  { trialEnds: 0 },
  { trialEnds: new Date(Number.NaN) },
  { preferences: circle },
  { preferences: 'x'.repeat(10_000) },
]

function contract(name: string, run: UserFieldsCase['run']): UserFieldsCase {
  return { name, run }
}

/** Compares users. Dates must be dates: as JSON they would equal texts. */
function equalUser(actual: StoredUser | undefined, expected: StoredUser, what: string): void {
  equal(tagDates(actual), tagDates(expected), what)
}

function tagDates(user: StoredUser | undefined): unknown {
  const entries = Object.entries(user ?? {}).map(([name, value]) => [
    name,
    value instanceof Date ? { time: value.getTime() } : value,
  ])
  return user && Object.fromEntries(entries)
}

function rejects(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    () => true,
  )
}

/** Returns a new user with the given fields, an account and a session, all with unused keys. */
function newPerson<Values extends Partial<ContractFieldValues>>(
  values: Values,
): {
  readonly user: StoredUser & Values
  readonly account: { provider: string; type: string; providerAccountId: string }
  readonly session: NewSession
} {
  const now = Math.floor(Date.now() / 1000)
  const times = { createdAt: now, renewedAt: now, expires: now + 3600 }
  return {
    user: {
      id: crypto.randomUUID(),
      name: 'Alice',
      email: newEmail(),
      emailVerified: true,
      image: null,
      ...values,
    },
    account: { provider: 'passport', type: 'oauth', providerAccountId: crypto.randomUUID() },
    session: { id: crypto.randomUUID(), ...times, data: '{}' },
  }
}

function newEmail(): string {
  return `${crypto.randomUUID()}@example.com`
}
