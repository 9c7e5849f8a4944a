import { DIGITS, PERIOD } from './code.ts'

/** Characters of the percent-encoded names: with longer ones the squares of the picture are too small for a camera. */
const MAX_ISSUER = 96
const MAX_ACCOUNT = 128

/**
 * Builds the URI that authenticator apps read.
 *
 * @param secret The key in base32
 * @see https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function toKeyUri(secret: string, issuer: string, account: string): string {
  const encodedIssuer = encodeName(issuer, MAX_ISSUER)
  const names = [encodedIssuer, encodeName(account, MAX_ACCOUNT)].filter(Boolean)
  // Apps refuse a URI without a label.
  const label = names.join(':') || 'account'
  const parameters = [
    `secret=${secret}`,
    encodedIssuer && `issuer=${encodedIssuer}`,
    'algorithm=SHA1',
    `digits=${DIGITS}`,
    `period=${PERIOD}`,
  ]
  return `otpauth://totp/${label}?${parameters.filter(Boolean).join('&')}`
}

/**
 * Percent-encodes a name, and cuts it between two code points. A colon becomes a space, even though it could be encoded:
 * apps decode the label before they divide it at its first colon. Control characters and lone surrogates, which
 * cannot be encoded, become spaces too.
 */
function encodeName(name: string, limit: number): string {
  let encoded = ''
  for (const character of name.replaceAll(/[:\s\p{Cc}\p{Cs}]+/gu, ' ').trim()) {
    const next = encoded + encodeURIComponent(character)
    if (next.length > limit) break
    encoded = next
  }
  return encoded.replace(/%20$/, '')
}
