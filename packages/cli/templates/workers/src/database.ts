import { d1Storage } from '@latchkey/storage-sql/d1'
import type { Env } from './env.ts'

/** Opens the database, whose tables `wrangler d1 migrations apply` creates. */
export function openStorage(env: Env) {
  return d1Storage(env.DB)
}
