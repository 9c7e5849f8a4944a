import { equalInConstantTime } from './typed-text.ts'

/** What authenticator apps assume (RFC 6238 §4): other values are ignored by most of them. */
export const DIGITS = 6
export const PERIOD = 30

/** Steps before and after the current one that are accepted (RFC 6238 §5.2). */
const TOLERANCE = 1

/**
 * Finds the time step that a code belongs to (RFC 6238 §4.2). All steps are compared, so that the time that this
 * takes says nothing.
 *
 * @param code Six digits
 * @param now Seconds since 1970
 * @returns The latest of the steps with this code, so that it cannot be used again in a later one; undefined if it is
 *   the code of none
 */
export async function findStep(
  key: Uint8Array<ArrayBuffer>,
  code: string,
  now: number,
): Promise<number | undefined> {
  const algorithm = { name: 'HMAC', hash: 'SHA-1' }
  const hmacKey = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  const current = Math.floor(now / PERIOD)
  let found: number | undefined
  for (let step = current - TOLERANCE; step <= current + TOLERANCE; step++) {
    if (equalInConstantTime(await computeCode(hmacKey, step), code)) found = step
  }
  return found
}

/** Computes the code of a time step (RFC 4226 §5.3). */
async function computeCode(key: CryptoKey, step: number): Promise<string> {
  const counter = new DataView(new ArrayBuffer(8))
  counter.setBigUint64(0, BigInt(step))
  const mac = new DataView(await crypto.subtle.sign('HMAC', key, counter))
  const offset = mac.getUint8(mac.byteLength - 1) & 0xf
  const number = mac.getUint32(offset) & 0x7fff_ffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}
