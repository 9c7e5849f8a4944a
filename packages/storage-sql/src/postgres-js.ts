import { ConfigurationError } from '@latchkey/core'
import { postgres } from './dialects.ts'
import { openWithReads } from './reads.ts'
import type { ReadsOptions } from './reads.ts'
import { online } from './online.ts'
import type { PoolStorageOptions } from './pool.ts'
import { createPostgresJsRunner } from './postgres-js-runner.ts'
import type { PostgresJs } from './postgres-js-runner.ts'
import { explainPoolerErrors } from './pooler.ts'
import { getPostgresWarnings } from './postgres-warnings.ts'
import { postgresErrors } from './postgres.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage } from './storage.ts'

/**
 * Creates a storage in PostgreSQL through postgres.js. Several statements run in a transaction, READ
 * COMMITTED. The client must not change rows (`transform`).
 *
 * @example
 *   import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
 *   import type { PostgresJs } from '@latchkey/storage-sql/postgres-js'
 *
 *   declare const sql: PostgresJs // postgres('postgres://localhost/app')
 *   const storage = postgresJsStorage(sql)
 *
 * @param client It prepares statements, unless it was created with `prepare: false`
 *
 * @throws ConfigurationError `client`, if it has the option `transform`; `prefix`, `fields`, `timeout` or `reads`
 */
export function postgresJsStorage<Fields = unknown>(
  client: PostgresJs,
  options: PoolStorageOptions<Fields> & ReadsOptions<PostgresJs> = {},
): SqlStorage<Fields> {
  const open = (of: PostgresJs, timeout: number): SqlStorage<Fields> => {
    checkTransform(of)
    return createStorage(
      {
        ...postgresErrors,
        dialect: 'postgres',
        run: explainPoolerErrors(createPostgresJsRunner(of, timeout)),
      },
      postgres,
      options,
      timeout,
      { getWarnings: getPostgresWarnings, online },
    )
  }
  return openWithReads(open, client, options)
}

/** Each part of `transform` that changes what is read. `undefined` changes what is written only. */
const parts = ['column', 'value', 'row'] as const

/** @throws ConfigurationError `client` */
function checkTransform({ options }: PostgresJs): void {
  const { transform }: { readonly transform?: Readonly<Record<string, unknown>> } = Object(options)
  const changed = parts.find((part) => typeof Object(transform?.[part]).from === 'function')
  if (changed === undefined) return
  const problem = `must not have the option transform.${changed}, which changes the rows that are read`
  throw new ConfigurationError('client', `${problem}: create another client for the storage`)
}

export type { PoolStorageOptions } from './pool.ts'
export type { Reads, ReadsOptions } from './reads.ts'
export type {
  PostgresJs,
  PostgresJsConnection,
  PostgresJsQueries,
  PostgresJsQuery,
  PostgresJsQueryOptions,
} from './postgres-js-runner.ts'
