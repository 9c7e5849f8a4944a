import { ConfigurationError } from '@latchkey/core'
import type { Connection } from './connection.ts'
import type { RunScript } from './run-script.ts'

/** Runs a script on one key that belongs to no user. */
export type RunOnKey = (script: string, key: string, args?: readonly string[]) => Promise<unknown>

/** How scripts are run on the two kinds of keys. */
export interface KeyRunners {
  /** Users and what belongs to them: all keys are in one slot, and scripts use several. */
  readonly runOnUsers: RunScript
  /** A key that belongs to no user: its slot is its own, and scripts use no other. */
  readonly runOnKey: RunOnKey
}

/**
 * Puts the prefix before keys. The braces of the prefix, a hash tag, keep users in one slot of a
 * cluster. Without them each key has its own slot.
 */
export function createKeyRunners(run: RunScript, prefix: string): KeyRunners {
  const ownPrefix = prefix.replaceAll(/[{}]/g, '')
  return {
    // Scripts build further keys from the prefix. As a key, it includes what the client itself adds to
    // keys (`keyPrefix` of ioredis).
    runOnUsers: (script, keys, args) =>
      run(script, [prefix, ...keys.map((key) => prefix + key)], args),
    runOnKey: (script, key, args) => run(script, [ownPrefix + key], args),
  }
}

/**
 * Checks the prefix of keys.
 *
 * @throws ConfigurationError `prefix`
 */
export function checkPrefix(prefix: unknown, { isCluster, keyPrefix }: Connection): void {
  if (typeof prefix !== 'string' || prefix === '') {
    throw new ConfigurationError('prefix', 'must be a string that is not empty')
  }
  // Only the first brace counts, and an empty tag has no effect.
  if (!isCluster || /^[^{]*\{[^}]+\}/.test(keyPrefix + prefix)) return
  throw new ConfigurationError(
    'prefix',
    `must have a part in braces on a Redis Cluster, such as {latchkey}:, because the keys of a user must be in one slot. Found ${prefix}`,
  )
}
