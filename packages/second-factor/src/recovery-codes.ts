import { ConfigurationError } from '@latchkey/core'
import type { Factor } from '@latchkey/core'
import type { BackupMethod, SecondFactorInput } from './method.ts'
import { toBase32 } from './base32.ts'
import { parseMembers } from './members.ts'
import { getSecondFactorTexts } from './texts.ts'
import { checkKnownNames } from '@latchkey/core/capability/options'
import { equalInConstantTime, normalizeTyped, toGroups } from './typed-text.ts'

/** The options of {@link recoveryCodes}. */
export interface RecoveryCodesOptions {
  /** How many codes a user gets, from 1 to 50. Default: 10 */
  readonly count?: number
}

/** What `data` of a factor has, as JSON. */
interface State {
  readonly salt: string
  /** The salted hashes of the codes that were not used yet. */
  readonly hashes: readonly string[]
}

/** The type of the factor. */
export const RECOVERY = 'recovery'

const DEFAULT_COUNT = 10
/** So that the data stays below the 8 KiB of a factor (I-49). */
const MAX_COUNT = 50

/** 120 bits. */
const CODE_BYTES = 15
const SALT_BYTES = 15

/**
 * Crockford's alphabet in lower case, without `i`, `l`, `o` and `u`: these are read as `1` and `0`, so that a code that
 * was written down by hand can be typed either way.
 *
 * @see https://www.crockford.com/base32.html
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * Accepts recovery codes in the place of a second factor: a method of `secondFactor()`. Each code works once,
 * and the storage has only its hash.
 *
 * @example
 *   import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
 *
 *   const option = secondFactor({ methods: [totp(), recoveryCodes({ count: 8 })] })
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function recoveryCodes(options: RecoveryCodesOptions = {}): BackupMethod {
  checkKnownNames('recoveryCodes', options, ['count'])
  const { count = DEFAULT_COUNT } = options
  if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT) {
    throw new ConfigurationError('recoveryCodes.count', `must be an integer from 1 to ${MAX_COUNT}`)
  }
  return {
    id: RECOVERY,
    typeName: (messages) => getSecondFactorTexts(messages).recovery,
    isBackup: true,
    methods: ['recovery'],
    link: (messages) => getSecondFactorTexts(messages).useRecoveryCode,
    fields: {
      code: {
        label: (messages) => getSecondFactorTexts(messages).recoveryCode,
        autocomplete: 'off',
        maxLength: 64,
      },
    },
    verify: useCode,
    create: ({ random }) => createCodes(count, random),
  }
}

async function createCodes(
  count: number,
  random: SecondFactorInput['random'],
): Promise<{ readonly data: string; readonly codes: readonly string[] }> {
  const salt = toBase32(random(SALT_BYTES), ALPHABET)
  const codes = Array.from({ length: count }, () => toBase32(random(CODE_BYTES), ALPHABET))
  const hashes = await Promise.all(codes.map((code) => hashCode(salt, code)))
  const state: State = { salt, hashes }
  return { data: JSON.stringify(state), codes: codes.map((code) => toGroups(code, '-')) }
}

async function useCode(factor: Factor, input: SecondFactorInput): Promise<string | undefined> {
  const { salt, hashes } = parseState(factor.data)
  const code = readCode(input.fields.get('code') ?? '')
  if (!/^[0-9a-hjkmnp-tv-z]{24}$/.test(code)) return undefined
  const hash = await hashCode(salt, code)
  const unused = hashes.filter((stored) => !equalInConstantTime(stored, hash))
  if (unused.length === hashes.length) return undefined
  const state: State = { salt, hashes: unused }
  return JSON.stringify(state)
}

/** Returns a typed code as {@link ALPHABET} has it. */
function readCode(typed: string): string {
  return normalizeTyped(typed).toLowerCase().replaceAll('o', '0').replaceAll(/[il]/g, '1')
}

/** A slow hash would protect passwords, which can be guessed: 120 random bits cannot. */
async function hashCode(salt: string, code: string): Promise<string> {
  const salted = new TextEncoder().encode(`${salt}.${code}`)
  return toBase32(new Uint8Array(await crypto.subtle.digest('SHA-256', salted)), ALPHABET)
}

/** @throws Error without the data */
function parseState(data: string): State {
  const { salt, hashes } = parseMembers(data)
  if (typeof salt === 'string' && Array.isArray(hashes) && hashes.every(isHash)) {
    return { salt, hashes }
  }
  throw new Error('the data of the recovery codes is invalid')
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && value.length === 52
}
