import { getService, requireStorage } from '@latchkey/core/capability'
import {
  AuthError,
  ConfigurationError,
  checkKnownNames,
  isObject,
} from '@latchkey/core/capability/options'
import type { Provider } from '@latchkey/core'
import type { PasswordCost } from './password-work.ts'
import type { ImportUsersOptions, RefusedUser, UserImportSummary } from './user-import.ts'
import type { Service } from '@latchkey/core/capability'
import { parseRow, readEmail } from './flow/imported-row.ts'
import type { ImportedRow, RowProblem, RowRules } from './flow/imported-row.ts'
import { PASSWORD } from './flow/password-factor.ts'
import type { PasswordProvider } from './flow/provider.ts'
import { storeRow } from './flow/store-imported.ts'
import type { ImportTarget, RowOutcome } from './flow/store-imported.ts'

const OPTION = 'importUsers'
const MAX_CONCURRENCY = 100

/**
 * Stores users of another service, with the hashes of their passwords, so that they sign in as before. Each user
 * is stored with the password in one step. With a proven email address the password signs in; otherwise it does after a link
 * in an email is opened in the same browser. A row that was imported changes nothing when it comes again, so an import can
 * be stopped and repeated. A password that the user has is never replaced. No event is emitted, and no email is sent.
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { importUsers } from '@latchkey/passwords/import-users'
 *
 *   declare const auth: Auth
 *   declare function readUsers(): AsyncIterable<{ id: string; mail: string; bcrypt: string }>
 *
 *   async function* toRows() {
 *     for await (const { id, mail, bcrypt } of readUsers()) {
 *       yield { id, email: mail, emailVerified: true, hash: bcrypt }
 *     }
 *   }
 *   const { imported, refused } = await importUsers(auth, toRows(), {
 *     onRefused: ({ row, reason, member }) => console.warn(`row ${row}: ${reason} ${member ?? ''}`),
 *   })
 *   console.log(`${imported} imported, ${refused} refused`)
 *
 * @param auth What `createAuth` returned, with `passwords()` among its providers
 * @param rows Users, of the type `ImportedUser`: each row is checked, and an invalid one is refused
 * @returns How many rows were imported, unchanged and refused
 *
 * @throws ConfigurationError without `passwords()` in `providers`, or if an option is invalid
 * @throws AuthError `Unavailable` naming the number of the row, if the storage fails: rows before it are stored
 */
export async function importUsers(
  auth: object,
  rows: AsyncIterable<unknown> | Iterable<unknown>,
  options: ImportUsersOptions = {},
): Promise<UserImportSummary> {
  const work = createImport(getService(auth, OPTION), options)
  const { signal, onProgress, onRefused } = options
  const counts = { imported: 0, unchanged: 0, refused: 0 }
  let summary: UserImportSummary = { ...counts, costs: [], isComplete: true }
  for await (const batch of toBatches(work, rows)) {
    if (signal?.aborted) return { ...summary, isComplete: false }
    const settled = await Promise.allSettled(batch.map(({ row }) => importRow(work, row)))
    const done = batch.flatMap((each, i) => toDone(each, settled[i]))
    for (const { refused } of done) if (refused) await onRefused?.(refused)
    summary = add(summary, done)
    onProgress?.(summary)
    checkSettled(batch, settled)
  }
  return summary
}

interface Import extends RowRules, ImportTarget {
  readonly concurrency: number
}

function createImport(service: Service, options: ImportUsersOptions): Import {
  const names = ['dryRun', 'addsPasswords', 'concurrency', 'signal', 'onProgress', 'onRefused']
  checkKnownNames(OPTION, options, names)
  const { dryRun: isDry = false, addsPasswords = false, concurrency = 10 } = options
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAX_CONCURRENCY) {
    const problem = `must be a whole number from 1 to ${MAX_CONCURRENCY}`
    throw new ConfigurationError(`${OPTION}.concurrency`, problem)
  }
  const { providers, runtime, capabilities } = service
  const provider = [...providers.values()].find(isPasswordProvider)
  if (!provider) throw new ConfigurationError(OPTION, 'needs passwords() in the option providers')
  const storage = requireStorage(service.storage, OPTION, ['factors'])
  const rules = { work: provider.work, fields: storage.fields, providers }
  const { backups } = capabilities
  return { ...rules, storage, runtime, backups, isDry, addsPasswords, concurrency }
}

