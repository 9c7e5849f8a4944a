import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** One file of the schema. */
export interface SchemaFile {
  /** E.g. `0003_identities`. */
  readonly name: string
  readonly sql: string
}

const { resolve } = createRequire(import.meta.url)

/** Returns the files of the schema for a kind of database, in order. */
export function readSchema(dialect: 'sqlite' | 'postgres' | 'mysql'): readonly SchemaFile[] {
  const folder = join(dirname(resolve('@latchkey/storage-sql/package.json')), 'schema', dialect)
  return readdirSync(folder)
    .toSorted()
    .map((file) => ({
      name: file.replace(/\.sql$/, ''),
      sql: readFileSync(join(folder, file), 'utf8'),
    }))
}

/** A migration of wrangler, to be written. */
export interface WranglerMigration {
  /** E.g. `0001_latchkey_initial.sql`. */
  readonly file: string
  readonly sql: string
}

/**
 * Returns the files that a folder of wrangler's migrations lacks, with the next numbers. A file counts
 * by its content, whatever its name.
 *
 * @param present The contents of the folder's files by name
 */
export function planWranglerMigrations(
  present: Readonly<Record<string, string>>,
): readonly WranglerMigration[] {
  const known = new Set(Object.values(present).map(normalize))
  const numbers = Object.keys(present).map((name) => Number(/^\d+/.exec(name)?.[0] ?? 0))
  const last = Math.max(0, ...numbers)
  return readSchema('sqlite')
    .filter(({ sql }) => !known.has(normalize(sql)))
    .map(({ name, sql }, i) => ({
      file: `${String(last + 1 + i).padStart(4, '0')}_latchkey_${name.replace(/^\d+_/, '')}.sql`,
      sql,
    }))
}

function normalize(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').trim()
}
