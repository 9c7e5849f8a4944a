import type { PasswordHasher } from '@latchkey/passwords'
import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { cheapHasher } from './cheap-hasher.ts'

const derive = promisify(pbkdf2)

/**
 * Creates a hasher that takes a thread for some time, for measurements only: as long on a fast machine as on a slow or busy
 * one. Its hashes are not secure.
 */
export function createSlowHasher(milliseconds: number): PasswordHasher {
  const wait = async (): Promise<void> => {
    const end = performance.now() + milliseconds
    // A few milliseconds each.
    while (performance.now() < end) await derive('', '', 5000, 32, 'sha256')
  }
  return {
    ...cheapHasher,
    hash: (password) => wait().then(() => cheapHasher.hash(password)),
    verify: (password, hash) => wait().then(() => cheapHasher.verify(password, hash)),
  }
}
