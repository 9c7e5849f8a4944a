import type { Database } from './database.ts'
import type { DialectSyntax, Index, OnlineSyntax } from './dialects.ts'
import { LeaseLostError, withLease as hold } from './lease.ts'
import type { Lease } from './lease.ts'
import { MAX_ATTEMPTS, pause, runLimited } from './run-patiently.ts'
import { renderIndex } from './schema.ts'
import type { Addition } from './schema.ts'
import { sleep } from './sleep.ts'
import { raw } from './sql.ts'

/** What migrates the tables of a database server while other processes use them. */
export interface Online {
  /** Returns the columns of the lease in the table of migrations. */
  readonly getLeaseColumns: (syntax: DialectSyntax) => readonly Addition[]
  /** Runs work in one process at a time. */
  readonly withLease: (database: Database, work: (lease: Lease) => Promise<void>) => Promise<void>
  /** Creates an index while the table is written. */
  readonly createIndex: (database: Database, index: Index) => Promise<void>
}

/** A separate value, so that the storage of D1 does not bundle it. */
export const online: Online = { getLeaseColumns, withLease, createIndex }

function getLeaseColumns({ addColumn, types }: DialectSyntax): readonly Addition[] {
  const table = '#migrations'
  return Object.entries({ holder: types.text, expires: types.integer }).map(([column, type]) => ({
    table,
    column,
    sql: `ALTER TABLE ${table} ${addColumn} ${column} ${type}`,
  }))
}

async function withLease(database: Database, work: (lease: Lease) => Promise<void>): Promise<void> {
  try {
    await hold(database, getSyntax(database), work)
  } catch (error) {
    // The other process may be killed too: `migrate` looks whether everything is applied.
    if (!(error instanceof LeaseLostError)) throw error
  }
}

function getSyntax({ syntax }: Database): OnlineSyntax {
  if (!syntax.online) throw new Error('the dialect has no statements for migrations in use')
  return syntax.online
}

async function createIndex(database: Database, index: Index): Promise<void> {
  const syntax = getSyntax(database)
  for (let attempt = 1; ; attempt++) {
    if (await removeInvalidIndex(database, syntax, index)) return
    try {
      await buildIndex(database, syntax, index)
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !database.isTransient(error)) throw error
      await pause()
    }
  }
}

/** Drops an index that a migration left unfinished when it was killed. Returns whether there is a valid one. */
async function removeInvalidIndex(
  { prefix, runUnlimited: run }: Database,
  syntax: OnlineSyntax,
  index: Index,
): Promise<boolean> {
  const rename = (name: string): string => name.replace('#', prefix)
  const select = syntax.selectIndex(rename(index.table), rename(index.name))
  for (;;) {
    const [found] = (await run(select))[0]?.rows ?? []
    if (!found || Number(found['is_valid']) === 1) return found !== undefined
    // The server continues the statement of a process that was killed.
    if (Number(found['is_building']) > 0) await sleep(500)
    else await run(raw(syntax.dropIndex(index)))
  }
}

async function buildIndex(database: Database, syntax: OnlineSyntax, index: Index): Promise<void> {
  const create = raw(syntax.createIndex(index))
  // PostgreSQL builds an index concurrently outside of transactions only, and locks nothing that writers wait for.
  if (database.syntax.migrationLock === '') return runLimited(database, create)
  try {
    await database.runOnce(create)
  } catch (error) {
    // A driver that runs every statement in a transaction, such as one for PGlite.
    if (!/inside a transaction/.test(String(error))) throw error
    await database.runUnlimited(raw(renderIndex(index)))
  }
}
