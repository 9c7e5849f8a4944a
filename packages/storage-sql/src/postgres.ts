import type { Driver } from './driver.ts'
import { isNetworkError } from './recovery.ts'

/** Begins a batch that sees what another transaction committed while the batch waited for a lock. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'

/** Classifies the errors of PostgreSQL by their SQLSTATE. */
export const postgresErrors: Pick<Driver, 'isUniqueViolation' | 'isTransient'> = {
  isUniqueViolation: (error) => getSqlState(error) === '23505',
  // serialization_failure, deadlock_detected, lock_not_available
  isTransient: (error) => ['40001', '40P01', '55P03'].includes(getSqlState(error)),
}

/** Returns whether no connection could be made because the server starts, stops, or has too many of them. */
export function isPostgresRefusal(error: unknown): boolean {
  // admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections
  if (['57P01', '57P02', '57P03', '53300'].includes(getSqlState(error))) return true
  return isNetworkError(error)
}

function getSqlState(error: unknown): string {
  const { code }: { readonly code?: unknown } = Object(error)
  return String(code)
}
