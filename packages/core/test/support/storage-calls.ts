/** The same calls of a storage and of the memory storage, which is the reference. Few names, so that records collide. */
import type { NewFactor, NewSession, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { numRuns } from './arbitraries.ts'

// prettier-ignore
const emails = ['a@example.com', 'A@example.com', 'b@example.com', 'é@example.com', 'e\u0301@example.com']
// prettier-ignore
const texts = [
  null, 'Alice', 'alice', 'Zoë', 'Zoe\u0308', '😀', 'a ', ' a', 'ß', 'ss', 'İ', '\u200b', "'; --", '"',
  '\\', '%', '_', '\u{1F468}\u200d\u{1F469}', '\uffff', 'x'.repeat(64), '😀'.repeat(64), 'null', '0', '[]',
]
const often = (first: string, ...others: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(first) }, fc.constantFrom(...others))

/** What one call is about. */
const call = fc.record({
  wait: fc.constantFrom(0, 0, 0, 0, 1, 60, 999, 1000),
  id: often('u1', 'u2', 'u3', 'U1'),
  provider: often('p', 'q', 'P'),
  subject: often('s1', 's2', 'S1', 's1 ', 'é', 'e\u0301', '😀', '0'),
  text: fc.constantFrom(...texts),
  email: fc.constantFrom(null, ...emails),
  type: often('password', 'passkey', 'totp'),
  token: fc.constantFrom('t1', 't2', 'x'.repeat(3000), '😀'),
  data: fc.constantFrom('{}', '{"a":"😀"}', '{"token":{"sub":"x"}}', 'x'.repeat(5000), ''),
  lifetime: fc.constantFrom(50, 1000, 7200),
  /** Which of the sessions of the case. */
  session: fc.nat(5),
  is: fc.record({ first: fc.boolean(), second: fc.boolean(), third: fc.boolean() }),
})
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never

// prettier-ignore
const lastFactor: Call = {
  wait: 0, id: 'u1', provider: 'p', subject: 's1', text: null, email: null, type: 'passkey', token: 't1',
  data: '{}', lifetime: 1000, session: 0, is: { first: false, second: false, third: true },
}

/** A storage, and the case: names that no other case has, a clock and the sessions so far. */
interface State {
  readonly storage: Required<Storage>
  readonly space: string
  now: number
  sessions: number
}

const toName = ({ space }: State, text: string): string => `${space}.${text}`
const toSessionId = (state: State, index: number): string =>
  toName(state, `session${state.sessions === 0 ? 99 : index % state.sessions}`)

function toUser(state: State, { id, text, email, is }: Call) {
  const emailVerified = email !== null && is.first
  const named = email === null ? null : toName(state, email)
  return { id: toName(state, id), name: text, email: named, emailVerified, image: null }
}

function toAccount(state: State, { provider, subject, token, is }: Call) {
  const account = { provider, type: 'oauth', providerAccountId: toName(state, subject) }
  return is.second ? { ...account, access_token: token, expires_at: 1_800_000_000 } : account
}

function toSession(
  state: State,
  { provider, subject, lifetime, data, session, is }: Call,
): NewSession {
  const replaces = is.second && is.third ? { replaces: toSessionId(state, session) } : {}
  const account = { provider, providerAccountId: toName(state, subject) }
  const id = toName(state, `session${state.sessions++}`)
  const times = { createdAt: state.now, renewedAt: state.now, expires: state.now + lifetime }
  return { id, ...times, data, ...(is.first && { account }), ...replaces }
}

function toFactor(state: State, { type, subject, text, data }: Call): NewFactor {
  const times = { changedAt: state.now, createdAt: state.now, lastUsedAt: null }
  return { type, id: toName(state, subject), name: text, data, ...times }
}

/** Returns the types of factors that a call lists: one or none, or no list. */
function toTypes({ type, is: { first, second } }: Pick<Call, 'type' | 'is'>) {
  if (first) return [type]
  return second ? [] : undefined
}

