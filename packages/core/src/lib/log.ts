import type { LogDetails, Logger } from '../ports/logger.ts'

/** Writes errors and warnings to `console`. */
export const consoleLogger: Logger = {
  error: (message, details) => console.error(`[latchkey] ${message}`, details),
  warn: (message, details) => console.warn(`[latchkey] ${message}`, details),
}

const redacted = '[redacted]'

/** Patterns of secrets and personal data, with their replacements. */
// prettier-ignore
const secrets: readonly (readonly [RegExp, string])[] = [
  // JOSE compact serializations, whole or truncated
  [/\beyJ[\w-]*(?:\.[\w-]*)*/g, redacted],
  // name=value, "name":"value" and name: value, with names of RFC 6749 and our own
  [/(\w*(?:token|secret|key|assertion|password|verifier|cookie)|(?:device_)?code|state|nonce)\b(["']?\s*[=:]\s*["']?)[^\s"'&;,})\]]+/gi, `$1$2${redacted}`],
  // credentials in a URL
  [/\/\/[^\s/@]+@/g, `//${redacted}@`],
  // Authorization headers
  [/\b(Basic|Bearer|DPoP)\s+[\w.~+/=-]+/gi, `$1 ${redacted}`],
  // email addresses, and six digits that may be a code
  [/[^\s@<>"'(),;:]+@[^\s@<>"'(),;:]+\.[\w-]+/g, redacted],
  [/\b\d{6}\b/g, redacted],
  // letters and digits as long as a random value
  [/(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}/g, redacted],
]

/** Characters of a message that are logged. */
const MAX_LENGTH = 1000

/** Returns the text without tokens, codes, secrets and email addresses. */
function redact(text: string): string {
  return secrets.reduce(
    (result, [pattern, replacement]) => result.replace(pattern, replacement),
    // oxlint-disable-next-line no-control-regex
    text.slice(0, MAX_LENGTH).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' '),
  )
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
  if (causes.length === 0 && thrown !== undefined) causes.push(`thrown: a ${typeof thrown}`)
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
  const source = Array.isArray(thrown.cause) ? (thrown.cause[0] as Challenge)?.parameters : thrown
  const { error } = { ...(source as ServerError) }
  return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : ''
}

interface Challenge {
  readonly parameters?: ServerError
}

interface ServerError {
  readonly error?: unknown
}
