import type { Driver } from './driver.ts'
import type { ServerWarning } from './server-warnings.ts'

const statementMode: ServerWarning = {
  problem: 'PgBouncer is in statement mode, which refuses transactions',
  fix: 'set pool_mode to transaction or session',
  failsCalls: true,
}

const noPreparedStatements: ServerWarning = {
  problem: 'the connection pooler does not support prepared statements',
  fix: 'set prepare: false, or max_prepared_statements in PgBouncer from 1.21',
  failsCalls: true,
}

/** An error that a connection pooler between the client and PostgreSQL causes. */
class PoolerError extends Error {
  readonly warning: ServerWarning
  /** The SQLSTATE of the cause. */
  readonly code: unknown

  constructor(warning: ServerWarning, cause: unknown) {
    super(`${warning.problem}: ${warning.fix}`, { cause })
    this.warning = warning
    this.code = getErrorMember(cause, 'code')
  }
}

/** Makes the errors of `run` that a connection pooler causes say what to set. */
export function explainPoolerErrors(run: Driver['run']): Driver['run'] {
  return (statements, timeout) => explain(() => run(statements, timeout))
}

/**
 * Does work that a connection pooler can make fail.
 *
 * @throws PoolerError if it does; otherwise what the work throws
 */
export async function explain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const warning = error instanceof PoolerError ? undefined : getPoolerWarning(error)
    throw warning ? new PoolerError(warning, error) : error
  }
}

/** Returns the warnings of a check; the pooler's if a connection pooler makes it fail. */
export async function catchPoolerError(
  work: () => Promise<readonly ServerWarning[]>,
): Promise<readonly ServerWarning[]> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PoolerError) return [error.warning]
    throw error
  }
}

function getPoolerWarning(error: unknown): ServerWarning | undefined {
  const code = String(getErrorMember(error, 'code'))
  const message = String(getErrorMember(error, 'message'))
  if (/not allowed in statement pooling mode/.test(message)) return statementMode
  // invalid_sql_statement_name, duplicate_prepared_statement
  if (code === '26000' || code === '42P05') return noPreparedStatements
  // protocol_violation: another client's unnamed statement is executed.
  const isOther = code === '08P01' && /prepared statement/.test(message)
  return isOther ? noPreparedStatements : undefined
}

function getErrorMember(error: unknown, name: 'code' | 'message'): unknown {
  return typeof error === 'object' && error ? Reflect.get(error, name) : undefined
}
