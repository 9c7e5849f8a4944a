import { ConfigurationError } from '@latchkey/core'

/** The members of the errors of Node, pg and mysql2 that are used here. */
interface DatabaseError {
  readonly code?: unknown
  readonly message: string
}

/** Errors of the connection, whose own messages name no cause, or are empty. */
const connectionProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ECONNRESET: 'the server closed the connection',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ENOTFOUND: 'the host was not found',
  EAI_AGAIN: 'the host was not found',
  ETIMEDOUT: 'the server did not answer in time',
}

/** Returns in one line why a database cannot be opened. */
export function describeDatabaseProblem(thrown: unknown): string {
  if (thrown instanceof ConfigurationError) return thrown.problem
  const { code, message }: DatabaseError = Object(thrown)
  const name = typeof code === 'string' ? code : undefined
  const text = connectionProblems[name ?? ''] ?? message.replaceAll(/\s+/g, ' ')
  if (/client password must be a string/.test(text)) return 'the server requires a password'
  return name === undefined ? text : `${text} (${name})`
}
