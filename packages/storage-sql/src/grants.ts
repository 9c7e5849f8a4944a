import type { Grant, GrantChanges, Grants, GrantSelection, NewGrant } from '@latchkey/core'
import { checkData } from '@latchkey/core/unstable'
import { createClientMethods, sweepClients } from './clients.ts'
import type { Database } from './database.ts'
import type { Row, Statement } from './driver.ts'
import type { SqlGrants, StorageParts } from './optional-parts.ts'
import { insertEvents } from './outbox.ts'
import { createVersion, requireText, toGiven, toNumber, toText } from './rows.ts'
import { addTables } from './schema.ts'
import type { NamedTables } from './schema.ts'
import { joinParts, joinValues, raw, sql } from './sql.ts'
import { SWEPT, sweepOptional } from './sweeper.ts'

/**
 * Keeps grants and clients of the authorization server: the option `grants` of each storage of this package. Its
 * tables are a migration, `0009_grants`, which `migrate()` applies with this option. Without it the storage lacks the
 * capabilities `grants` and `clients`.
 *
 * All processes that use the same tables need the option: without it `joinUser` keeps grants.
 *
 * @example
 *   import { sqlGrants } from '@latchkey/storage-sql/grants'
 *   import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
 *
 *   const storage = nodeSqliteStorage('./latchkey.sqlite', { grants: sqlGrants() })
 *   await storage.migrate()
 */
export function sqlGrants(): SqlGrants {
  return {
    owned: '#grants',
    addTables: (syntax) => addTables(syntax, tables),
    sweep: async (database, now, limit) =>
      (await sweepOptional(database, { ...grantRows, now, limit })) +
      (await sweepClients(database, now, limit)),
    createMethods: (parts) => ({
      ...createGrantMethods(parts),
      ...createClientMethods(parts.database),
    }),
  }
}

const tables: NamedTables = [
  '0009_grants',
  [
    [
      '#grants',
      `id {key} PRIMARY KEY,
  user_id {key},
  client_id {key} NOT NULL,
  resource {text} NOT NULL,
  scopes {text} NOT NULL,
  authenticated_at {integer},
  methods {text} NOT NULL,
  counter {integer} NOT NULL,
  version {text} NOT NULL,
  created_at {integer} NOT NULL,
  changed_at {integer} NOT NULL,
  expires {integer} NOT NULL,
  grant_key {key} UNIQUE,
  data {text} NOT NULL,
  FOREIGN KEY (user_id) REFERENCES #users (id) ON DELETE CASCADE`,
      'user_id',
      'client_id',
      'expires',
    ],
    [
      '#clients',
      `id {key} PRIMARY KEY,
  version {text} NOT NULL,
  created_at {integer} NOT NULL,
  expires {integer},
  data {text} NOT NULL`,
      'expires',
    ],
  ],
]

const grantRows = { table: '#grants', key: ['id'] } as const

/** Grants that a list has at most. */
const LISTED = 100

/** The columns of a grant, without the user's id. */
const COLUMNS = raw(
  `id, client_id, resource, scopes, authenticated_at, methods, counter, version,
  created_at, changed_at, expires, grant_key, data`.replaceAll(/\s+/g, ' '),
)

/** The columns for a join with a user, who has an id too. */
const JOINED_COLUMNS = raw(
  COLUMNS.sql.replaceAll(/\w+/g, 'g.$&').replace('g.id', 'g.id AS grant_id, g.user_id'),
)

