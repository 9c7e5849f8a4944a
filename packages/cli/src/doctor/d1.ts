import { planWranglerMigrations } from '../lib/migration-files.ts'
import type { FieldColumn } from '../lib/migration-files.ts'
import { readMigrations } from '../lib/wrangler.ts'
import { broken, ok } from './finding.ts'
import type { Finding } from './finding.ts'

/** The migrations of a D1 database. */
interface D1Files {
  readonly folder: string
  readonly binding: string
  readonly fields?: readonly FieldColumn[]
}

/**
 * Compares the migrations of a D1 database with the migrations of this version. Without an account at Cloudflare,
 * only the files can be compared.
 *
 * @param fields The columns of the application's own fields. Default: none
 */
export function getD1Finding({ folder, binding, fields }: D1Files): Finding {
  const missing = planWranglerMigrations(readMigrations(folder), fields)
  if (missing.length === 0) return ok(binding, 'the folder of its migrations has all of them')
  const text = `its migrations lack ${missing.map(({ file }) => file).join(', ')}`
  return broken(binding, text, 'latchkey migrate --d1 --apply remote')
}
