import type { Logger } from '@latchkey/core'
import type { PasswordWork } from './password-work.ts'
import type { PasswordHasher } from './hasher.ts'
import { createMethods } from './methods.ts'
import type { PasswordRules } from './password-rules.ts'
import { queued } from './queued.ts'
import type { QueuedHasher } from './queued.ts'
import { isWorkerd } from './runtime.ts'
import type { PasswordVerifier } from './verifier.ts'

/** What passwords are hashed and compared with. */
export interface WorkParts {
  readonly hasher: PasswordHasher | QueuedHasher
  readonly verifiers: readonly PasswordVerifier[]
  readonly rules: PasswordRules
}

/** Creates what hashes and compares the passwords of one service, all in one queue. */
export function createWork({ hasher: given, verifiers, rules }: WorkParts): PasswordWork {
  const queue = isQueued(given) ? given : queued(given, { cores: countCores() })
  const { hasher } = queue
  const methods = createMethods(hasher, verifiers)
  const getOwnDecoys = createOwnDecoys(queue)
  // A Worker computes nothing before its first request. What fails here is tried again by the first sign-in.
  if (!isWorkerd()) void getOwnDecoys().catch(() => undefined)
  const warned = new Set<string>()
  const warnOfCost = (hash: string, log: Pick<Logger, 'warn'>): void => {
    const { cost, problem } = methods.describe(hash) ?? {}
    if (cost === undefined || problem === undefined || warned.has(cost)) return
    warned.add(cost)
    log.warn('an unknown email address does not cost as much as a hash', { cost, problem })
  }
  return {
    ...rules,
    hash: (password, caller, before) =>
      queue.run(async () => {
        await before?.()
        return hasher.hash(password.normalize('NFC'))
      }, caller),
    async verify(password, hash, { log, ...caller }) {
      // Made before anything is compared, so that the first unknown name is not slower.
      await getOwnDecoys()
      warnOfCost(hash, log)
      return queue.run(() => methods.compare(password, hash, log), caller)
    },
    needsRehash: (hash) => hasher.needsRehash(hash),
    getCost: (hash) => methods.describe(hash),
    async getDecoy(seed) {
      const decoys = [await getOwnDecoys(), ...verifiers.map(listDecoys)].flat()
      return decoys[toNumber(seed) % decoys.length] ?? ''
    },
  }
}

function isQueued(hasher: PasswordHasher): hasher is QueuedHasher {
  return 'run' in hasher
}

/** An isolate of Workers computes one hash at a time, and its requests must not wait for each other. */
function countCores(): number {
  return isWorkerd() ? 1024 : globalThis.navigator?.hardwareConcurrency || 1
}

/** Returns a function that makes the hasher's decoys once. */
function createOwnDecoys(queue: QueuedHasher): () => Promise<readonly string[]> {
  const { hasher } = queue
  let made: Promise<string> | undefined
  const getMade = async (): Promise<string> => {
    // First in the queue: a sign-in waits for this hash and its own.
    made ??= queue.run(() => hasher.hash(crypto.randomUUID()), { isKnown: true })
    try {
      return await made
    } catch (thrown) {
      made = undefined // The next sign-in tries again.
      throw thrown
    }
  }
  return async () => hasher.decoys ?? [hasher.decoy ?? (await getMade())]
}

function listDecoys({ decoy, decoys = [decoy] }: PasswordVerifier): readonly string[] {
  return decoys
}

/** Returns a number that a text of random characters picks. */
function toNumber(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + character.charCodeAt(0), 0)
}
