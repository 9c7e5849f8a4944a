import { d1Storage } from '@latchkey/storage-sql/d1'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import type { Env } from './env.ts'

/** Opens the database, whose tables `wrangler d1 migrations apply` creates. */
export function openStorage(env: Env) {
  return d1Storage(env.DB, { factors: sqlFactors(), grants: sqlGrants() })
}
