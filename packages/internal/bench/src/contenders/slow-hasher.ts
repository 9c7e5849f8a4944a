import { createHash, pbkdf2, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import type { PasswordHasher } from '@latchkey/passwords'

const derive = promisify(pbkdf2)
/** Iterations of PBKDF2 that take a few milliseconds. */
const STEP = 5000

/**
 * Creates a hasher that takes a thread for some time, for measurements only: as long on a fast machine as on a slow or busy
 * one. Its hashes are not secure.
 */
export function createSlowHasher(milliseconds: number): PasswordHasher {
  const hash = async (password: string, salt: string): Promise<string> => {
    const end = performance.now() + milliseconds
    while (performance.now() < end) await derive(password, salt, STEP, 32, 'sha256')
    const digest = createHash('sha256').update(`${salt} ${password}`).digest('base64')
    return `slow:${salt}:${digest}`
  }
  return {
    decoy: 'slow:decoy:',
    hash: (password) => hash(password, randomUUID()),
    verify: async (password, stored) =>
      (await hash(password, stored.split(':')[1] ?? '')) === stored,
    needsRehash: (stored) => !stored.startsWith('slow:'),
  }
}
