import type { Driver } from './driver.ts'

/** How a batch begins, whatever the database's default is: what a lock has waited for is then seen. */
export const ISOLATION = 'ISOLATION LEVEL READ COMMITTED'

/** What the PostgreSQL drivers know of its errors, by their SQLSTATE. */
export const postgresErrors: Pick<Driver, 'isUniqueViolation' | 'isTransient'> = {
  isUniqueViolation: (error) => stateOf(error) === '23505',
  // serialization_failure, deadlock_detected
  isTransient: (error) => ['40001', '40P01'].includes(stateOf(error)),
}

function stateOf(error: unknown): string {
  return String((error as { readonly code?: unknown } | null)?.code)
}
