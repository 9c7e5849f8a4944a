import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { UserFields } from '@latchkey/core'
import { renderUserFields } from '@latchkey/storage-sql/user-fields'

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
 * @param fields The columns of the application's own fields. Default: none
 */
export function planWranglerMigrations(
  present: Readonly<Record<string, string>>,
  fields: readonly FieldColumn[] = [],
): readonly WranglerMigration[] {
  const files = Object.values(present).map(normalize)
  const known = new Set(files)
  const columns = fields.filter(({ addition }) => !files.some((file) => addition.test(file)))
  const numbers = Object.keys(present).map((name) => Number(/^\d+/.exec(name)?.[0] ?? 0))
  const last = Math.max(0, ...numbers)
  const schema = readSchema('sqlite').filter(({ sql }) => !known.has(normalize(sql)))
  const names = columns.map(({ name }) => name).join('_')
  const added = { name: `fields_${names}`, sql: columns.map(({ sql }) => sql).join('\n') }
  return [...schema, ...(columns.length > 0 ? [added] : [])].map(({ name, sql }, i) => ({
    file: `${String(last + 1 + i).padStart(4, '0')}_latchkey_${name.replace(/^\d+_/, '')}.sql`,
    sql,
  }))
}

/** The column of one of the application's own fields. */
export interface FieldColumn {
  readonly name: string
  /** The statement that adds it. */
  readonly sql: string
  /** Matches a file that adds it, whatever its default. */
  readonly addition: RegExp
}

/** Returns the columns of the option `fields` of a storage, in D1. */
export function getFieldColumns(fields: UserFields): readonly FieldColumn[] {
  const statements = renderUserFields(fields, 'sqlite').split(/(?<=;\n)\n(?=ALTER TABLE )/)
  return Object.keys(fields.declarations).map((name, i) => ({
    name,
    sql: statements[i] ?? '',
    addition: new RegExp(`\\badd (column )?["\`[]?${name}\\b`, 'i'),
  }))
}

function normalize(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').trim()
}
