import type { NewFactor, StoredUser } from '@latchkey/core'
import { createUuid, isSameEmail, findUser } from '@latchkey/core/capability/sign-in'
import type { Service, GuardedStorage } from '@latchkey/core/capability'
import type { ImportedRow, RowProblem } from './imported-row.ts'
import {
  createPasswordFactor,
  findPasswordFactor,
  PASSWORD,
  toUnprovenId,
} from './password-factor.ts'

/** What is done with a row. */
export type RowOutcome = 'imported' | 'unchanged' | RowProblem

/** Where rows are stored. */
export interface ImportTarget {
  readonly storage: GuardedStorage
  readonly runtime: Service['runtime']
  /** Types of factors by which users do not sign in (I-63.7). */
  readonly backups: readonly string[]
  /** Whether nothing is stored. */
  readonly isDry: boolean
  /** Whether users who sign in by other ways get a password too. */
  readonly addsPasswords: boolean
}

/** Resolves to false, and nothing is stored, if what was read before has changed. */
type Write = () => Promise<boolean>

/** Writes that can fail because another import, or the user, is faster. */
const MAX_ATTEMPTS = 3

/**
 * Stores the user of a row, with the password, in one step (I-55.14).
 *
 * @throws AuthError `Unavailable` if the storage fails
 */
export async function storeRow(target: ImportTarget, row: ImportedRow): Promise<RowOutcome> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const decision = await decide(target, row)
    if (typeof decision !== 'function') return decision
    if (target.isDry || (await decision())) return 'imported'
  }
  // A database that compares ids loosely has one that equals it.
  return { reason: 'idTaken' }
}

async function decide(
  target: ImportTarget,
  row: ImportedRow,
): Promise<Write | 'unchanged' | RowProblem> {
  const { storage } = target
  if (row.id === undefined) return decideByEmail(target, row)
  const stored = await findUser(storage, row.id)
  if (stored) return decideStored(target, row, stored)
  const owner = (await storage.getUserByEmail(row.email)) ?? (await findUnproven(storage, row))
  if (!owner) return () => createUser(target, row, row.id)
  // Another import has stored the user meanwhile.
  return owner.id === row.id ? decideStored(target, row, owner) : { reason: 'emailTaken' }
}

/** A row without an id is a user's whom the email address finds. An existing user gets no password by it. */
async function decideByEmail(
  target: ImportTarget,
  row: ImportedRow,
): Promise<Write | 'unchanged' | RowProblem> {
  const { storage } = target
  const owner = await storage.getUserByEmail(row.email)
  const unproven = await findUnproven(storage, row)
  const found = row.emailVerified ? owner : unproven
  if (!owner && !unproven) return () => createUser(target, row)
  const isSame = found && found.id === (owner ?? found).id && isSameEmail(found.email, row.email)
  if (!isSame) return { reason: 'emailTaken' }
  const isUnchanged =
    row.hash === undefined || (await findPasswordFactor(storage, found.id)) !== undefined
  return isUnchanged ? 'unchanged' : { reason: 'emailTaken' }
}

/** Never replaces a password. Unless it is allowed, adds none beside another way to sign in. */
async function decideStored(
  target: ImportTarget,
  { hash, ...row }: ImportedRow,
  user: StoredUser,
): Promise<Write | 'unchanged' | RowProblem> {
  const { storage, backups, addsPasswords } = target
  const getsEmail = addsPasswords && user.email === null
  if (!getsEmail && !isSameEmail(user.email, row.email)) return { reason: 'idTaken' }
  const factors = await storage.listFactors(user.id)
  if (hash === undefined || factors.some(({ type }) => type === PASSWORD)) return 'unchanged'
  const accounts = await storage.listAccounts(user.id)
  const hasWay = accounts.length > 0 || factors.some(({ type }) => !backups.includes(type))
  const isProvenHere = user.emailVerified && !row.emailVerified
  const isEqual = user.emailVerified === row.emailVerified
  if (addsPasswords ? isProvenHere : hasWay || !isEqual) return { reason: 'userExists' }
  const factor = await toFactor(target.runtime, { ...row, hash }, user.id)
  const owner = await storage.getUserByEmail(row.email)
  const other = await storage.getFactorAndUser(PASSWORD, factor.id)
  if ([owner, other?.user].some((each) => each && each.id !== user.id)) {
    return { reason: 'emailTaken' }
  }
  return other ? 'unchanged' : () => addPassword(storage, row, user, factor)
}

/** The email address comes first: if the second step fails, the next import takes it. */
async function addPassword(
  storage: GuardedStorage,
  { email: imported, emailVerified }: Pick<ImportedRow, 'email' | 'emailVerified'>,
  user: StoredUser,
  factor: NewFactor,
): Promise<boolean> {
  if (user.email === null || user.emailVerified !== emailVerified) {
    const changes = { email: user.email ?? imported, emailVerified }
    if (!(await storage.updateUser(user.id, changes))) return false
  }
  return storage.createFactor(user.id, factor)
}

/** Returns the user who has an imported password for an email address that the row does not prove either. */
async function findUnproven(
  storage: GuardedStorage,
  { email, emailVerified, hash }: ImportedRow,
): Promise<StoredUser | undefined> {
  if (emailVerified || hash === undefined) return undefined
  return (await storage.getFactorAndUser(PASSWORD, await toUnprovenId(email)))?.user
}

async function createUser(
  { storage, runtime }: ImportTarget,
  row: ImportedRow,
  id: string = createUuid(runtime.random),
): Promise<boolean> {
  const { email, emailVerified, hash, name, image, fields } = row
  const user = { ...fields, id, name, email, emailVerified, image }
  const factors =
    hash === undefined ? [] : [await toFactor(runtime, { email, emailVerified, hash }, id)]
  return (await storage.createUser(user, undefined, undefined, undefined, ...factors)) !== undefined
}

async function toFactor(
  runtime: Service['runtime'],
  { email, emailVerified, hash }: Pick<ImportedRow, 'email' | 'emailVerified'> & { hash: string },
  userId: string,
): Promise<NewFactor> {
  const id = emailVerified ? userId : await toUnprovenId(email)
  return createPasswordFactor(id, hash, Math.floor(runtime.now() / 1000))
}
