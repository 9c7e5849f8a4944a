import type {
  Count,
  NewSession,
  Revocation,
  StoredSession,
  StoredStep,
  VerificationToken,
} from '@latchkey/core'
import { DurableObject } from 'cloudflare:workers'
import type { IndexedSession, KeptSession, ObjectMethods, SessionCondition } from './methods.ts'
import { createRecords } from './records.ts'
import type { ObjectSql, Records } from './records.ts'

/** The members of a `DurableObjectState` that the object uses. */
export interface ObjectState {
  readonly storage: {
    readonly sql: ObjectSql
    transactionSync<T>(closure: () => T): T
    getAlarm(): Promise<number | null>
    setAlarm(scheduledTime: number): Promise<void>
    deleteAll(): Promise<void>
  }
  blockConcurrencyWhile<T>(callback: () => Promise<T>): Promise<T>
}

/** An instance of {@link LatchkeyObject}. */
export interface LatchkeyObject extends ObjectMethods {
  readonly __DURABLE_OBJECT_BRAND: never
}

/** Seconds for which an expired record is kept: the clocks that wrote it may differ by as much. */
const MARGIN = 300
/** Seconds between two alarms, each of which costs a write. */
const PAUSE = 600

/**
 * The Durable Object that keeps counts, single-use tokens, revocations and sessions, each object a part of
 * them. An application exports it from the module of its Worker, and binds it as a class with SQLite. Every
 * method is one atomic step. An alarm deletes what has expired; an object that is empty then ceases to exist.
 *
 * @example
 *   // In the Worker's main module; in wrangler.jsonc:
 *   // "durable_objects": { "bindings": [{ "name": "LATCHKEY", "class_name": "LatchkeyObject" }] },
 *   // "migrations": [{ "tag": "latchkey-1", "new_sqlite_classes": ["LatchkeyObject"] }]
 *   export { LatchkeyObject } from '@latchkey/durable-objects/object'
 */