function isPasswordProvider(provider: Provider): provider is PasswordProvider {
  return provider.factorType === PASSWORD && 'work' in provider
}

/** A row with its number, which is checked but not compared with the storage. */
interface NumberedRow {
  readonly number: number
  readonly email: string | undefined
  readonly row: ImportedRow | RowProblem
}

/** Rows that are imported simultaneously have different ids and email addresses: the first one of a file is stored. */
async function* toBatches(
  work: Import,
  rows: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<readonly NumberedRow[]> {
  if (!isIterable(rows)) throw new ConfigurationError(OPTION, 'needs an iterable of rows')
  let [batch, keys, number]: [NumberedRow[], Set<string>, number] = [[], new Set(), 0]
  for await (const given of rows) {
    number += 1
    const row = parseRow(work, given)
    const own = 'reason' in row ? [] : [`id ${row.id ?? number}`, `email ${row.email}`]
    if (batch.length === work.concurrency || own.some((key) => keys.has(key))) {
      yield batch
      ;[batch, keys] = [[], new Set()]
    }
    batch.push({ number, email: readEmail(given), row })
    for (const key of own) keys.add(key)
  }
  if (batch.length > 0) yield batch
}

function isIterable(rows: unknown): boolean {
  return isObject(rows) && (Symbol.asyncIterator in rows || Symbol.iterator in rows)
}

async function importRow(work: Import, row: ImportedRow | RowProblem): Promise<RowOutcome> {
  return 'reason' in row ? row : storeRow(work, row)
}

/** What was done with one row. */
interface DoneRow {
  readonly outcome: 'imported' | 'unchanged' | 'refused'
  readonly cost: PasswordCost | undefined
  readonly refused?: RefusedUser
}

function toDone(
  { number, email, row: { cost } }: NumberedRow,
  settled: PromiseSettledResult<RowOutcome> | undefined,
): DoneRow[] {
  if (settled?.status !== 'fulfilled') return []
  const { value } = settled
  if (typeof value === 'string') return [{ outcome: value, cost }]
  const { reason, member } = value
  const { problem } = cost ?? {}
  return [{ outcome: 'refused', cost, refused: { row: number, email, reason, member, problem } }]
}

function add(summary: UserImportSummary, done: readonly DoneRow[]): UserImportSummary {
  const count = (one: DoneRow['outcome']): number =>
    summary[one] + done.filter(({ outcome }) => outcome === one).length
  return {
    imported: count('imported'),
    unchanged: count('unchanged'),
    refused: count('refused'),
    costs: addCosts(summary.costs, done),
    isComplete: true,
  }
}

function addCosts(
  costs: UserImportSummary['costs'],
  done: readonly DoneRow[],
): UserImportSummary['costs'] {
  const all = new Map(costs.map((each) => [each.cost, each]))
  for (const { cost } of done) {
    if (cost) all.set(cost.cost, { ...cost, rows: (all.get(cost.cost)?.rows ?? 0) + 1 })
  }
  return [...all.values()]
}

/** @throws AuthError `Unavailable` naming the first row that was not stored */
function checkSettled(
  batch: readonly NumberedRow[],
  settled: readonly PromiseSettledResult<RowOutcome>[],
): void {
  const index = settled.findIndex(({ status }) => status === 'rejected')
  const failed = settled[index]
  if (failed?.status !== 'rejected') return
  const problem = `the import stopped at row ${batch[index]?.number}: run it again`
  throw new AuthError('Unavailable', problem, { cause: failed.reason })
}

export type {
  ImportedUser,
  ImportRefusal,
  ImportUsersOptions,
  RefusedUser,
  UserImportSummary,
} from './user-import.ts'
