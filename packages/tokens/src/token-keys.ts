import { ConfigurationError, isList, readMember } from '@latchkey/core/capability/options'
import type { PublicTokenKey } from './token-issuer.ts'

/** A key of the option `tokens.keys`: a JSON Web Key (RFC 7517) for EdDSA or ES256. */
export interface TokenKey {
  readonly kty: string
  readonly crv?: string
  readonly x?: string
  readonly y?: string
  /** The private part. A key after the first may leave it out: then it is published and cannot sign. */
  readonly d?: string
  readonly kid?: string
  readonly alg?: string
  readonly use?: string
}

/** The public members of the kinds of keys. */
const kinds: Readonly<Record<string, { readonly kty: string; readonly crv: string }>> = {
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  ES256: { kty: 'EC', crv: 'P-256' },
}

const COORDINATE = /^[\w-]{43}$/
const MAX_KEYS = 10

/**
 * Checks the option `tokens.keys`.
 *
 * @returns The public keys, in the same order. No private member is copied
 *
 * @throws ConfigurationError naming the key by its position, and never its value
 */
export function toPublicKeys(keys: readonly TokenKey[]): readonly PublicTokenKey[] {
  if (!isList(keys) || keys.length === 0 || keys.length > MAX_KEYS) {
    throw new ConfigurationError('tokens.keys', `must be a list of 1 to ${MAX_KEYS} keys`)
  }
  const list = keys.map(toPublicKey)
  if (!COORDINATE.test(String(keys[0]?.d))) {
    throw new ConfigurationError('tokens.keys', 'must begin with a private key: it signs')
  }
  if (new Set(list.map(({ kid }) => kid)).size < list.length) {
    throw new ConfigurationError('tokens.keys', 'must have different kid')
  }
  return list
}

function toPublicKey(key: TokenKey, index: number): PublicTokenKey {
  const { kty, crv, x = '', y, kid, alg = '' } = { ...key }
  const missing = Object.entries(required).find(([name]) => readMember(key, name) === undefined)
  if (missing) throw keyError(index, `has no ${missing[0]}: expected ${missing[1]}`)
  const kind = Object.hasOwn(kinds, alg) ? kinds[alg] : undefined
  const isKind = kind !== undefined && kind.kty === kty && kind.crv === crv && COORDINATE.test(x)
  const hasY = kty === 'EC' ? COORDINATE.test(y ?? '') : y === undefined
  if (!isKind || !hasY) throw keyError(index, `must be ${required.kty}`)
  // Any text: it is opaque (RFC 7517 §4.5).
  if (typeof kid !== 'string') throw keyError(index, 'must have a text as its kid')
  return { ...kind, x, ...(y !== undefined && { y }), kid, alg, use: 'sig' }
}

/** The members that a key must have, and what is expected of them. */
const required = {
  kty: 'a JSON Web Key for EdDSA (Ed25519) or ES256 with alg and kid',
  alg: 'EdDSA or ES256',
  kid: 'a text that names the key',
}

function keyError(index: number, problem: string): ConfigurationError {
  const advice = 'make one with generateTokenKey()'
  return new ConfigurationError('tokens.keys', `[${index}] ${problem}: ${advice}`)
}
