import type { LogDetails, Logger } from '../ports/logger.ts'

/** What `console` gets: errors and warnings. */
export const consoleLogger: Logger = {
  error: (message, details) => console.error(`[latchkey] ${message}`, details),
  warn: (message, details) => console.warn(`[latchkey] ${message}`, details),
}

const hidden = '[redacted]'

/** What must not stand in a log, each with what stands there instead. */
// prettier-ignore
const secrets: readonly (readonly [RegExp, string])[] = [
  // JOSE compact serialisations, whole or cut off
  [/\beyJ[\w-]*(?:\.[\w-]*)*/g, hidden],
  // name=value, "name":"value" and name: value, where the name is one of ours or of RFC 6749
  [/(\w*(?:token|secret|key|assertion|password|verifier|cookie)|(?:device_)?code|state|nonce)\b(["']?\s*[=:]\s*["']?)[^\s"'&;,})\]]+/gi, `$1$2${hidden}`],
  // credentials in an address
  [/\/\/[^\s/@]+@/g, `//${hidden}@`],
  // Authorization headers
  [/\b(Basic|Bearer|DPoP)\s+[\w.~+/=-]+/gi, `$1 ${hidden}`],
  // addresses, and six digits that may be a code
  [/[^\s@<>"'(),;:]+@[^\s@<>"'(),;:]+\.[\w-]+/g, hidden],
  [/\b\d{6}\b/g, hidden],
  // anything as long and as mixed as a random value
  [/(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}/g, hidden],
]

/** Characters of a message; what is longer was not written for people. */
const MAX_LENGTH = 1000

/** The text without tokens, codes and secrets. */
export function redact(text: string): string {
  return secrets.reduce(
    (redacted, [pattern, replacement]) => redacted.replace(pattern, replacement),
    // oxlint-disable-next-line no-control-regex
    text.slice(0, MAX_LENGTH).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' '),
  )
}

/** Names and messages of an error and its causes, redacted. What else a cause carries (a response, parameters) stays out. */
export function getCauses(thrown: unknown): string[] {
  const causes: string[] = []
  for (let cause = thrown; cause instanceof Error && causes.length < 8; cause = cause.cause) {
    causes.push(redact(`${cause.name}${messageOf(cause)}${serverError(cause)}`))
  }
  if (causes.length === 0 && thrown !== undefined) causes.push(`thrown: a ${typeof thrown}`)
  return causes
}

/** Engines quote in a SyntaxError what they could not parse, and that may be anything. */
function messageOf(thrown: Error): string {
  // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- a message can be anything
  return thrown instanceof SyntaxError ? '' : `: ${String(thrown.message)}`
}

/** Wraps a logger so that nothing it does or throws reaches a reply. */
export function createLog(logger: Logger): Log {
  const write = (level: keyof Logger) => (message: string, details: LogDetails) => {
    // A logger that fails, at once or later, has nowhere left to say so.
    const written = async (): Promise<unknown> => logger[level]?.(redact(message), details)
    void written().catch(() => undefined)
  }
  return { error: write('error'), warn: write('warn'), debug: write('debug') }
}

/** A {@link Logger} with every level. */
export type Log = Required<Logger>

/**
 * What the identity provider itself said, which is most of what went wrong: the `error` of RFC 6749
 * §5.2 in its answer, or that of RFC 6750 §3 in its challenge. Its descriptions are left out: some
 * repeat what they were sent.
 */
function serverError(thrown: Error): string {
  const said = Array.isArray(thrown.cause) ? (thrown.cause[0] as Challenge)?.parameters : thrown
  const { error } = { ...(said as ServerError) }
  return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : ''
}

interface Challenge {
  readonly parameters?: ServerError
}

interface ServerError {
  readonly error?: unknown
}
