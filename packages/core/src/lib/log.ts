import type { LogDetails, Logger } from '../ports/logger.ts'
import { getKind } from './kind.ts'
import { redact } from './redact.ts'
import { readErrorCode } from './error-code.ts'
import { isList, readMember } from './members.ts'

/**
 * Writes errors and warnings to `console`: the default of the option `logger`, for a logger around it.
 *
 * @example
 *   import { consoleLogger } from '@latchkey/core'
 *   import type { Logger } from '@latchkey/core'
 *
 *   const logger: Logger = { ...consoleLogger, debug: (message) => console.debug(message) }
 */
export const consoleLogger: Logger = {
  error: (message, details) => console.error(`[latchkey] ${message}`, details),
  warn: (message, details) => console.warn(`[latchkey] ${message}`, details),
}

/**
 * Returns the names and messages of an error and its causes, redacted. Other members of a cause, such
 * as a response or parameters, are left out.
 */
export function getCauses(thrown: unknown): string[] {
  const causes: string[] = []
  for (let cause = thrown; cause instanceof Error && causes.length < 8; cause = cause.cause) {
    causes.push(redact(`${cause.name}${getMessage(cause)}${getServerError(cause)}`))
  }
  if (causes.length === 0 && thrown !== undefined) causes.push(`thrown: ${getKind(thrown)}`)
  return causes
}

/** Leaves out the message of a SyntaxError: engines quote in it the text that they could not parse. */
function getMessage(thrown: Error): string {
  // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- a message need not be a string
  return thrown instanceof SyntaxError ? '' : `: ${String(thrown.message)}`
}

/** Wraps a logger so that its failures never reach a reply. */
export function createLog(logger: Logger): Log {
  const write = (level: keyof Logger) => (message: string, details: LogDetails) => {
    // A failing logger, synchronous or not, leaves no place to report its failure.
    const written = async (): Promise<unknown> => logger[level]?.(redact(message), details)
    void written().catch(() => undefined)
  }
  return { error: write('error'), warn: write('warn'), debug: write('debug') }
}

/** A {@link Logger} with all levels. */
export type Log = Required<Logger>

/**
 * Returns the error code of an identity provider: `error` of RFC 6749 §5.2 in its response, or of RFC
 * 6750 §3 in its challenge. Descriptions are left out, because some repeat the request.
 */
function getServerError(thrown: Error): string {
  const { cause } = thrown
  const code = readErrorCode(isList(cause) ? readMember(cause[0], 'parameters') : thrown)
  return code === undefined ? '' : ` (${code})`
}