/** The calls, by the method that they compare. */
const calls: Readonly<Record<string, (state: State, given: Call) => Promise<unknown>>> = {
  createUser: (state, given) => {
    const { first, second, third } = given.is
    const account = first ? toAccount(state, given) : undefined
    const session = second ? toSession(state, given) : undefined
    const factors = third && 'createFactor' in state.storage ? [toFactor(state, given)] : []
    return state.storage.createUser(toUser(state, given), account, session, undefined, ...factors)
  },
  getUser: (state, { id }) => state.storage.getUser(toName(state, id)),
  getUserByEmail: (state, { email }) => state.storage.getUserByEmail(toName(state, email ?? 'x')),
  getUserByAccount: (state, { provider, subject }) =>
    state.storage.getUserByAccount(provider, toName(state, subject)),
  updateUser: (state, given) => {
    const { id, email, emailVerified, ...others } = toUser(state, given)
    const { second, third } = given.is
    return state.storage.updateUser(id, {
      ...(second && others),
      ...(third && { email, emailVerified }),
    })
  },
  deleteUser: (state, { id }) => state.storage.deleteUser(toName(state, id)),
  linkAccount: (state, given) => {
    const { id, email } = toUser(state, given)
    return state.storage.linkAccount(
      id,
      toAccount(state, given),
      given.is.third ? email : undefined,
      undefined,
      toTypes(given),
    )
  },
  listAccounts: (state, { id }) => state.storage.listAccounts(toName(state, id)),
  updateAccount: (state, { provider, subject, token, is }) => {
    const tokens = { access_token: token, refresh_token: 't2' }
    const name = toName(state, subject)
    return state.storage.updateAccount(provider, name, tokens, is.first ? 't2' : undefined)
  },
  unlinkAccount: (state, { id, provider, subject, ...given }) => {
    const name = toName(state, subject)
    return state.storage.unlinkAccount(toName(state, id), provider, name, [], toTypes(given))
  },
  createSession: (state, given) =>
    state.storage.createSession(toName(state, given.id), toSession(state, given)),
  getSessionAndUser: (state, { session }) =>
    state.storage.getSessionAndUser(toSessionId(state, session), state.now),
  updateSession: async (state, { session, lifetime, data }) => {
    const id = toSessionId(state, session)
    // Whether an expired session that was not deleted yet can be updated is not specified.
    if (!(await state.storage.getSessionAndUser(id, state.now))) return 'expired'
    const times = { renewedAt: state.now, expires: state.now + lifetime }
    return state.storage.updateSession(id, { ...times, data })
  },
  deleteSession: (state, { session }) => state.storage.deleteSession(toSessionId(state, session)),
  listSessions: (state, { id }) => state.storage.listSessions(toName(state, id), state.now),
  deleteSessions: (state, { id, session, is }) => {
    const except = is.first ? toSessionId(state, session) : undefined
    return state.storage.deleteSessions(toName(state, id), except)
  },
  increment: (state, { subject, is }) =>
    state.storage.increment(
      toName(state, subject),
      is.second ? 60 : 600,
      state.now,
      is.first ? 1 : -1,
    ),
  createFactor: (state, given) =>
    state.storage.createFactor(toName(state, given.id), toFactor(state, given)),
  listFactors: (state, { id }) => state.storage.listFactors(toName(state, id)),
  getFactorAndUser: (state, { type, subject }) =>
    state.storage.getFactorAndUser(type, toName(state, subject)),
  updateFactor: async (state, { type, subject, is, data, text }) => {
    const id = toName(state, subject)
    const { version = 'none' } = (await state.storage.getFactorAndUser(type, id))?.factor ?? {}
    const changes = { data, name: text, changedAt: state.now }
    return state.storage.updateFactor(type, id, is.first ? `${version}x` : version, changes)
  },
  deleteFactor: (state, { id, type, subject, is }) => {
    const name = toName(state, subject)
    return state.storage.deleteFactor(toName(state, id), type, name, [], toTypes({ type, is }))
  },
}

/** Returns the result of a call, or that it rejected: lists have no order within a second, and each storage has its versions. */
async function getResult(state: State, name: string, given: Call): Promise<unknown> {
  state.now += given.wait
  const write = (value: unknown): string =>
    JSON.stringify(value, (key, member: unknown) => {
      if (key === 'version') return undefined
      if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
      return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    })
  try {
    const result = (await calls[name]?.(state, given)) ?? null
    return Array.isArray(result) ? result.map(write).toSorted() : write(result)
  } catch (thrown) {
    return `rejected${thrown instanceof TypeError ? ': TypeError' : ''}`
  }
}

/** Expects that a storage returns what the memory storage returns, call by call. Methods that it does not have are left out. */
export async function checkSameAsMemory(storage: Storage): Promise<void> {
  const names = Object.keys(calls).filter((name) => name in storage)
  const steps = fc.array(fc.tuple(fc.constantFrom(...names, 'createUser'), call), {
    minLength: 1,
    maxLength: 16,
    size: 'max',
  })
  let count = 0
  // Near enough to the present for a server that deletes what has expired.
  const now = Math.floor(Date.now() / 1000)
  const property = fc.asyncProperty(steps, async (chosen) => {
    const space = `n${count++}`
    const [mine, reference] = [storage, memoryStorage()].map((each) => {
      return {
        storage: each as Required<Storage>,
        space,
        now,
        sessions: 0,
      }
    }) as [State, State]
    for (const [name, given] of chosen) {
      const result = await getResult(mine, name, given)
      expect({ name, result }).toEqual({ name, result: await getResult(reference, name, given) })
    }
  })
  // The only way to sign in stays.
  const examples: [[string, Call][]][] = names.includes('deleteFactor')
    ? [
        [
          [
            ['createUser', lastFactor],
            ['deleteFactor', lastFactor],
          ],
        ],
      ]
    : []
  await fc.assert(property, { numRuns, examples })
}
