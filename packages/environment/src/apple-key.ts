import { ConfigurationError } from '@latchkey/core'

/** The curve P-256 as an object identifier in DER (RFC 5480 §2.1.1.1). */
const p256 = '\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07'
/** The algorithm identifier of an elliptic curve key on P-256 (RFC 5480 §2.1.1). */
const algorithm = `\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01${p256}`

/**
 * Converts the key of `AUTH_APPLE_PRIVATE_KEY` to what core reads: PKCS #8 in PEM (RFC 5958). Line
 * breaks may be written as `\n`, and the key may be in the form of RFC 5915, which OpenSSL writes.
 *
 * @throws ConfigurationError `providers.apple.privateKey` if it is not a P-256 key in PEM
 */
export function toPkcs8(text: string): string {
  const [, type, base64 = ''] = pem.exec(text.replaceAll('\\n', '\n')) ?? []
  const der = decode(base64)
  if (type === undefined || !isSequence(der) || !der.includes(p256)) {
    throw new ConfigurationError(
      'providers.apple.privateKey',
      'must be the text of the .p8 file: a P-256 key in PEM, with line breaks as they are or as \\n',
    )
  }
  const key = type === 'PRIVATE KEY' ? der : wrap(der)
  return `-----BEGIN PRIVATE KEY-----\n${btoa(key)}\n-----END PRIVATE KEY-----\n`
}

const pem = /-----BEGIN ((?:EC )?PRIVATE KEY)-----([\s\w+/=]+)-----END \1-----/

/** Returns one character for each byte; none if the text is not base64. */
function decode(base64: string): string {
  try {
    return atob(base64)
  } catch {
    return ''
  }
}

/** Returns whether a text is one whole DER sequence: a key that was cut off is not. */
function isSequence(der: string): boolean {
  const [, length = 0, long = 0] = Array.from(der.slice(0, 3), (char) => char.charCodeAt(0))
  if (!der.startsWith('\x30')) return false
  return length === 0x81 ? der.length === 3 + long : length < 0x80 && der.length === 2 + length
}

/** Puts a key of RFC 5915 into a PrivateKeyInfo of RFC 5958 §2. */
function wrap(key: string): string {
  return element('\x30', `\x02\x01\x00${algorithm}${element('\x04', key)}`)
}

/** A P-256 key has fewer than 256 bytes. */
function element(tag: string, content: string): string {
  const { length } = content
  return `${tag}${length < 0x80 ? '' : '\x81'}${String.fromCharCode(length)}${content}`
}
