import { ConfigurationError } from '@latchkey/core'

/**
 * A client, cluster or pool of `redis` (node-redis), as far as it is used here. It has to be
 * connected, and to have a listener for `error`, or the process ends with the connection.
 */
export interface NodeRedisClient {
  evalSha(sha1: string, call: NodeRedisCall): Promise<unknown>
  eval(script: string, call: NodeRedisCall): Promise<unknown>
}

/** What a script is given, as node-redis takes it. */
export interface NodeRedisCall {
  keys: string[]
  arguments: string[]
}

/** A client or cluster of `ioredis`, as far as it is used here. */
export interface IoRedisClient {
  evalsha(sha1: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** A client of either library: they are told apart by how they spell EVALSHA. */
export type RedisClient = NodeRedisClient | IoRedisClient

/** Runs a Lua script on the server, as one step. All that the storage asks of Redis. */
export type Run = (
  script: string,
  keys: readonly string[],
  args?: readonly string[],
) => Promise<unknown>

/** The two commands that run a script: by its hash, and by its text. */
type Evaluate = (text: string, keys: string[], args: string[]) => Promise<unknown>
interface Commands {
  readonly bySha: Evaluate
  readonly byText: Evaluate
}

/**
 * Runs scripts by their hash, and by their text where the server does not know that yet, or not any
 * more. Each key is put behind the prefix, which scripts are given as their first key.
 *
 * @throws ConfigurationError where the client is of neither library
 */
export function runnerOf(client: RedisClient, prefix: string): Run {
  const { bySha, byText } = commandsOf(client)
  const hashOf = createHasher()
  return async (script, names, given = []) => {
    // The scripts build the names of what they come upon from the prefix: as a key it goes through
    // whatever the client itself puts before keys.
    const keys = [prefix, ...names.map((name) => prefix + name)]
    const args = [...given]
    try {
      return await bySha(await hashOf(script), keys, args)
    } catch (error) {
      if (!isUnknownScript(error)) throw error
      return byText(script, keys, args)
    }
  }
}

function commandsOf(client: RedisClient): Commands {
  if (has(client, 'evalSha')) {
    const node = client as NodeRedisClient
    return {
      bySha: (sha, keys, args) => node.evalSha(sha, { keys, arguments: args }),
      byText: (text, keys, args) => node.eval(text, { keys, arguments: args }),
    }
  }
  if (!has(client, 'evalsha')) {
    throw new ConfigurationError('client', 'must be a client of redis (node-redis) or of ioredis')
  }
  const io = client as IoRedisClient
  return {
    bySha: (sha, keys, args) => io.evalsha(sha, keys.length, ...keys, ...args),
    byText: (text, keys, args) => io.eval(text, keys.length, ...keys, ...args),
  }
}

function has(client: unknown, verb: string): boolean {
  return typeof (client as Record<string, unknown> | null | undefined)?.[verb] === 'function'
}

/** SHA-1 in hexadecimal is how Redis names a script; nothing rests on its strength. */
function createHasher(): (script: string) => Promise<string> {
  const hashes = new Map<string, Promise<string>>()
  return (script) => {
    const known = hashes.get(script) ?? sha1(script)
    hashes.set(script, known)
    return known
  }
}

async function sha1(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
