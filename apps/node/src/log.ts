import type { Logger } from '@latchkey/core'
import { getRequestId } from '@latchkey/node'
import type { Access, ProgramLog } from '@latchkey/node'
import type { LogSettings } from '@latchkey/environment'
import { isSpanContextValid, trace } from '@opentelemetry/api'

/** The log of the process: of the service, of its requests, and of what happens to it. */
export interface Log extends Required<Logger>, ProgramLog {
  /** @param cause Details, or what was thrown, of which the stack is logged */
  readonly error: (message: string, cause?: unknown) => void
  readonly warn: (message: string, details?: Details) => void
  readonly info: (message: string, details?: Details) => void
  readonly debug: (message: string, details?: Details) => void
  /** Logs a request and its response: health checks as `debug`, others as `info`. */
  readonly access: (access: Access) => void
  /** Applies new settings, after the configuration was reloaded. */
  readonly configure: (settings: LogSettings) => void
}

type Details = Readonly<Record<string, unknown>>
type Level = LogSettings['level']

/** Each level includes those before it. */
const levels: readonly Level[] = ['error', 'warn', 'info', 'debug']

/** Creates the log. No line has a query, a header or a body of a request. */
export function createLog(first: LogSettings): Log {
  let settings = first
  const write = (level: Level, message: string, details: Details): void => {
    if (levels.indexOf(level) > levels.indexOf(settings.level)) return
    writers[settings.format](level, message, { ...getContext(), ...details })
  }
  const log =
    (level: Level) =>
    (message: string, details: Details = {}): void =>
      write(level, message, details)
  return {
    error: (message, cause) => write('error', message, toDetails(cause)),
    warn: log('warn'),
    info: log('info'),
    debug: log('debug'),
    access({ method, path, status, milliseconds, requestId, isAborted }) {
      const level = /^\/(healthz|readyz)$/.test(path) ? 'debug' : 'info'
      const details = { requestId, method, path, status, milliseconds }
      write(level, `${method} ${path} ${status}`, { ...details, ...(isAborted && { isAborted }) })
    },
    configure: (next) => void (settings = next),
  }
}

/** Returns what connects the lines of a request, and the request with its trace. */
function getContext(): Details {
  const requestId = getRequestId()
  const span = trace.getActiveSpan()?.spanContext()
  return {
    ...(requestId !== undefined && { requestId }),
    ...(span && isSpanContextValid(span) && { traceId: span.traceId }),
  }
}

function toDetails(cause: unknown): Details {
  if (cause instanceof Error) return { stack: cause.stack }
  return typeof cause === 'object' ? { ...cause } : {}
}

const writers: Readonly<Record<LogSettings['format'], typeof writeJson>> = {
  text: writeText,
  json: writeJson,
}

/** Writes one JSON object in a line of stdout, where containers and journals expect it. */
function writeJson(level: Level, message: string, details: Details): void {
  const line = { time: new Date().toISOString(), level, message, ...details }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** Writes a line that people read; errors and warnings to stderr. */
function writeText(level: Level, message: string, details: Details): void {
  const stream = level === 'error' || level === 'warn' ? process.stderr : process.stdout
  const rest = Object.keys(details).length > 0 ? ` ${JSON.stringify(details)}` : ''
  stream.write(`latchkey: ${message.replaceAll(/[\r\n]+/g, ' ')}${rest}\n`)
}
