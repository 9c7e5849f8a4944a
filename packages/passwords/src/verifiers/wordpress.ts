import { createHash, createHmac } from 'node:crypto'
import { getBcryptCost, getBcryptProblem, parseBcrypt, toBcryptDecoy } from '../bcrypt-hash.ts'
import type { BcryptHash, CompareBcrypt } from '../bcrypt-hash.ts'
import { equalInConstantTime, toUtf8 } from '../bytes.ts'
import { isInRange } from '../phc.ts'
import { createVerifier } from '../verifier.ts'
import type { HashFormat, PasswordVerifier, VerifierOptions } from '../verifier.ts'

export type { CompareBcrypt } from '../bcrypt-hash.ts'
export type { PasswordVerifier, VerifierOptions } from '../verifier.ts'

/** A hash of the Portable PHP password hashing framework. */
interface PhpassHash {
  /** How often MD5 is computed. */
  readonly count: number
  readonly salt: string
  readonly output: string
}

/** Base64 of crypt(3). */
const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Logarithms of the count: WordPress has 13, and 16 takes a tenth of a second, in which nothing else runs. */
const COUNTS = [7, 16] as const
/** Bytes of a password that WordPress hashes. */
const MAX_BYTES = 4096

/**
 * Verifies the hashes of WordPress: `$wp$2y$…` of version 6.8 and later, bcrypt of an HMAC, and `$P$…` of earlier ones,
 * phpass. It is not offered on Cloudflare Workers.
 *
 * WordPress removes white space around a password, and hashes most passwords with a backslash before quotation marks
 * and backslashes: both forms of such a password are tried.
 *
 * @param compare `compare` of @node-rs/bcrypt, which computes in a thread, or of bcryptjs
 *
 * @example
 *   import { compare } from '@node-rs/bcrypt'
 *   import { wordpress } from '@latchkey/passwords/verifiers/wordpress'
 *
 *   const verifier = wordpress(compare)
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function wordpress(compare: CompareBcrypt, options?: VerifierOptions): PasswordVerifier {
  const format: HashFormat<PhpassHash | BcryptHash> = {
    name: 'WordPress',
    option: 'wordpress',
    cost: '$wp$2y$10',
    getCost: (hash) =>
      'hash' in hash
        ? `$wp${getBcryptCost(hash).replace('$2b$', '$2y$')}`
        : `$P$${ALPHABET.charAt(Math.log2(hash.count))}`,
    toDecoy: (cost) => (cost.startsWith('$P$') ? `${cost}${'.'.repeat(30)}` : toBcryptDecoy(cost)),
    parse: (hash) => parsePhpass(hash) ?? parsePrefixed(hash),
    async verify(password, hash) {
      for (const form of listForms(password)) {
        const isRight = 'hash' in hash ? compare(toHmac(form), hash.hash) : isPhpass(form, hash)
        if (await isRight) return true
      }
      return false
    },
    getUnsupportedReason: getBcryptProblem,
  }
  return createVerifier(format, options)
}

/** Lists what WordPress may have hashed for a password. */
function listForms(password: string): readonly string[] {
  const trimmed = password.replaceAll(/^[ \n\r\t\v]+|[ \n\r\t\v]+$/g, '')
  const forms = [trimmed.replaceAll(/['"\\]/g, String.raw`\$&`), trimmed]
  return [...new Set(forms)].filter((form) => toUtf8(form).byteLength <= MAX_BYTES)
}

function toHmac(password: string): string {
  return createHmac('sha384', 'wp-sha384').update(password).digest('base64')
}

function parsePrefixed(text: string): BcryptHash | undefined {
  return text.startsWith('$wp$2y$') ? parseBcrypt(text.slice('$wp'.length)) : undefined
}

function parsePhpass(text: string): PhpassHash | undefined {
  const pattern = /^\$P\$([./A-Za-z\d])([./A-Za-z\d]{8})([./A-Za-z\d]{22})$/
  const [, log2 = '', salt = '', output = ''] = pattern.exec(text) ?? []
  const logarithm = log2 === '' ? -1 : ALPHABET.indexOf(log2)
  return isInRange(logarithm, COUNTS) ? { count: 2 ** logarithm, salt, output } : undefined
}

function isPhpass(password: string, { count, salt, output }: PhpassHash): boolean {
  const bytes = toUtf8(password)
  let hash = createHash('md5').update(salt).update(bytes).digest()
  for (let i = 0; i < count; i++) hash = createHash('md5').update(hash).update(bytes).digest()
  return equalInConstantTime(toUtf8(encode(hash)), toUtf8(output))
}

/** Encodes bytes, the least significant bits of each three bytes first. */
function encode(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const value = (bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8) | ((bytes[i + 2] ?? 0) << 16)
    const length = Math.min(4, Math.ceil(((bytes.length - i) * 8) / 6))
    for (let j = 0; j < length; j++) text += ALPHABET[(value >> (6 * j)) & 63]
  }
  return text
}
