import {
  parseEmailAddress,
  isList,
  isObject,
  readMember,
  isStorableId,
} from '@latchkey/core/capability/options'
import type { PasswordCost, PasswordWork } from '../password-work.ts'
import type { UserFields } from '@latchkey/core'
import type { ImportRefusal } from '../user-import.ts'
import { copyProfile } from '@latchkey/core/capability/sign-in'

/** Why a row is refused. */
export interface RowProblem {
  readonly reason: ImportRefusal
  readonly member?: string
  /** What the hash costs. */
  readonly cost?: PasswordCost | undefined
}

/** A valid row. */
export interface ImportedRow {
  readonly id: string | undefined
  readonly email: string
  readonly emailVerified: boolean
  readonly hash: string | undefined
  /** What the hash costs. */
  readonly cost: PasswordCost | undefined
  readonly name: string | null
  readonly image: string | null
  readonly fields: object
}

/** What rows are checked with. */
export interface RowRules {
  readonly work: Pick<PasswordWork, 'getCost'>
  readonly fields: UserFields | undefined
  /** The ids of the providers. */
  readonly providers: { readonly has: (id: string) => boolean }
}

const members = ['id', 'email', 'emailVerified', 'hash', 'name', 'image', 'fields']

/** Returns the email address of a row; undefined if it is invalid. */
export function readEmail(row: unknown): string | undefined {
  const email = readMember(row, 'email')
  // A character that NFKC replaces could make it the email address of another user.
  if (typeof email !== 'string' || email.normalize('NFKC') !== email) return undefined
  return parseEmailAddress(email)
}

/** Checks a row. What it does not name has its default. */
export function parseRow(rules: RowRules, given: unknown): ImportedRow | RowProblem {
  if (!isObject(given) || isList(given)) return { reason: 'invalid' }
  const row = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  const unknown = Object.keys(row).find((member) => !members.includes(member))
  if (unknown !== undefined) return invalid(unknown)
  const owner = parseOwner(rules, row)
  if ('reason' in owner) return owner
  const profile = parseProfile(rules, row)
  if ('reason' in profile) return profile
  const { hash } = owner
  const cost = hash === undefined ? undefined : rules.work.getCost(hash)
  if (hash !== undefined && !cost) return { reason: 'unknownHash' }
  if (cost?.problem !== undefined) return { reason: 'noDecoy', cost }
  return { ...owner, ...profile, cost }
}

type Row = Readonly<Record<string, unknown>>

function parseOwner(
  rules: RowRules,
  row: Row,
): Pick<ImportedRow, 'id' | 'email' | 'emailVerified' | 'hash'> | RowProblem {
  const { id, emailVerified, hash } = row
  const email = readEmail(row)
  if (email === undefined) return invalid('email')
  if (typeof emailVerified !== 'boolean') return invalid('emailVerified')
  if (hash !== undefined && typeof hash !== 'string') return invalid('hash')
  if (!isId(rules, id) || (id === undefined && !emailVerified && hash === undefined)) {
    return invalid('id')
  }
  return { id, email, emailVerified, hash }
}

function parseProfile(
  rules: RowRules,
  { name = null, image: given = null, fields = {} }: Row,
): Pick<ImportedRow, 'name' | 'image' | 'fields'> | RowProblem {
  if (!isName(name)) return invalid('name')
  const image = given === null ? null : copyProfile({ profile: { image: given } }).image
  if (given !== null && image === null) return invalid('image')
  if (!isObject(fields) || isList(fields)) return invalid('fields')
  const field = Object.keys(fields).find((each) => !isField(rules, each, fields[each]))
  return field === undefined ? { name, image, fields } : invalid(`fields.${field}`)
}

function invalid(member: string): RowProblem {
  return { reason: 'invalid', member }
}

/** The id of a provider and a colon begin the ids of its users (I-43.12). */
function isId({ providers }: RowRules, id: unknown): id is string | undefined {
  if (id === undefined) return true
  if (!isStorableId(id)) return false
  const [prefix = '', ...rest] = id.split(':')
  return rest.length === 0 || !providers.has(prefix)
}

/** A shortened name would be another one. */
function isName(name: unknown): name is string | null {
  return name === null || copyProfile({ profile: { name } }).name === name
}

function isField({ fields }: RowRules, name: string, value: unknown): boolean {
  if (!fields || !Object.hasOwn(fields.declarations, name)) return false
  try {
    fields.encodeChanges({ [name]: value })
    return true
  } catch {
    return false
  }
}
