import type { TokenMac } from '../tokens/refresh-token.ts'

/** Consonants: no code is a word, and no digit is taken for a letter (RFC 8628 §6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
const FORM = new RegExp(`^[${LETTERS}]{${LENGTH}}$`)
/** Bytes from here on would make the first letters more frequent. */
const UNEVEN = 256 - (256 % LETTERS.length)

/** Creates a code that a user can type: one of 20^8. */
export function createUserCode(random: (bytes: number) => Uint8Array): string {
  let code = ''
  while (code.length < LENGTH) {
    const even = [...random(LENGTH)].filter((byte) => byte < UNEVEN)
    code += even.map((byte) => LETTERS[byte % LETTERS.length]).join('')
  }
  return code.slice(0, LENGTH)
}

/** Returns a code as devices show it, such as `WDJB-MJHT`. */
export function formatUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/** Returns the code that a user has typed in any case, with or without a dash; undefined if it cannot be one. */
export function parseUserCode(typed: string): string | undefined {
  const code = typed
    .slice(0, 64)
    .replaceAll(/[\s\p{P}]/gu, '')
    .toUpperCase()
  return FORM.test(code) ? code : undefined
}

/** Returns the key of the grant of a code: who reads the storage cannot try all codes against it. */
export function toUserCodeKey(mac: TokenMac, code: string): Promise<string> {
  return mac.sign(`user code ${code}`)
}
