import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Environment } from '@latchkey/environment'
import { smtp } from '@latchkey/mail/smtp'
import { describeThrown } from '../lib/cli-error.ts'
import { describeDatabaseProblem, importDriver, isRedis, openDatabase } from '../lib/database.ts'
import { getVariable } from '../lib/env-file.ts'
import { readD1Binding } from '../lib/wrangler.ts'
import { getD1Finding } from './d1.ts'
import { broken, note, ok, weak } from './finding.ts'
import type { Finding } from './finding.ts'
import { getStorageFindings } from './storage.ts'

/** Opens the database, reads it, and looks for pending migrations. It writes nothing. */
export async function getDatabaseFindings(
  env: Environment,
  folder: string,
): Promise<readonly Finding[]> {
  const d1 = readD1Binding(folder)
  if (d1) {
    const { binding, migrationsFolder } = d1
    return [getD1Finding({ folder: join(folder, migrationsFolder), binding })]
  }
  // The file that applications open by default.
  const setting = getVariable(env, 'AUTH_DATABASE') ?? 'latchkey.sqlite'
  if (setting === 'none') return []
  if (isRedis(setting)) return tryRedis(setting, folder)
  if (setting.includes('://') || existsSync(resolve(folder, setting))) {
    return tryDatabase(setting, folder)
  }
  const parent = dirname(resolve(folder, setting))
  if (!existsSync(parent)) {
    const text = `the folder of ${setting} does not exist: the application cannot create the file`
    return [broken('AUTH_DATABASE', text, `create it: mkdir -p ${dirname(setting)}`)]
  }
  const text = `${setting} does not exist yet: the application creates it`
  return [note('AUTH_DATABASE', text, 'latchkey migrate creates it before')]
}

/** The members of `@latchkey/node/database` that are used here. */
interface NodeDatabase {
  readonly openDatabase: (
    setting: string,
    options: object,
  ) => Promise<{ readonly storage: unknown; readonly close: () => Promise<void> }>
}

/** Opens Redis as the applications on Node do. It writes nothing. */
async function tryRedis(setting: string, folder: string): Promise<readonly Finding[]> {
  const node = await importDriver<NodeDatabase>('@latchkey/node/database', folder).catch(() => {})
  if (!node) {
    const text = 'Redis is tried only with @latchkey/node'
    return [note('AUTH_DATABASE', text, 'ask /readyz of the service if Redis answers')]
  }
  try {
    const options = { onError: () => undefined, logger: silent }
    const { storage, close } = await node.openDatabase(setting, options)
    try {
      return await getStorageFindings(storage, 'AUTH_DATABASE')
    } finally {
      await close()
    }
  } catch (thrown) {
    // The project has its own ConfigurationError.
    const { problem = describeDatabaseProblem(thrown) }: { problem?: string } = Object(thrown)
    return [broken('AUTH_DATABASE', problem, 'check the setting, and that the server runs')]
  }
}

/** The findings say the same. */
const silent = { warn: () => undefined }

async function tryDatabase(setting: string, folder: string): Promise<readonly Finding[]> {
  try {
    const { storage, description, close } = await openDatabase(setting, folder)
    try {
      const warnings = await storage.getServerWarnings().catch(() => [])
      return [
        getMigrationFinding(description, await storage.listPendingMigrations()),
        ...warnings.map(({ problem, fix, failsCalls }) =>
          (failsCalls ? broken : weak)('AUTH_DATABASE', problem, fix),
        ),
      ]
    } finally {
      await close()
    }
  } catch (thrown) {
    const text = `cannot be used: ${describeDatabaseProblem(thrown)}`
    return [broken('AUTH_DATABASE', text, 'check the setting, and that the server runs')]
  }
}

function getMigrationFinding(description: string, pending: readonly string[]): Finding {
  if (pending.length === 0) return ok('AUTH_DATABASE', `${description} is up to date`)
  const text = `${description} lacks ${pending.join(', ')}`
  return broken('AUTH_DATABASE', text, 'latchkey migrate')
}

/** Connects to the SMTP server and authenticates. It sends nothing. */
export async function getSmtpFindings(env: Environment): Promise<readonly Finding[]> {
  const server = getVariable(env, 'AUTH_EMAIL_SERVER')
  if (server === undefined || server === 'console') return []
  try {
    const mailer = smtp(server)
    await mailer.verify().finally(() => mailer.close())
    return [ok('AUTH_EMAIL_SERVER', 'the SMTP server accepts the connection and the user')]
  } catch (thrown) {
    const fix = 'check host, port, user and password; STARTTLS is required except on loopback'
    return [broken('AUTH_EMAIL_SERVER', describeThrown(thrown), fix)]
  }
}