export const LatchkeyObject: new (state: ObjectState, env: unknown) => LatchkeyObject = class
  extends DurableObject
  implements ObjectMethods
{
  readonly #storage: ObjectState['storage']
  readonly #records: Records
  /** When the next alarm is due, in milliseconds since 1970. */
  #alarmAt: number | undefined

  constructor(state: ObjectState, env: unknown) {
    super(state, env)
    this.#storage = state.storage
    this.#records = createRecords(state.storage.sql)
    void state.blockConcurrencyWhile(async () => {
      this.#alarmAt = (await this.#storage.getAlarm()) ?? undefined
    })
  }

  async increment(key: string, window: number, now: number, by: 1 | -1): Promise<Count> {
    const counted = this.#records.get<Count>('count', key)?.value
    const next = getNextCount(counted, { window, now, by })
    await this.#put('count', key, next, next.resetsAt)
    return next
  }

  async createVerificationToken(token: VerificationToken): Promise<void> {
    const key = toTokenKey(token)
    const stored = this.#records.get('token', key)
    // The stub repeats a call whose reply was lost: then it is the same token.
    if (stored && stored.expires !== token.expires)
      throw new Error('the verification token is stored already')
    await this.#put('token', key, token, token.expires)
  }

  async useVerificationToken(
    identifier: string,
    token: string,
    now: number,
  ): Promise<VerificationToken | undefined> {
    const key = toTokenKey({ identifier, token })
    const found = this.#records.get<VerificationToken>('token', key)
    this.#records.delete('token', key)
    return found && found.expires > now ? found.value : undefined
  }

  async createStep({ id, data, expires }: StoredStep): Promise<void> {
    await this.#put('step', id, { data }, expires)
  }

  async takeStep(id: string, now: number): Promise<string | undefined> {
    const found = this.#records.get<Pick<StoredStep, 'data'>>('step', id)
    this.#records.delete('step', id)
    return found && found.expires > now ? found.value.data : undefined
  }

  async createRevocation({ key, revokedAt, expires }: Revocation): Promise<void> {
    const previous = this.#records.get<{ readonly revokedAt: number }>('revocation', key)
    const latest = { revokedAt: Math.max(revokedAt, previous?.value.revokedAt ?? 0) }
    await this.#put('revocation', key, latest, Math.max(expires, previous?.expires ?? 0))
  }

  async getRevocation(key: string, now: number): Promise<number | undefined> {
    const found = this.#records.get<{ readonly revokedAt: number }>('revocation', key)
    return found && found.expires > now ? found.value.revokedAt : undefined
  }

  async createSession({ replaces = '', ...session }: NewSession): Promise<boolean> {
    const isReplaced = this.#storage.transactionSync(() => {
      const previous = this.#records.get('session', replaces)
      this.#records.delete('session', replaces)
      this.#records.put('session', session.id, session, session.expires)
      return previous !== undefined
    })
    await this.#schedule(session.expires)
    return isReplaced
  }

  async getSession(id: string, now = -Infinity): Promise<KeptSession | undefined> {
    const found = this.#records.get<KeptSession>('session', id)
    return found && found.expires > now ? found.value : undefined
  }

  async listSessions(now: number): Promise<readonly KeptSession[]> {
    const sessions = this.#records.list<KeptSession>('session').map(({ value }) => value)
    return sessions.filter(({ expires }) => expires > now)
  }

  async updateSession(
    id: string,
    changes: Pick<StoredSession, 'renewedAt' | 'expires' | 'data'>,
  ): Promise<boolean> {
    const found = this.#records.get<KeptSession>('session', id)
    if (!found) return false
    await this.#put('session', id, { ...found.value, ...changes }, changes.expires)
    return true
  }

  async deleteSessions(condition: SessionCondition): Promise<readonly string[]> {
    return this.#storage.transactionSync(() => {
      const sessions = this.#records.list<KeptSession>('session').map(({ value }) => value)
      const ids = sessions.filter((each) => isWanted(each, condition)).map(({ id }) => id)
      for (const id of ids) this.#records.delete('session', id)
      return ids
    })
  }

  async setOwner(id: string, userId: string, expires: number): Promise<void> {
    await this.#put('owner', id, { userId }, expires)
  }

  async getOwner(id: string): Promise<string | undefined> {
    return this.#records.get<{ readonly userId: string }>('owner', id)?.value.userId
  }

  async addToIndex(index: string, session: IndexedSession, expires: number): Promise<void> {
    await this.#put(`index ${index}`, session.id, session, expires)
  }

  async listIndex(index: string): Promise<readonly IndexedSession[]> {
    return this.#records.list<IndexedSession>(`index ${index}`).map(({ value }) => value)
  }

  /** Deletes what has expired. The runtime calls it. */
  async alarm(): Promise<void> {
    this.#alarmAt = undefined
    const next = this.#records.sweep(Math.floor(Date.now() / 1000) - MARGIN)
    if (next === undefined) await this.#storage.deleteAll()
    else await this.#schedule(next)
  }

  async #put(kind: string, key: string, value: object, expires: number): Promise<void> {
    this.#records.put(kind, key, value, expires)
    await this.#schedule(expires)
  }

  /** Schedules the alarm after which nothing needs a record that expires at `expires`. */
  async #schedule(expires: number): Promise<void> {
    const at = Math.max(Date.now() + PAUSE * 1000, (expires + MARGIN + 1) * 1000)
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return
    this.#alarmAt = at
    await this.#storage.setAlarm(at)
  }
}

/** One call of `increment`. */
interface Increment {
  readonly window: number
  readonly now: number
  readonly by: 1 | -1
}

function getNextCount(counted: Count | undefined, { window, now, by }: Increment): Count {
  const resetsAt = now + window
  if (!counted || counted.resetsAt <= now) return { count: 1, resetsAt }
  // What is taken back was counted in an earlier window.
  if (by < 0 && counted.resetsAt > resetsAt) return counted
  return { ...counted, count: counted.count + by }
}

function toTokenKey({ identifier, token }: Omit<VerificationToken, 'expires'>): string {
  return JSON.stringify([identifier, token])
}

function isWanted(
  { id, account }: KeptSession,
  { ids, except, providerAccountId }: SessionCondition,
): boolean {
  if (id === except || ids?.includes(id) === false) return false
  return providerAccountId === undefined || account?.providerAccountId === providerAccountId
}
