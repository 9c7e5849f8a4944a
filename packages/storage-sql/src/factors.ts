import type { DeletedFactor, Factor, FactorChanges, Factors, NewFactor } from '@latchkey/core'
import { includesType, toWays } from '@latchkey/core/unstable'
import type { FactorTypes } from '@latchkey/core/unstable'
import { createAccountMethods, lockUserRow } from './accounts.ts'
import type { SelectWays } from './accounts.ts'
import type { Database } from './database.ts'
import type { Row, Statement } from './driver.ts'
import type { FactorMethods, SqlFactors, StorageParts } from './optional-parts.ts'
import { insertEvents } from './outbox.ts'
import { createVersion, requireText, toGiven, toText } from './rows.ts'
import { addTables } from './schema.ts'
import type { NamedTables } from './schema.ts'
import type { UserLock } from './server-warnings.ts'
import { joinValues, raw, sql } from './sql.ts'
import { createStepMethods, stepTables, sweepSteps } from './steps.ts'
import { createUserMethods } from './users.ts'

/**
 * Keeps factors, such as passwords and passkeys: the option `factors` of each storage of this package. Its
 * table is a migration, `0005_factors`, which `migrate()` applies with this option. Without it the storage lacks the
 * capability `factors`. It also brings the capability `steps`, whose table is `0006_steps`: before it exists, only a
 * sign-in fails that waits for a second factor and finds no room in a cookie.
 *
 * All processes that use the same tables need the option: without it `unlinkAccount` counts accounts only.
 *
 * @example
 *   import { sqlFactors } from '@latchkey/storage-sql/factors'
 *   import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
 *
 *   const storage = nodeSqliteStorage('./latchkey.sqlite', { factors: sqlFactors() })
 *   await storage.migrate()
 */
export function sqlFactors(): SqlFactors {
  return {
    owned: '#factors',
    addTables: (syntax) => addTables(syntax, tables, stepTables),
    sweep: sweepSteps,
    createMethods: (parts, lockUser) => ({
      ...createBatchMethods(parts),
      ...createAccountMethods(parts.database, lockUser, selectWays),
      ...createFactorMethods(parts, lockUser),
      ...createStepMethods(parts.database),
    }),
  }
}

const tables: NamedTables = [
  '0005_factors',
  [
    [
      '#factors',
      `type {key} NOT NULL,
  id {key} NOT NULL,
  user_id {key} NOT NULL,
  name {text},
  data {text} NOT NULL,
  version {text} NOT NULL,
  changed_at {integer} NOT NULL,
  created_at {integer} NOT NULL,
  last_used_at {integer},
  PRIMARY KEY (type, id),
  FOREIGN KEY (user_id) REFERENCES #users (id) ON DELETE CASCADE`,
      'user_id',
    ],
  ],
]

/** The columns of a factor, without the user's id. */
const COLUMNS = raw('type, id, name, data, version, changed_at, created_at, last_used_at')

/** The columns by other names: a joined user also has an id and a name. */
const JOINED_COLUMNS = sql`f.type AS factor_type, f.id AS factor_id, f.user_id,
  f.name AS factor_name, f.data AS factor_data, f.version AS factor_version,
  f.changed_at, f.created_at, f.last_used_at`

/** Creates the method for users that stores factors too, in the same batch. */
function createBatchMethods({
  database,
  users,
  sweeper,
}: StorageParts): Pick<FactorMethods, 'createUser'> {
  return {
    createUser(user, account, session, events, ...factors) {
      const further = factors.map((factor) => insertFactor(database, user.id, factor))
      const run: Database['run'] = (...statements) => database.run(...statements, ...further)
      const { createUser } = createUserMethods({ ...database, run }, users, sweeper)
      return createUser(user, account, session, events)
    },
  }
}

