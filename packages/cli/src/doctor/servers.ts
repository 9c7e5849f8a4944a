import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '@latchkey/environment'
import { smtp } from '@latchkey/mail/smtp'
import { describeThrown } from '../lib/cli-error.ts'
import { describeDatabaseProblem, openDatabase } from '../lib/database.ts'
import { getVariable } from '../lib/env-file.ts'
import { planWranglerMigrations } from '../lib/migration-files.ts'
import { readD1Binding, readMigrations } from '../lib/wrangler.ts'
import { broken, note, ok } from './finding.ts'
import type { Finding } from './finding.ts'

/** Opens the database, reads it, and looks for pending migrations. It writes nothing. */
export async function checkDatabase(env: Environment, folder: string): Promise<readonly Finding[]> {
  const d1 = readD1Binding(folder)
  if (d1) return [checkD1(join(folder, d1.migrationsFolder), d1.binding)]
  // The file that applications open by default.
  const setting = getVariable(env, 'AUTH_DATABASE') ?? 'latchkey.sqlite'
  if (setting === 'none') return []
  if (!setting.includes('://') && !existsSync(join(folder, setting))) {
    return [note('AUTH_DATABASE', `${setting} does not exist yet: the application creates it`)]
  }
  return [await tryDatabase(setting, folder)]
}

async function tryDatabase(setting: string, folder: string): Promise<Finding> {
  try {
    const { storage, description, close } = await openDatabase(setting, folder)
    try {
      const pending = await storage.listPendingMigrations()
      if (pending.length === 0) return ok('AUTH_DATABASE', `${description} is up to date`)
      const text = `${description} lacks ${pending.join(', ')}`
      return broken('AUTH_DATABASE', text, 'latchkey migrate')
    } finally {
      await close()
    }
  } catch (thrown) {
    const text = `cannot be used: ${describeDatabaseProblem(thrown)}`
    return broken('AUTH_DATABASE', text, 'check the setting, and that the server runs')
  }
}

/** Without an account at Cloudflare, only the files can be compared. */
function checkD1(folder: string, binding: string): Finding {
  const missing = planWranglerMigrations(readMigrations(folder))
  if (missing.length === 0) return ok(binding, 'the folder of its migrations has all of them')
  const text = `its migrations lack ${missing.map(({ file }) => file).join(', ')}`
  return broken(binding, text, 'latchkey migrate --d1 --apply remote')
}

/** Connects to the SMTP server and authenticates. It sends nothing. */
export async function checkSmtp(env: Environment): Promise<readonly Finding[]> {
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
