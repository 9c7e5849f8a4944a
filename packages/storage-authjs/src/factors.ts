import type { Factor, FactorChanges, Factors } from '@latchkey/core'
import { defaultSignsInBy } from '@latchkey/core/unstable'
import type { AccountKey, AuthjsUser, Awaitable, UsableAdapter } from './adapter.ts'
import { getUserId } from './mapping.ts'
import type { UserMapping } from './mapping.ts'

/** The columns that identify a factor. Databases must compare them exactly, and the version too. */
export type FactorKey = Pick<Factor, 'type' | 'id'>

/** A row of the table of factors; further columns are ignored. Times are whole seconds since 1970. */
export interface FactorRow extends FactorKey {
  readonly userId: AuthjsUser['id']
  readonly name?: string | null | undefined
  readonly data: string
  readonly version: string
  /** Some clients return a BIGINT as a string of digits. */
  readonly changedAt: number | bigint | string
  readonly createdAt: number | bigint | string
  readonly lastUsedAt?: number | bigint | string | null | undefined
}

/** The columns of an update: the version always changes. */
export type FactorColumns = FactorChanges & Pick<Factor, 'version'>

/**
 * Statements of the application on a table of factors in the adapter's database: no adapter has them. The
 * ways to sign in are a user's accounts and the factors of the types in `signsInBy`, which the service declares, such as
 * `password` and `passkey`: none if the list is empty. A method rejects if the database fails: a failure must never look
 * like a user without factors.
 */
export interface AuthjsFactors {
  /**
   * Inserts a factor, in one statement that does nothing if the user does not exist, or a factor has this type and
   * id.
   *
   * @returns Whether a row was inserted
   */
  create(factor: Factor): Awaitable<boolean>
  /** Returns the row with this type and id. */
  find(factor: FactorKey): Awaitable<FactorRow | null | undefined>
  /** Returns a user's rows; none for a text that is not the id of a user. */
  list(userId: string): Awaitable<readonly FactorRow[]>
  /**
   * Sets columns of one factor, in one statement.
   *
   * @param expectedVersion The statement must change the row only if `version` equals this
   * @returns Whether a row was changed
   */
  update(factor: FactorKey, expectedVersion: string, columns: FactorColumns): Awaitable<boolean>
  /**
   * Deletes a factor of a user. A way to sign in stays if it is the user's only one: the ways are counted and the row is
   * deleted in one transaction that locks the user's row.
   *
   * @returns Whether a row was deleted
   */
  delete(userId: string, factor: FactorKey, signsInBy: readonly string[]): Awaitable<boolean>
  /** Deletes a user's rows. It follows `deleteUser` of the adapter: a foreign key may have deleted them. */
  deleteAll(userId: string): unknown
  /**
   * Deletes an account of a user, unless it is the user's only way to sign in: in one transaction that locks the
   * user's row. It replaces `unlink` of the option `accounts`, which counts accounts only.
   *
   * @returns Whether a row was deleted
   */
  unlink(userId: string, account: AccountKey, signsInBy: readonly string[]): Awaitable<boolean>
}

/** The methods of {@link AuthjsFactors}. */
export const factorMethods: readonly (keyof AuthjsFactors)[] = [
  'create',
  'find',
  'list',
  'update',
  'delete',
  'deleteAll',
  'unlink',
]

/** Creates the methods of the capability `factors`. */
export function createFactorMethods(
  adapter: UsableAdapter,
  { toStoredUser }: UserMapping,
  factors: AuthjsFactors,
): Factors {
  const isOwn = async (userId: string, key: FactorKey): Promise<boolean> =>
    (await findFactor(factors, key))?.userId === userId
  return {
    createFactor: async (userId, factor) => factors.create(toNewFactor(userId, factor)),
    async getFactorAndUser(type, id) {
      const factor = await findFactor(factors, { type, id })
      const user = factor && (await adapter.getUser(factor.userId))
      if (user) return { factor, user: toStoredUser(user) }
      // `getUser` of some adapters returns no user if the database is unavailable.
      if (factor && (await findFactor(factors, { type, id }))) {
        throw new Error('the user of a factor was not found')
      }
      return undefined
    },
    async listFactors(userId) {
      const found = (await factors.list(userId)).map(toFactor)
      return found.toSorted((a, b) => a.createdAt - b.createdAt)
    },
    async updateFactor(type, id, expectedVersion, { name, data, changedAt, lastUsedAt }) {
      const changes = Object.entries({ name, data, changedAt, lastUsedAt })
      const given = Object.fromEntries(changes.filter(([, value]) => value !== undefined))
      return factors.update({ type, id }, expectedVersion, { ...given, version: createVersion() })
    },
    async deleteFactor(userId, type, id, _events, signsInBy = defaultSignsInBy) {
      const key = { type, id }
      if (!(await isOwn(userId, key))) return 'absent'
      if (await factors.delete(userId, key, signsInBy)) return 'deleted'
      return (await isOwn(userId, key)) ? 'last' : 'absent'
    },
  }
}

/** Returns the record of a new factor. */
export function toNewFactor(userId: string, factor: Omit<Factor, 'userId' | 'version'>): Factor {
  const { type, id, name, data, changedAt, createdAt, lastUsedAt } = factor
  const version = createVersion()
  return { type, id, userId, name, data, version, changedAt, createdAt, lastUsedAt }
}

/** Returns the factor with this key. A collation that ignores case or accents also finds similar ones. */
export async function findFactor(
  factors: AuthjsFactors,
  key: FactorKey,
): Promise<Factor | undefined> {
  const row = await factors.find(key)
  return row?.type === key.type && row.id === key.id ? toFactor(row) : undefined
}

function createVersion(): string {
  return crypto.randomUUID()
}

function toFactor(row: FactorRow): Factor {
  const { type, id, name, data, version, lastUsedAt } = row
  return {
    type,
    id,
    userId: getUserId({ id: row.userId }),
    name: name ?? null,
    data,
    version,
    changedAt: Number(row.changedAt),
    createdAt: Number(row.createdAt),
    lastUsedAt: lastUsedAt === null || lastUsedAt === undefined ? null : Number(lastUsedAt),
  }
}
