import type { Auth, Factor, Storage } from '@latchkey/core'
import type {
  ImportedUser,
  ImportUsersOptions,
  RefusedUser,
} from '@latchkey/passwords/import-users'
import type { PasswordsOptions, PasswordVerifier } from '@latchkey/passwords'
import { importUsers } from '@latchkey/passwords/import-users'
import { alice, fastHasher, good } from './service.ts'

/** The hash of {@link good}, by another version of the hasher. */
export const hash: string = await fastHasher(2).hash(good)

const verifier: PasswordVerifier = {
  verify: fastHasher(2).verify,
  name: 'the other service',
  decoy: hash,
  matches: (text) => text.startsWith('fast2:'),
  getUnsupportedReason: () => undefined,
}

/** The options of a service that verifies {@link hash}. */
export const serviceOptions: Pick<PasswordsOptions, 'verifiers'> = { verifiers: [verifier] }

/** A row that is imported. */
export const row: ImportedUser = { id: 'alice', email: alice, emailVerified: true, hash }

/** What an import has returned and reported. */
export interface Imported {
  readonly counts: readonly [imported: number, unchanged: number, refused: number]
  readonly refused: readonly RefusedUser[]
}

/** Imports rows. */
export async function runImport(
  auth: Auth,
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  options: ImportUsersOptions = {},
): Promise<Imported> {
  const refused: RefusedUser[] = []
  const summary = await importUsers(auth, rows, {
    onRefused: (each) => void refused.push(each),
    ...options,
  })
  return { counts: [summary.imported, summary.unchanged, summary.refused], refused }
}

/** Returns the factors of a user. */
export async function listFactors(storage: Storage, userId: string): Promise<readonly Factor[]> {
  return (await storage.listFactors?.(userId)) ?? []
}
