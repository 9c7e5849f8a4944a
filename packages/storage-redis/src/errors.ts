/** The client has not sent a call, for the reason in `cause`. */
export class NotSentError extends Error {
  constructor(cause: unknown) {
    super('Redis: the call was not sent', { cause })
  }
}

/** No answer has arrived in time. */
export class NoAnswerError extends Error {}

/** The codes of replies to a script that has not run, and that a later attempt may run. */
const notRun: ReadonlySet<string> = new Set([
  'ASK',
  'BUSY',
  'CLUSTERDOWN',
  'LOADING',
  'MASTERDOWN',
  'MOVED',
  'NOREPLICAS',
  'READONLY',
  'TRYAGAIN',
])

/** Messages of both libraries about a command that they have not sent. */
const notSent: readonly RegExp[] = [
  /^The client is offline$/,
  /^Connection timeout$/,
  / enableOfflineQueue options is false$/,
  /^Timeout waiting for a client /,
  /^All the root nodes are unavailable$/,
  /^None of the sentinels are available$/,
  /^no valid master node$/,
]

/** Messages of both libraries about a connection that was lost after the command was sent. */
const lost: readonly RegExp[] = [
  /^Socket closed unexpectedly$/,
  /^Socket timeout/,
  /^Disconnects client$/,
  /^Connection is closed\.$/,
  /^Reached the max retries per request limit/,
]

/** The codes of errors of a socket. */
const lostCodes: ReadonlySet<string> = new Set([
  'ECONNABORTED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
])

/** Returns whether the script of a failed call has certainly not run, and may run later. */
export function isNotRun(error: unknown): boolean {
  if (error instanceof NotSentError || isConnectFailure(error)) return true
  const code = getReplyCode(error)
  return code === undefined ? matches(error, notSent) : notRun.has(code)
}

/** Returns whether a connection was lost, so that the script of the call may have run. */
export function isLost(error: unknown): boolean {
  return lostCodes.has(String(Object(error).code)) || matches(error, lost)
}

/**
 * Returns the code of an error reply, such as `NOSCRIPT`. ioredis wraps the last reply of a cluster in an
 * error about redirections, and Redis 6 what happens within a script in `ERR`.
 */
export function getReplyCode(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : ''
  const wrapped = /(?:Last error: (?:\w*Error: )?|: -)([A-Z]+) /.exec(message)
  return (wrapped ?? /^([A-Z]+) /.exec(message))?.[1]
}

/** Returns whether no connection was established. An AggregateError has only the code. */
function isConnectFailure(error: unknown): boolean {
  const { syscall, code }: { syscall?: unknown; code?: unknown } = Object(error)
  return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'ECONNREFUSED'
}

function matches(error: unknown, messages: readonly RegExp[]): boolean {
  return error instanceof Error && messages.some((message) => message.test(error.message))
}