function createGrantMethods({ database, users }: StorageParts): Grants {
  const { catchUniqueViolation, lock, queryRows, run, syntax } = database
  const select = sql`SELECT ${JOINED_COLUMNS} FROM #grants g`
  return {
    async createGrant(grant, events) {
      checkData(grant)
      const { userId, createdAt: now } = grant
      const from = userId === null ? raw('') : sql`FROM #users WHERE id = ${userId}${lock}`
      const created = run(
        ...insertEvents(events, from),
        insertGrant(grant, from),
        syntax.deleteExpired({ ...grantRows, now, limit: SWEPT }),
      )
      const results = await catchUniqueViolation(created)
      return results?.at(-2)?.affected === 1
    },
    async getGrantAndUser(id, now) {
      const [row] = await queryRows(
        sql`SELECT ${JOINED_COLUMNS}, ${users.selected}
          FROM #grants g LEFT JOIN #users u ON u.id = g.user_id
          WHERE g.id = ${id} AND g.expires > ${now}`,
      )
      if (!row) return undefined
      const grant = toGrant(row)
      return { grant, user: grant.userId === null ? null : users.toUser(row, grant.userId) }
    },
    async getGrantByKey(key, now) {
      const [row] = await queryRows(
        sql`${select} WHERE g.grant_key = ${key} AND g.expires > ${now}`,
      )
      return row && toGrant(row)
    },
    updateGrant: async (...args) => updateGrant(database, ...args),
    async deleteGrant(id, events) {
      await run(sql`DELETE FROM #grants WHERE id = ${id}`, ...insertEvents(events))
    },
    async listGrants(userId, now) {
      const rows = await queryRows(
        sql`${select} WHERE g.user_id = ${userId} AND g.expires > ${now}
          ORDER BY g.created_at DESC, g.id ${raw(`LIMIT ${LISTED}`)}`,
      )
      return rows.map(toGrant)
    },
    async deleteGrants(selection, events) {
      await run(sql`DELETE FROM #grants WHERE ${toCondition(selection)}`, ...insertEvents(events))
    },
  }
}

async function updateGrant(
  { lock, runChange }: Database,
  ...[id, expectedVersion, changes, events]: Parameters<Grants['updateGrant']>
): Promise<boolean> {
  checkData(changes)
  const { userId } = changes
  const user = sql`FROM #users WHERE id = ${userId ?? null}`
  const isFree = sql` AND user_id IS NULL AND EXISTS (SELECT id ${user})`
  const isExpected = sql`id = ${id} AND version = ${expectedVersion}`
  const condition = sql`${isExpected}${userId === undefined ? raw('') : isFree}`
  return runChange(
    // As in every other step the user's row is locked first.
    ...(userId === undefined ? [] : [sql`SELECT id ${user}${lock}`]),
    ...insertEvents(events, sql`FROM #grants WHERE ${condition}${lock}`),
    sql`UPDATE #grants SET ${toAssignments(changes)} WHERE ${condition}`,
  )
}

function insertGrant(grant: NewGrant, from: Statement): Statement {
  const { id, userId, clientId, resource, scopes, authenticatedAt, methods, counter } = grant
  const { createdAt, changedAt, expires, key, data } = grant
  const client = [id, clientId, resource, toWords(scopes), authenticatedAt, toWords(methods)]
  const rest = [counter, createVersion(), createdAt, changedAt, expires, key, data]
  const values = joinValues([userId, ...client, ...rest])
  return sql`INSERT INTO #grants (user_id, ${COLUMNS}) SELECT ${values} ${from}`
}

function toAssignments(changes: GrantChanges): Statement {
  const { userId, scopes, authenticatedAt, methods, counter, changedAt, expires, key, data } =
    changes
  return toGiven({
    user_id: userId,
    scopes: scopes && toWords(scopes),
    authenticated_at: authenticatedAt,
    methods: methods && toWords(methods),
    counter,
    changed_at: changedAt,
    expires,
    grant_key: key,
    data,
    version: createVersion(),
  })
}

function toCondition({ userId, clientId }: GrantSelection): Statement {
  const parts = [
    ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
    ...(clientId === undefined ? [] : [sql`client_id = ${clientId}`]),
  ]
  return joinParts(parts, ' AND ')
}

/** Returns the grant of a row of {@link JOINED_COLUMNS}. */
function toGrant(row: Row): Grant {
  return {
    id: requireText(row['grant_id'], 'grant_id'),
    userId: toText(row['user_id']),
    clientId: requireText(row['client_id'], 'client_id'),
    resource: requireText(row['resource'], 'resource'),
    scopes: fromWords(row['scopes']),
    authenticatedAt: toNumber(row['authenticated_at']),
    methods: fromWords(row['methods']),
    counter: Number(row['counter']),
    version: requireText(row['version'], 'version'),
    createdAt: Number(row['created_at']),
    changedAt: Number(row['changed_at']),
    expires: Number(row['expires']),
    key: toText(row['grant_key']),
    data: requireText(row['data'], 'data'),
  }
}

/** Returns words as one text: none has a space. */
function toWords(words: readonly string[]): string {
  return words.join(' ')
}

function fromWords(value: unknown): string[] {
  return (toText(value) ?? '').split(' ').filter((word) => word !== '')
}

export type { SqlGrants } from './optional-parts.ts'
