import { isCanonicalBase64url } from './encoding.ts'

/** Bytes of an initialization vector of AES-GCM (NIST SP 800-38D §5.2.1.1). */
const IV_LENGTH = 12
/** Bytes of an authentication tag of AES-GCM. */
export const TAG_LENGTH = 16

/** The parts of a text that {@link AesKey.seal} returns, each in base64url. */
export interface SealedText {
  readonly iv: string
  readonly ciphertext: string
  readonly tag: string
}

/** @throws Error if an initialization vector is not 12 bytes long */
export function checkIv({ byteLength }: Uint8Array): void {
  if (byteLength === IV_LENGTH) return
  throw new Error(`expected an initialization vector of ${IV_LENGTH} bytes, found ${byteLength}`)
}

/** Splits a sealed text; undefined if it is not the canonical encoding of its bytes. */
export function parseSealedText(sealed: string): SealedText | undefined {
  const parts = sealed.split('.')
  const [iv = '', ciphertext = '', tag = ''] = parts
  // 16 and 22 characters are 12 and 16 bytes.
  if (parts.length !== 3 || iv.length !== 16 || tag.length !== 22) return undefined
  return parts.every(isCanonicalBase64url) ? { iv, ciphertext, tag } : undefined
}
