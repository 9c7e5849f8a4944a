import { scrypt, timingSafeEqual } from 'node:crypto'
import type { ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt)
const parameters = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }

/** Verifies a hash of better-auth. */
export async function verifyPassword(hash: string, password: string): Promise<boolean> {
  const [salt = '', key = ''] = hash.split(':')
  const stored = Buffer.from(key, 'hex')
  const derived = await derive(password.normalize('NFKC'), salt, 64, parameters)
  return stored.length === derived.length && timingSafeEqual(stored, derived)
}
