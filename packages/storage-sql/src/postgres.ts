import type { Driver } from './driver.ts'

/** Begins a batch that sees what another transaction committed while the batch waited for a lock. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'

/** Classifies the errors of PostgreSQL by their SQLSTATE. */
export const postgresErrors: Pick<Driver, 'isUniqueViolation' | 'isTransient'> = {
  isUniqueViolation: (error) => getSqlState(error) === '23505',
  // serialization_failure, deadlock_detected
  isTransient: (error) => ['40001', '40P01'].includes(getSqlState(error)),
}

function getSqlState(error: unknown): string {
  return String((error as { readonly code?: unknown } | null)?.code)
}
