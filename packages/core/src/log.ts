import type { LogDetails, Logger } from './ports.ts'

/** What `console` gets: errors and warnings. */
export const consoleLogger: Logger = {
  error: (message, details) => console.error(`[latchkey] ${message}`, details),
  warn: (message, details) => console.warn(`[latchkey] ${message}`, details),
}

const hidden = '[redacted]'

// prettier-ignore
const secrets: readonly RegExp[] = [
  // JOSE compact serialisations, whole or cut off
  /\beyJ[\w-]*(?:\.[\w-]*)*/g,
  // name=value, "name":"value" and name: value, where the name is one of ours or of RFC 6749
  /\b((?:access_|refresh_|id_)?token|client_(?:secret|assertion)|secret|password|code(?:_verifier)?|csrfToken|state|nonce|verifier)\b(["']?\s*[=:]\s*["']?)[^\s"'&;,})\]]+/gi,
  // Authorization headers
  /\b(Basic|Bearer|DPoP)\s+[\w.~+/=-]+/gi,
  // anything as long and as mixed as a random value
  /(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}/g,
]

/** The text without tokens, codes and secrets. */
export function redact(text: string): string {
  const [jose, named, header, random] = secrets as [RegExp, RegExp, RegExp, RegExp]
  return text
    .replace(jose, hidden)
    .replace(named, `$1$2${hidden}`)
    .replace(header, `$1 ${hidden}`)
    .replace(random, hidden)
}

/** Names and messages of an error and its causes, redacted. What else a cause carries (a response, parameters) stays out. */
export function causesOf(thrown: unknown): string[] {
  const causes: string[] = []
  for (let cause = thrown; cause instanceof Error && causes.length < 8; cause = cause.cause) {
    causes.push(redact(`${cause.name}: ${cause.message}${serverError(cause)}`))
  }
  if (causes.length === 0 && thrown !== undefined) causes.push(redact(`thrown: ${String(thrown)}`))
  return causes
}

/** Wraps a logger so that nothing it does or throws reaches a reply. */
export function createLog(logger: Logger): Log {
  const write = (level: keyof Logger) => (message: string, details: LogDetails) => {
    try {
      logger[level]?.(redact(message), details)
    } catch {
      // A logger that fails has nowhere left to say so.
    }
  }
  return { error: write('error'), warn: write('warn'), debug: write('debug') }
}

/** A {@link Logger} with every level. */
export type Log = Required<Logger>

/** The `error` of RFC 6749 §5.2 that oauth4webapi found in an answer: it says most of what went wrong. */
function serverError(cause: Error): string {
  const { error, error_description: description } = cause as {
    error?: unknown
    error_description?: unknown
  }
  return [error, description]
    .filter((part) => typeof part === 'string')
    .map((part) => ` (${part})`)
    .join('')
}
