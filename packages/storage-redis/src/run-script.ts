import { withTimeout } from '@latchkey/core/unstable'
import type { SharedConnection } from './adapt-client.ts'
import { pause } from './connection.ts'
import type { Connection, ScriptCall } from './connection.ts'
import { getReplyCode, isLost, isNotRun, NoAnswerError, NotSentError } from './errors.ts'
import { reads } from './scripts.ts'

/** Runs a Lua script on the server, as one atomic step. */
export type RunScript = (
  script: string,
  keys: readonly string[],
  args?: readonly string[],
) => Promise<unknown>

/**
 * Creates a function that runs scripts. It attempts a script again if it has certainly not run, or only
 * reads, and replaces a connection that no longer answers.
 *
 * @param timeout Seconds after which a call fails
 */
export function createScriptRunner(connection: SharedConnection, timeout: number): RunScript {
  const evaluate = createEvaluate(connection)
  const silence = createSilenceCheck(connection)

  return async (script, keys, args = []) => {
    const deadline = Date.now() + timeout * 1000
    let refusal: unknown
    const isRepeatable = (error: unknown): boolean => {
      refusal = error instanceof NotSentError ? error.cause : error
      return isNotRun(error) || (reads.has(script) && isLost(error))
    }
    const attempt = async (): Promise<unknown> => {
      await silence.checked()
      const remaining = deadline - Date.now()
      if (remaining <= 0) throw new NoAnswerError()
      return evaluate(script, { keys: [...keys], args: [...args], timeout: remaining })
    }
    // Half of the time, so that a script that only reads gets its answer from a new connection.
    const timer = setTimeout(silence.check, timeout * 500)
    const result = connection.retry({ attempt, isRepeatable, deadline })
    return withTimeout(result, timeout, () => new NoAnswerError())
      .catch((error: unknown) => {
        if (!(error instanceof NoAnswerError)) throw error
        throw new Error(`Redis: no answer within ${timeout} seconds`, { cause: refusal })
      })
      .finally(() => clearTimeout(timer))
  }
}

interface SilenceCheck {
  /** Replaces connections that do not answer. */
  readonly check: () => void
  /** Waits for the end of a check: a connection that may be dead gets no further call. */
  readonly checked: () => Promise<void> | undefined
}

function createSilenceCheck(connection: Connection): SilenceCheck {
  let running: Promise<void> | undefined
  const end = (): void => void (running = undefined)
  return {
    check() {
      running ??= connection.reconnect('silent').then(end, end)
    },
    // The other nodes of a cluster continue.
    checked: () => (connection.isCluster ? undefined : running),
  }
}

type EvaluateScript = (script: string, call: ScriptCall) => Promise<unknown>

/** Creates a function that runs a script by its hash, or by its text if the server does not know it. */
function createEvaluate(connection: Connection): EvaluateScript {
  const getHash = createHashCache()
  const replaceAll = createThrottled(() => connection.reconnect('all'))
  return async (script, call) => {
    try {
      return await connection.evalByHash(await getHash(script), call)
    } catch (error) {
      const code = getReplyCode(error)
      if (code === 'NOSCRIPT') return connection.evalByText(script, call)
      // After a failover, the name of the server may lead to the new primary.
      if (code === 'READONLY' && !connection.isCluster) replaceAll()
      throw error
    }
  }
}

/** Creates a function that begins some work, at most once a second. */
function createThrottled(work: () => Promise<void>): () => void {
  let isWaiting = false
  return () => {
    if (isWaiting) return
    isWaiting = true
    // Whether it has helped, the next call shows.
    const end = (): void => void (isWaiting = false)
    void work()
      .then(() => pause(1000))
      .then(end, end)
  }
}

function createHashCache(): (script: string) => Promise<string> {
  const hashes = new Map<string, Promise<string>>()
  return (script) => {
    const hash = hashes.get(script) ?? sha1(script)
    hashes.set(script, hash)
    return hash
  }
}

/** Redis identifies scripts by their SHA-1 in hexadecimal; security does not depend on it. */
async function sha1(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
