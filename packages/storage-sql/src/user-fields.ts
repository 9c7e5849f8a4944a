import { userFields as createUserFields } from '@latchkey/core/user-fields'
import type { StoredUser, UserField, UserFields, UserFieldValues } from '@latchkey/core'
import { mysql, postgres, sqlite } from './dialects.ts'
import type { DialectSyntax } from './dialects.ts'
import type { Dialect, Value } from './driver.ts'
import type { Addition } from './schema.ts'
import { raw, sql } from './sql.ts'
import { checkPrefix } from './prefix.ts'
import { ownColumns } from './user-columns.ts'
import type { SqlUserFields, UserColumns } from './user-columns.ts'

/**
 * Declares an application's own fields of a user: columns of the same names in the table of users, which
 * `migrate()` adds. See `userFields` of `@latchkey/core/user-fields` for names, types and defaults.
 *
 * @example
 *   import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
 *   import { userFields } from '@latchkey/storage-sql/user-fields'
 *
 *   const fields = userFields({
 *     role: { type: 'text', default: 'member' },
 *     credits: { type: 'integer' },
 *   })
 *   const storage = nodeSqliteStorage('./latchkey.sqlite', { fields })
 *   await storage.migrate()
 *   await storage.updateUser('the id of a user', { role: 'admin', credits: 5 })
 *
 * @throws ConfigurationError naming the field that cannot be used
 */
export function userFields<const Fields extends Readonly<Record<string, UserField>>>(
  declarations: Fields,
): SqlUserFields<UserFieldValues<Fields>> {
  const fields = createUserFields(declarations)
  return { ...fields, createColumns: (syntax) => createColumns(fields, syntax) }
}

/**
 * Returns the SQL file that adds the columns of fields, for an application that does not call
 * `migrate()`. In PostgreSQL it can be applied again; in SQLite, D1, MariaDB and MySQL a column that exists is an error, so
 * write a further file for a further field.
 *
 * @example
 *   import { writeFileSync } from 'node:fs'
 *   import { renderUserFields, userFields } from '@latchkey/storage-sql/user-fields'
 *
 *   const fields = userFields({ role: { type: 'text', default: 'member' } })
 *   writeFileSync('migrations/0004_user_fields.sql', renderUserFields(fields, 'sqlite'))
 *
 * @param prefix The option `prefix` of the storage. Default: `latchkey_`
 * @throws ConfigurationError `prefix`
 */
export function renderUserFields(
  fields: UserFields,
  dialect: Dialect,
  prefix = 'latchkey_',
): string {
  checkPrefix(prefix)
  return getAdditions(fields, { sqlite, postgres, mysql }[dialect])
    .map(({ sql: text }) => `${text.replace('#', prefix)};\n`)
    .join('\n')
}

function createColumns(fields: UserFields, syntax: DialectSyntax): UserColumns {
  const names = Object.keys(fields.declarations)
  const quote = (name: string): string => syntax.quote + name + syntax.quote
  // A joined table may have columns of the same names.
  const aliased = names.map((name, i) => `, u.${quote(name)} AS f${i}`)
  return {
    inserted: raw([ownColumns.inserted.sql, ...names.map(quote)].join(', ')),
    selected: raw(ownColumns.selected.sql + aliased.join('')),
    toValues(user) {
      const columns = fields.encodeUser(user)
      return [...ownColumns.toValues(user), ...names.map((name) => columns[name] ?? null)]
    },
    toAssignments(changes) {
      const columns = Object.entries(fields.encodeChanges(changes))
      const assigned = columns.map(([name, value]) => sql`${raw(quote(name))} = ${value}`)
      return [...ownColumns.toAssignments(changes), ...assigned]
    },
    toUser(row, id) {
      const columns = Object.fromEntries(names.map((name, i) => [name, row[`f${i}`]]))
      return { ...ownColumns.toUser(row, id), ...Object(fields.decode(columns)) }
    },
    toStored: (user) => toStored(fields, user),
    additions: getAdditions(fields, syntax),
  }
}

function toStored(fields: UserFields, user: StoredUser): StoredUser {
  const { id, name, email, emailVerified, image } = user
  const values: object = Object(fields.decode(fields.encodeUser(user)))
  return { id, name, email, emailVerified, image, ...values }
}

const columnTypes = {
  text: 'text',
  integer: 'integer',
  number: 'real',
  boolean: 'integer',
  date: 'integer',
  json: 'text',
} as const satisfies Record<UserField['type'], keyof DialectSyntax['types']>

/**
 * Returns what adds the columns of fields. A default is the column's too, so that existing rows get it;
 * no column is NOT NULL, so that a declaration can change.
 */
function getAdditions(fields: UserFields, syntax: DialectSyntax): Addition[] {
  const defaults = fields.encodeUser({})
  return Object.entries(fields.declarations).map(([name, { type }]) => {
    const column = syntax.quote + name + syntax.quote
    const definition = `${column} ${syntax.types[columnTypes[type]]}`
    const suffix = renderDefault(defaults[name] ?? null, syntax)
    return {
      table: '#users',
      column,
      sql: `ALTER TABLE #users\n  ${syntax.addColumn} ${definition}${suffix}`,
    }
  })
}

function renderDefault(value: Value, { textDefault }: DialectSyntax): string {
  if (value === null) return ''
  if (typeof value === 'number') return ` DEFAULT ${value}`
  return ` DEFAULT ${textDefault === 'hex' ? toHex(value) : `'${value.replaceAll("'", "''")}'`}`
}

/** Returns the bytes of a text, which the character set of a connection does not change. */
function toHex(text: string): string {
  const bytes = [...new TextEncoder().encode(text)]
  return `(X'${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}')`
}

export type { UserField, UserFields, UserFieldTypes, UserFieldValues } from '@latchkey/core'
export type { SqlUserFields } from './user-columns.ts'
