import { ConfigurationError } from '../lib/errors.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import type {
  UserField,
  UserFieldColumn,
  UserFields,
  UserFieldTypes,
  UserFieldValues,
} from '../ports/user-fields.ts'
import { readMember } from '../lib/members.ts'

const MAX_FIELDS = 50
const MAX_LENGTH = 10_000

/** A name is a column of the same name: the shortest limit of the databases is 63 bytes. */
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/

/** Names in lower case: of our own columns and members, and columns that databases add to every table. */
const reserved: readonly string[] = [
  'id',
  'name',
  'email',
  'emailverified',
  'email_verified',
  'unverified_email',
  'image',
  'oid',
  'rowid',
  'ctid',
  'cmin',
  'cmax',
  'xmin',
  'xmax',
  'tableoid',
]

/**
 * Declares an application's own fields of a user, for the option `fields` of a storage. Their values are
 * typed in `callbacks`; no client sees them unless `callbacks.session` returns them.
 *
 * A provider's `profile()` can set them for a new user: a value of the wrong type is refused and logged.
 * A later sign-in changes nothing, as in next-auth v4; `updateUser` of the storage does.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { memoryStorage } from '@latchkey/core/memory'
 *   import { github } from '@latchkey/core/providers/github'
 *   import { userFields } from '@latchkey/core/user-fields'
 *
 *   const fields = userFields({
 *     role: { type: 'text', default: 'member' },
 *     credits: { type: 'integer' },
 *   })
 *   const auth = createAuth({
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *     storage: memoryStorage({ fields }),
 *     callbacks: {
 *       session: ({ session, user }) => ({ ...session, role: user?.role ?? 'member' }),
 *     },
 *   })
 *
 * @param declarations At most 50, by name: `[A-Za-z][A-Za-z0-9_]{0,39}`, not one of the columns that the
 *   service itself uses (`id`, `name`, `email`, `emailVerified`, `email_verified`, `unverified_email`,
 *   `image`), not `latchkey_…`; two names differ in more than case
 * @throws ConfigurationError naming the field that cannot be used
 */
export function userFields<const Fields extends Readonly<Record<string, UserField>>>(
  declarations: Fields,
): UserFields<UserFieldValues<Fields>>
export function userFields(declarations: Readonly<Record<string, UserField>>): UserFields {
  checkDeclarations(declarations)
  const fields: FieldMap = new Map(Object.entries<UserField>(declarations))
  const defaults = toColumns(
    fields,
    mapFields(fields, (field) => field.default ?? null),
  )
  const encodeUser = (user: object): Columns => ({ ...defaults, ...toColumns(fields, user) })
  const decode = (columns: object): unknown => toValues(fields, columns, defaults)
  return Object.freeze({
    declarations,
    fromProfile(profile: object) {
      const { accepted, refused } = partitionValues(fields, profile)
      return { values: decode(encodeUser(accepted)), refused }
    },
    encodeUser,
    encodeChanges: (changes: object) => toColumns(fields, changes),
    decode,
  })
}

type FieldMap = ReadonlyMap<string, UserField>
type Columns = Readonly<Record<string, UserFieldColumn>>

function toColumns(fields: FieldMap, values: object): Columns {
  const given = pick(fields, values)
  return Object.fromEntries(given.map(([name, field, value]) => [name, encode(name, field, value)]))
}

/** Decodes the defaults too, so that no two users share an object. */
function toValues(fields: FieldMap, columns: object, defaults: Columns): Record<string, unknown> {
  return mapFields(fields, (field, name) =>
    decodeColumn(name, field, readMember(columns, name) ?? defaults[name] ?? null),
  )
}

function partitionValues(
  fields: FieldMap,
  values: object,
): { readonly accepted: object; readonly refused: readonly string[] } {
  const given = pick(fields, values)
  const refused = given.filter(([, field, value]) => !isValid(field, value)).map(([name]) => name)
  const accepted = given.filter(([name]) => !refused.includes(name))
  return { accepted: Object.fromEntries(accepted.map(([name, , value]) => [name, value])), refused }
}

function mapFields<T>(
  fields: FieldMap,
  toValue: (field: UserField, name: string) => T,
): Record<string, T> {
  return Object.fromEntries([...fields].map(([name, field]) => [name, toValue(field, name)]))
}

/** Returns the declared members of an object that are not undefined. */
function pick(
  fields: FieldMap,
  values: object,
): readonly (readonly [name: string, field: UserField, value: unknown])[] {
  return [...fields].flatMap(([name, field]) => {
    const value = readMember(values, name)
    return value === undefined ? [] : [[name, field, value] as const]
  })
}

interface Codec<Value> {
  /** What a valid value is, for messages. */
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
  encode(value: Value): Exclude<UserFieldColumn, null>
  /** Returns undefined if the column holds something else. */
  readonly decode: (column: unknown) => Value | undefined
}