function createFactorMethods(
  { database, users }: StorageParts,
  lockUser: UserLock | undefined,
): Factors {
  const { catchUniqueViolation, lock, queryRows, runChange } = database
  return {
    async createFactor(userId, factor, events) {
      const rows = insertEvents(events, sql`FROM #users WHERE id = ${userId}${lock}`)
      const created = runChange(...rows, insertFactor(database, userId, factor))
      return (await catchUniqueViolation(created)) ?? false
    },
    async getFactorAndUser(type, id) {
      const [row] = await queryRows(
        sql`SELECT ${JOINED_COLUMNS}, ${users.selected}
          FROM #factors f JOIN #users u ON u.id = f.user_id WHERE f.type = ${type} AND f.id = ${id}`,
      )
      return row && { factor: toFactor(row), user: users.toUser(row, row['user_id']) }
    },
    async listFactors(userId) {
      const rows = await queryRows(
        sql`SELECT ${JOINED_COLUMNS} FROM #factors f
          WHERE f.user_id = ${userId} ORDER BY f.created_at, f.type, f.id`,
      )
      return rows.map(toFactor)
    },
    updateFactor(type, id, expectedVersion, changes, events) {
      const condition = sql`type = ${type} AND id = ${id} AND version = ${expectedVersion}`
      return runChange(
        ...insertEvents(events, sql`FROM #factors WHERE ${condition}${lock}`),
        sql`UPDATE #factors SET ${toAssignments(changes)} WHERE ${condition}`,
      )
    },
    deleteFactor: (...args) => deleteFactor(database, lockUser, ...args),
  }
}

async function deleteFactor(
  database: Database,
  lockUser: UserLock | undefined,
  ...[userId, type, id, events, signsInBy]: Parameters<Factors['deleteFactor']>
): Promise<DeletedFactor> {
  const condition = sql`user_id = ${userId} AND type = ${type} AND id = ${id}`
  const ways = toWays(signsInBy)
  const isWay = includesType(ways, type)
  const source = sql`FROM #factors WHERE ${condition}${isWay ? isSurplus(userId, ways) : raw('')}`
  // Without the lock, two concurrent calls would each count what the other deletes.
  const locks = isWay ? await lockUserRow(database, userId, lockUser) : []
  const results = await database.run(
    ...locks,
    sql`SELECT user_id FROM #factors WHERE ${condition}`,
    ...insertEvents(events, source),
    sql`DELETE ${source}`,
  )
  if (results.at(-1)?.affected === 1) return 'deleted'
  return results[locks.length]?.rows.length === 0 ? 'absent' : 'last'
}

/** Returns the condition that a user has more than one way to sign in. */
function isSurplus(userId: string, types: FactorTypes): Statement {
  // MySQL can read the table that it deletes from only in a nested subquery.
  return sql` AND (SELECT COUNT(*) FROM (${selectWays(userId, types)}) ways) > 1`
}

/** Selects a row for each account of a user, and each factor of some types. */
const selectWays: SelectWays = (
  userId,
  types,
) => sql`SELECT user_id FROM #accounts WHERE user_id = ${userId}
  UNION ALL
  SELECT user_id FROM #factors WHERE user_id = ${userId}${isOfTypes(types)}`

/** Returns the condition that a factor is of these types. PostgreSQL and MySQL accept no empty list. */
function isOfTypes({ listed, isOthers }: FactorTypes): Statement {
  if (listed.length === 0) return raw(isOthers ? '' : ' AND 1 = 0')
  return sql` AND type ${raw(isOthers ? 'NOT IN' : 'IN')} (${joinValues(listed)})`
}

function insertFactor({ lock }: Database, userId: string, factor: NewFactor): Statement {
  const { type, id, name, data, changedAt, createdAt, lastUsedAt } = factor
  const values = [type, id, name, data, createVersion(), changedAt, createdAt, lastUsedAt]
  return sql`INSERT INTO #factors (user_id, ${COLUMNS})
    SELECT id, ${joinValues(values)} FROM #users WHERE id = ${userId}${lock}`
}

function toAssignments({ name, data, changedAt, lastUsedAt }: FactorChanges): Statement {
  const times = { changed_at: changedAt, last_used_at: lastUsedAt }
  return toGiven({ name, data, ...times, version: createVersion() })
}

/** Returns the factor of a row of {@link JOINED_COLUMNS}. */
function toFactor(row: Row): Factor {
  const { factor_name: name, last_used_at: lastUsedAt } = row
  return {
    type: requireText(row['factor_type'], 'factor_type'),
    id: requireText(row['factor_id'], 'factor_id'),
    userId: requireText(row['user_id'], 'user_id'),
    name: toText(name),
    data: requireText(row['factor_data'], 'factor_data'),
    version: requireText(row['factor_version'], 'factor_version'),
    changedAt: Number(row['changed_at']),
    createdAt: Number(row['created_at']),
    lastUsedAt: lastUsedAt === null ? null : Number(lastUsedAt),
  }
}

export type { SqlFactors } from './optional-parts.ts'
