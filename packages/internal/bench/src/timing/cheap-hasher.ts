import { pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { PasswordHasher } from '@latchkey/passwords'

const ITERATIONS = 100
const KEY_BYTES = 32
const SALT_BYTES = 16
const prefix = `$pbkdf2-sha512$i=${ITERATIONS}$`

/**
 * Hashes by PBKDF2 in about a tenth of a millisecond, for measurements only: a difference in the code around the hash
 * stands out. It is synchronous, so that no wait for a thread hides the difference.
 */
export const cheapHasher: PasswordHasher & { readonly decoy: string } = {
  decoy: format(Buffer.alloc(SALT_BYTES), Buffer.alloc(KEY_BYTES)),
  async hash(password) {
    const salt = randomBytes(SALT_BYTES)
    return format(salt, deriveKey(password, salt))
  },
  async verify(password, hash) {
    const [salt = '', key = ''] = hash.slice(prefix.length).split('$')
    const derived = deriveKey(password, Buffer.from(salt, 'base64'))
    return timingSafeEqual(derived, Buffer.from(key, 'base64'))
  },
  needsRehash: (hash) => !hash.startsWith(prefix),
}

function deriveKey(password: string, salt: Uint8Array): Buffer {
  return pbkdf2Sync(password, salt, ITERATIONS, KEY_BYTES, 'sha512')
}

function format(salt: Buffer, key: Buffer): string {
  return `${prefix}${salt.toString('base64')}$${key.toString('base64')}`
}
