import { ConfigurationError } from '@latchkey/core'
import { sqlite } from './dialects.ts'
import type { Driver, Row, Value } from './driver.ts'
import { openWithReads } from './reads.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'
import { sqliteErrors } from './sqlite.ts'

/** The members of a `D1Database`, or of a D1 session, that the storage uses. */
export interface D1 {
  prepare(sql: string): D1Statement
  batch(statements: D1Statement[]): Promise<D1Result[]>
  /** Begins a D1 session, which may read from a replica. A D1 session does not have it. */
  withSession?(constraint: 'first-unconstrained'): D1
}

/** The members of a `D1PreparedStatement` that the storage uses. */
export interface D1Statement {
  bind(...params: Value[]): D1Statement
}

/** The result of one statement in D1. */
export interface D1Result {
  readonly results: object[]
  readonly meta: { readonly changes: number }
}

/** The options of {@link d1Storage}. */
export interface D1StorageOptions<Fields = unknown> extends SqlStorageOptions<Fields> {
  /** Read replicas that answer reads of sessions: {@link d1Reads}. Default: the primary answers everything */
  readonly reads?: D1Reads | undefined
}

/** The value of the option `reads`. It brings its code along, so that others do not bundle it. */
export interface D1Reads {
  /** Opens the storage, and a second one over the replicas. */
  readonly open: <Fields>(database: D1, create: CreateD1Storage<Fields>) => SqlStorage<Fields>
}

/** Creates the storage of a database, or of D1 sessions, each for one call. */
type CreateD1Storage<Fields> = (connect: () => D1, timeout?: number) => SqlStorage<Fields>

/**
 * Creates a storage in Cloudflare D1. Each method is one call to the database.
 *
 * @example
 *   import { d1Storage } from '@latchkey/storage-sql/d1'
 *   import type { D1 } from '@latchkey/storage-sql/d1'
 *
 *   interface Env {
 *     readonly DB: D1
 *   }
 *
 *   export const createStorage = (env: Env) => d1Storage(env.DB)
 *
 * @throws ConfigurationError `prefix`, `fields`, `reads`, or `database` if it is not a D1 database: a binding
 *   that is missing or misspelt is undefined
 */
export function d1Storage<Fields = unknown>(
  database: D1,
  options: D1StorageOptions<Fields> = {},
): SqlStorage<Fields> {
  if (typeof database?.prepare !== 'function') {
    throw new ConfigurationError('database', 'must be the binding of a D1 database')
  }
  const create: CreateD1Storage<Fields> = (connect, timeout) =>
    createStorage(createDriver(connect), sqlite, options, timeout)
  return options.reads ? options.reads.open(database, create) : create(() => database)
}

/**
 * Makes D1's read replicas answer reads of sessions: the option `reads` of {@link d1Storage}. A database
 * without read replication reads from the primary.
 *
 * @param maxLag The seconds by which a replica may lag, from 1 to 3600. A session that is ended elsewhere
 *   continues for as long in these reads
 * @throws ConfigurationError from `d1Storage`: `reads.maxLag`, and `reads` in a D1 session
 *
 * @example
 *   import { d1Reads, d1Storage } from '@latchkey/storage-sql/d1'
 *   import type { D1 } from '@latchkey/storage-sql/d1'
 *
 *   declare const env: { readonly DB: D1 }
 *   const storage = d1Storage(env.DB, { reads: d1Reads({ maxLag: 60 }) })
 */
export function d1Reads({ maxLag }: { readonly maxLag: number }): D1Reads {
  return {
    open(database, create) {
      const primary = (): D1 => database
      return openWithReads(
        (connect, timeout) => create(connect, connect === primary ? undefined : timeout),
        primary,
        { reads: { pool: getReplica(database), maxLag } },
      )
    },
  }
}

/** @param connect Returns the database, or a D1 session for one call */
function createDriver(connect: () => D1): Driver {
  return {
    ...sqliteErrors,
    isTransient: (error) => sqliteErrors.isTransient(error) || isRefusal(error),
    dialect: 'sqlite',
    // A batch is a transaction, the only kind that D1 has.
    async run(statements) {
      const database = connect()
      const bound = statements.map(({ sql, params }) => database.prepare(sql).bind(...params))
      const results = await database.batch(bound)
      return results.map(({ results: rows, meta }) => ({
        rows: rows as Row[],
        affected: meta.changes,
      }))
    },
  }
}

/**
 * Returns a function that begins a D1 session, whose first query any instance of the database answers. Each
 * read begins one: later queries of the same session would wait until a replica has what the first one saw.
 */
function getReplica(database: D1): () => D1 {
  if (typeof database.withSession !== 'function') {
    throw new ConfigurationError('reads', 'needs the binding of a D1 database, not a D1 session')
  }
  return () => database.withSession?.('first-unconstrained') ?? database
}

/**
 * Returns whether D1 refused a batch before it ran it. After its other errors, such as `Network connection
 * lost`, a write may have taken effect.
 */
function isRefusal(error: unknown): boolean {
  const { message }: { readonly message?: unknown } = Object(error)
  return /D1 DB is overloaded|Cannot resolve D1 DB/.test(String(message))
}