const codecs: { readonly [Type in keyof UserFieldTypes]: Codec<UserFieldTypes[Type]> } = {
  text: {
    expected: `a text of at most ${MAX_LENGTH} characters without NUL and lone surrogates`,
    accepts: isText,
    encode: (value) => value,
    decode: (column) => (typeof column === 'string' ? column : undefined),
  },
  integer: {
    expected: 'a safe integer',
    accepts: Number.isSafeInteger,
    encode: withoutNegativeZero,
    decode: (column) => toNumber(column, Number.isSafeInteger),
  },
  number: {
    expected: 'a finite number',
    accepts: Number.isFinite,
    encode: withoutNegativeZero,
    decode: (column) => toNumber(column, Number.isFinite),
  },
  boolean: {
    expected: 'true or false',
    accepts: (value) => typeof value === 'boolean',
    encode: Number,
    decode(column) {
      const number = toNumber(column, (value) => value === 0 || value === 1)
      return number === undefined ? undefined : number === 1
    },
  },
  date: {
    expected: 'a valid Date',
    accepts: (value) => value instanceof Date && Number.isFinite(value.getTime()),
    encode: (value) => value.getTime(),
    decode(column) {
      const time = toNumber(column, (value) => Number.isFinite(new Date(value).getTime()))
      return time === undefined ? undefined : new Date(time)
    },
  },
  json: {
    expected: `a value of at most ${MAX_LENGTH} characters as JSON`,
    accepts: (value) => (toJson(value)?.length ?? Infinity) <= MAX_LENGTH,
    encode: (value) => toJson(value) ?? '',
    decode: parseJson,
  },
}

function isText(value: unknown): boolean {
  // Databases refuse NUL, and replace lone surrogates.
  return (
    typeof value === 'string' && value.length <= MAX_LENGTH && !/[\0\ud800-\udfff]/u.test(value)
  )
}

/** Databases do not agree on the sign of zero. */
function withoutNegativeZero(value: number): number {
  return value === 0 ? 0 : value
}

function toNumber(column: unknown, accepts: (value: number) => boolean): number | undefined {
  const isNumeric = ['number', 'bigint', 'boolean'].includes(typeof column)
  if (!isNumeric && !(typeof column === 'string' && column.trim() !== '')) return undefined
  const number = Number(column)
  return accepts(number) ? number : undefined
}

/** Returns undefined if JSON cannot express the value. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined // A circle or a bigint.
  }
}

function parseJson(column: unknown): unknown {
  try {
    return typeof column === 'string' ? JSON.parse(column) : undefined
  } catch {
    return undefined
  }
}

function isValid(field: UserField, value: unknown): boolean {
  if (value === null) return field.default === undefined
  return codecs[field.type].accepts(value)
}

function encode(name: string, field: UserField, value: unknown): UserFieldColumn {
  if (!isValid(field, value)) {
    throw new TypeError(`the user field ${name} must be ${describe(field)}, found ${toKind(value)}`)
  }
  if (value === null) return null
  const codec: Codec<unknown> = codecs[field.type]
  return codec.encode(value)
}

function decodeColumn(name: string, field: UserField, column: unknown): unknown {
  if (column === null) return null
  const value = codecs[field.type].decode(column)
  if (value !== undefined) return value
  throw new TypeError(`the column ${name} of a user must be ${codecs[field.type].expected}`)
}

function describe(field: UserField): string {
  return `${codecs[field.type].expected}${field.default === undefined ? ' or null' : ''}`
}

/** The value itself could be private. */
function toKind(value: unknown): string {
  return value === null ? 'null' : `another value (${typeof value})`
}

function checkDeclarations(declarations: Readonly<Record<string, UserField>>): void {
  const names = Object.keys(declarations)
  if (names.length > MAX_FIELDS)
    throw new ConfigurationError('fields', `must be at most ${MAX_FIELDS}`)
  const known = new Set<string>()
  for (const [name, field] of Object.entries(declarations)) {
    checkName(name, known)
    checkField(`fields.${name}`, field)
  }
}

/** @param known The names so far, in lower case: databases ignore case */
function checkName(name: string, known: Set<string>): void {
  const lower = name.toLowerCase()
  if (!NAME.test(name))
    throw new ConfigurationError(`fields.${name}`, `the name must match ${NAME.source}`)
  if (reserved.includes(lower) || lower.startsWith('latchkey_') || name in Object.prototype) {
    throw new ConfigurationError(`fields.${name}`, 'the name is reserved')
  }
  if (known.has(lower))
    throw new ConfigurationError(`fields.${name}`, 'another field has this name, apart from case')
  known.add(lower)
}

function checkField(option: string, field: UserField): void {
  checkKnownNames(option, field, ['type', 'default'])
  const types = Object.keys(codecs)
  if (!types.includes(field.type))
    throw new ConfigurationError(`${option}.type`, `must be one of ${types.join(', ')}`)
  const { default: value } = field
  if (value === undefined || codecs[field.type].accepts(value)) return
  throw new ConfigurationError(`${option}.default`, `must be ${codecs[field.type].expected}`)
}

export type {
  UserField,
  UserFieldColumn,
  UserFields,
  UserFieldTypes,
  UserFieldValues,
} from '../ports/user-fields.ts'
