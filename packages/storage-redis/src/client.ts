import { ConfigurationError } from '@latchkey/core'
import { withTimeout } from '@latchkey/core/timeout'

/**
 * The members of a client, cluster or pool of `redis` (node-redis) that the storage uses. It must be
 * connected and have a listener for `error`: without one, a lost connection ends the process.
 */
export interface NodeRedisClient {
  evalSha(sha1: string, call: NodeRedisCall): Promise<unknown>
  eval(script: string, call: NodeRedisCall): Promise<unknown>
}

/** The keys and arguments of a script for node-redis. */
export interface NodeRedisCall {
  keys: string[]
  arguments: string[]
}

/** The members of a client or cluster of `ioredis` that the storage uses. */
export interface IoRedisClient {
  evalsha(sha1: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** A client of either library. Their methods for EVALSHA are spelled differently. */
export type RedisClient = NodeRedisClient | IoRedisClient

/** Runs a Lua script on the server, as one atomic step. */
export type RunScript = (
  script: string,
  keys: readonly string[],
  args?: readonly string[],
) => Promise<unknown>

/** Runs a script, given by its hash or by its text. */
type Evaluate = (hashOrText: string, keys: string[], args: string[]) => Promise<unknown>

interface EvalCommands {
  readonly evalByHash: Evaluate
  readonly evalByText: Evaluate
}

/**
 * Creates a function that runs scripts: by their hash, or by their text if the server does not have
 * them cached. It adds the prefix to each key, and passes the prefix itself as the first key.
 *
 * @param timeout Seconds after which a call fails
 * @throws ConfigurationError `client`, if it belongs to neither library
 */
export function createScriptRunner(
  client: RedisClient,
  prefix: string,
  timeout: number,
): RunScript {
  const { evalByHash, evalByText } = getEvalCommands(client)
  const getHash = createHashCache()
  const run: RunScript = async (script, names, args = []) => {
    // Scripts build further keys from the prefix. As a key, it includes what the client itself adds
    // to keys (`keyPrefix` of ioredis).
    const keys = [prefix, ...names.map((name) => prefix + name)]
    try {
      return await evalByHash(await getHash(script), keys, [...args])
    } catch (error) {
      if (!isUnknownScript(error)) throw error
      return evalByText(script, keys, [...args])
    }
  }
  return (...args) => withTimeout(run(...args), timeout, toTimeoutError)
}

function toTimeoutError(problem: string): Error {
  return new Error(`Redis: ${problem}`)
}

function getEvalCommands(client: RedisClient): EvalCommands {
  if (hasMethod(client, 'evalSha')) {
    const node = client as NodeRedisClient
    return {
      evalByHash: (sha, keys, args) => node.evalSha(sha, { keys, arguments: args }),
      evalByText: (text, keys, args) => node.eval(text, { keys, arguments: args }),
    }
  }
  if (!hasMethod(client, 'evalsha')) {
    throw new ConfigurationError('client', 'must be a client of redis (node-redis) or of ioredis')
  }
  const io = client as IoRedisClient
  return {
    evalByHash: (sha, keys, args) => io.evalsha(sha, keys.length, ...keys, ...args),
    evalByText: (text, keys, args) => io.eval(text, keys.length, ...keys, ...args),
  }
}

function hasMethod(client: unknown, method: string): boolean {
  return typeof (client as Record<string, unknown> | null | undefined)?.[method] === 'function'
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

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
