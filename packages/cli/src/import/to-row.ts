import type { UserField } from '@latchkey/core'
import { UsageError } from '../lib/cli-error.ts'
import { isObject } from '../lib/members.ts'

/** The application's own fields of a user, by name. */
export type Declarations = Readonly<Record<string, UserField>>

const columnsOfUsers = ['id', 'email', 'emailVerified', 'hash', 'name', 'image']
const required = ['email', 'emailVerified']

/** @throws UsageError naming the columns that are missing or unknown */
export function checkColumns(columns: readonly string[], declarations: Declarations): void {
  const missing = required.filter((column) => !columns.includes(column))
  if (missing.length > 0) {
    throw new UsageError(`expected the columns ${required.join(' and ')}, found ${list(columns)}`)
  }
  const known = [...columnsOfUsers, ...Object.keys(declarations)]
  const unknown = columns.filter((column) => !known.includes(column))
  if (unknown.length === 0) return
  const problem = 'leave them out, or declare them as fields of the storage'
  throw new UsageError(
    `expected the columns ${known.join(', ')}, found ${list(unknown)}: ${problem}`,
  )
}

function list(columns: readonly string[]): string {
  return columns.map((column) => JSON.stringify(column)).join(', ')
}

/** Returns a record of a file as a row of `importUsers`, which checks it. What cannot be converted stays. */
export function toRow(record: unknown, declarations: Declarations): unknown {
  if (!isObject(record) || Array.isArray(record)) return record
  const { id, emailVerified, ...others } = record
  const own = Object.entries(others).filter(([name]) => columnsOfUsers.includes(name))
  const fields = Object.entries(others).flatMap(([name, value]) => {
    if (columnsOfUsers.includes(name) || value === null) return []
    return [[name, toFieldValue(declarations[name], value)]]
  })
  return {
    ...Object.fromEntries(own),
    id: Number.isSafeInteger(id) ? String(id) : id,
    emailVerified: toBoolean(emailVerified),
    fields: Object.fromEntries(fields),
  }
}

const TRUE: readonly unknown[] = [true, 1, '1', 'true', 't']
const FALSE: readonly unknown[] = [false, 0, '0', 'false', 'f', null]
/** A date with a time, as databases write it: the time of a proof. */
const TIMESTAMP = /^(19[7-9]|[2-9]\d\d)\d-\d\d-\d\d[T ]\d\d:\d\d/
/** Seconds or milliseconds since 1970, from 2001 on. */
const EPOCH = /^[1-9]\d{9,13}$/

function toBoolean(value: unknown): unknown {
  if (TRUE.includes(value)) return true
  if (FALSE.includes(value)) return false
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && (TIMESTAMP.test(text) || EPOCH.test(text)) ? true : value
}

function toFieldValue(field: UserField | undefined, value: unknown): unknown {
  const convert = field && converters[field.type]
  return convert ? convert(value) : value
}

const converters: { readonly [Type in UserField['type']]?: (value: unknown) => unknown } = {
  boolean: (value) => (TRUE.includes(value) ? true : FALSE.includes(value) ? false : value),
  integer: toNumber,
  number: toNumber,
  date: (value) => (typeof value === 'string' || typeof value === 'number' ? toDate(value) : value),
  json: (value) => (typeof value === 'string' ? parseJson(value) : value),
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : value
}

/** A time is in ISO 8601, or in milliseconds since 1970. */
function toDate(value: string | number): Date {
  return new Date(/^\d+$/.test(String(value)) ? Number(value) : value)
}

/** A text of a JSON line can be a value itself. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
