import { isObject, readText } from './members.ts'

/** An error that is printed without a stack trace. The program then exits with 1. */
export class CliError extends Error {
  override readonly name = 'CliError'
}

/** A command line that cannot be used. The program then exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Returns the message of anything that was thrown, in one line. */
export function describeThrown(thrown: unknown): string {
  const text = (readText(thrown, 'message') ?? '').replaceAll(/\s+/g, ' ').trim()
  // The errors of pg and mysql2 for a closed port have no message.
  return text === '' ? String((isObject(thrown) ? thrown['code'] : undefined) ?? thrown) : text
}
