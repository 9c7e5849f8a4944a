import { join } from 'node:path'
import type { Storage } from '@latchkey/core'
import { describeThrown } from '../lib/cli-error.ts'
import { describeDatabaseProblem } from '../lib/database.ts'
import { getFieldColumns } from '../lib/migration-files.ts'
import { isMigratable } from '../lib/sql-storage.ts'
import type { MigratableStorage } from '../lib/sql-storage.ts'
import { readD1Binding } from '../lib/wrangler.ts'
import { getD1Finding } from './d1.ts'
import { broken, note, ok, weak } from './finding.ts'
import type { Finding } from './finding.ts'

/** A storage that can say with which settings its server loses data, such as `@latchkey/storage-redis`. */
interface ServerStorage {
  getServerWarnings(): Promise<readonly ServerWarning[]>
}

interface ServerWarning {
  readonly problem: string
  readonly fix: string
  /** Whether calls fail already. */
  readonly failsCalls?: boolean
}

/** What is known about the application of a storage. */
interface StorageChecks {
  readonly folder: string
  /** Whether the application migrates its database when it starts. */
  readonly migrates: boolean
}

/** Reads the storage of an application, and looks for pending migrations. It writes nothing. */
export async function getConfiguredStorageFindings(
  storage: Storage | undefined,
  { folder, migrates }: StorageChecks,
): Promise<readonly Finding[]> {
  const subject = 'storage'
  if (storage === undefined) {
    const text =
      'is not set: sessions cannot be listed, and sessions of other devices cannot be ended'
    return [weak(subject, text, 'give createAuth a storage, unless that is what you want')]
  }
  const d1 = readD1Binding(folder)
  if (d1 && isMigratable(storage)) {
    const fields = storage.fields ? getFieldColumns(storage.fields) : []
    return [
      getD1Finding({ folder: join(folder, d1.migrationsFolder), binding: d1.binding, fields }),
    ]
  }
  const problem = await tryStorage(storage)
  if (problem !== undefined) {
    return [
      broken(subject, `cannot be used: ${problem}`, 'check its settings, and that the server runs'),
    ]
  }
  return [
    ...(isMigratable(storage) ? [await getMigrationFinding(storage, migrates)] : []),
    ...(await getStorageFindings(storage)),
  ]
}

/** Returns why a storage cannot be read; undefined if it can. */
async function tryStorage(storage: Storage): Promise<string | undefined> {
  try {
    // Without tables a user cannot be read.
    await (isMigratable(storage)
      ? storage.listPendingMigrations()
      : storage.getUser('latchkey-doctor'))
    return undefined
  } catch (thrown) {
    return describeDatabaseProblem(getCause(thrown))
  }
}

async function getMigrationFinding(
  storage: MigratableStorage,
  migrates: boolean,
): Promise<Finding> {
  const pending = (await storage.listPendingMigrations()).join(', ')
  if (pending === '') return ok('storage', 'the database is up to date')
  const text = `the database lacks ${pending}`
  if (!migrates) return broken('storage', text, 'latchkey migrate')
  return note(
    'storage',
    `${text}: the application adds them when it starts`,
    'latchkey migrate adds them before',
  )
}

/**
 * Asks the server of a storage for settings with which it loses data. It writes nothing.
 *
 * @param storage The option `storage` of `createAuth`
 * @param subject What names the storage. Default: `storage`
 */
export async function getStorageFindings(
  storage: unknown,
  subject: string = 'storage',
): Promise<readonly Finding[]> {
  if (!hasServerWarnings(storage)) return []
  try {
    const warnings = await storage.getServerWarnings()
    if (warnings.length === 0) return [ok(subject, 'the server keeps what is stored')]
    return warnings.map(({ problem, fix, failsCalls = false }) =>
      (failsCalls ? broken : weak)(subject, problem, fix),
    )
  } catch (thrown) {
    const text = `the server cannot be asked: ${describeThrown(getCause(thrown))}`
    return [broken(subject, text, 'check that the server runs, and that the user may use INFO')]
  }
}

function hasServerWarnings(storage: unknown): storage is ServerStorage {
  return typeof Object(storage).getServerWarnings === 'function'
}

/** The error of a timeout names no reason, but its cause may. */
function getCause(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
}
