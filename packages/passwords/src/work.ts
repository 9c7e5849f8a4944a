import type { PasswordWork } from '@latchkey/core'
import type { PasswordHasher } from './hasher.ts'
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
  const isOwn = (hash: string): boolean => !hasher.needsRehash(hash)
  let ownDecoy: Promise<string> | undefined
  const getOwnDecoy = async (): Promise<string> => {
    ownDecoy ??= createDecoy(queue)
    try {
      return await ownDecoy
    } catch (thrown) {
      ownDecoy = undefined // The next sign-in tries again.
      throw thrown
    }
  }
  return {
    ...rules,
    hash: (password, caller, before) =>
      queue.run(async () => {
        await before?.()
        return hasher.hash(password)
      }, caller),
    async verify(password, hash, caller) {
      // Made before anything is compared, so that the first unknown name is not slower.
      await getOwnDecoy()
      const verifier = isOwn(hash) ? undefined : verifiers.find(({ matches }) => matches(hash))
      return queue.run(
        () => (verifier ? verifyForms(verifier, password, hash) : hasher.verify(password, hash)),
        caller,
      )
    },
    needsRehash: (hash) => hasher.needsRehash(hash),
    canVerify: (hash) => isOwn(hash) || verifiers.some(({ matches }) => matches(hash)),
    async getDecoy(seed) {
      const decoys = [await getOwnDecoy(), ...verifiers.map(({ decoy }) => decoy)]
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

async function createDecoy(hasher: QueuedHasher): Promise<string> {
  return hasher.decoy ?? hasher.hash(crypto.randomUUID())
}

/** An imported hash is of the password as it was typed there, normalized or not (I-55.6). */
async function verifyForms(
  verifier: PasswordVerifier,
  password: string,
  hash: string,
): Promise<boolean> {
  if (await verifier.verify(password, hash)) return true
  const normalized = password.normalize('NFC')
  return normalized !== password && verifier.verify(normalized, hash)
}

/** Returns a number that a text of random characters picks. */
function toNumber(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + character.charCodeAt(0), 0)
}
