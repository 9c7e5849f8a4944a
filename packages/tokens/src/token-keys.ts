import { ConfigurationError, isList, readMember } from '@latchkey/core/capability/options'
import type { PublicTokenKey } from './token-issuer.ts'

/** A key of the option `tokens.keys`: a JSON Web Key (RFC 7517) for EdDSA, ES256 or RS256. */
export interface TokenKey {
  readonly kty: string
  readonly crv?: string
  readonly x?: string
  readonly y?: string
  /** The modulus of a key for RS256, of at least 2,048 bits. */
  readonly n?: string
  readonly e?: string
  /** The private part. A key after the first may leave it out: then it is published and cannot sign. */
  readonly d?: string
  /** With `q`, `dp`, `dq` and `qi` the factors of a private key for RS256. */
  readonly p?: string
  readonly q?: string
  readonly dp?: string
  readonly dq?: string
  readonly qi?: string
  readonly kid?: string
  readonly alg?: string
  readonly use?: string
}

/** A kind of keys: its constant members, and the forms of its public members. */
interface KeyKind {
  readonly constant: { readonly kty: string; readonly crv?: string }
  readonly members: Readonly<Partial<Record<'x' | 'y' | 'n' | 'e', RegExp>>>
  readonly privatePart: RegExp
}

const COORDINATE = /^[\w-]{43}$/
/** 2,048 to 4,096 bits (RFC 7518 §3.3). */
const MODULUS = /^[\w-]{342,683}$/
/** It may begin with zeros, which are left out. */
const EXPONENT = /^[\w-]{300,683}$/

const kinds: Readonly<Record<string, KeyKind>> = {
  EdDSA: {
    constant: { kty: 'OKP', crv: 'Ed25519' },
    members: { x: COORDINATE },
    privatePart: COORDINATE,
  },
  ES256: {
    constant: { kty: 'EC', crv: 'P-256' },
    members: { x: COORDINATE, y: COORDINATE },
    privatePart: COORDINATE,
  },
  RS256: {
    constant: { kty: 'RSA' },
    members: { n: MODULUS, e: /^AQAB$/ },
    privatePart: EXPONENT,
  },
}

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
  const isWrong = ({ alg = '', d }: TokenKey, index: number): boolean =>
    (index === 0 || d !== undefined) && !kinds[alg]?.privatePart.test(String(d))
  if (keys.some(isWrong)) {
    throw new ConfigurationError(
      'tokens.keys',
      'must begin with a private key, and have whole ones',
    )
  }
  if (new Set(list.map(({ kid }) => kid)).size < list.length) {
    throw new ConfigurationError('tokens.keys', 'must have different kid')
  }
  return list
}

function toPublicKey(key: TokenKey, index: number): PublicTokenKey {
  const { kid, alg = '' } = { ...key }
  const missing = Object.entries(required).find(([name]) => readMember(key, name) === undefined)
  if (missing) throw keyError(index, `has no ${missing[0]}: expected ${missing[1]}`)
  const members = readMembers(key, Object.hasOwn(kinds, alg) ? kinds[alg] : undefined)
  if (!members) throw keyError(index, `must be ${required.kty}`)
  // Any text: it is opaque (RFC 7517 §4.5).
  if (typeof kid !== 'string') throw keyError(index, 'must have a text as its kid')
  return { ...members, kid, alg, use: 'sig' }
}

/** Returns the public members of a key; undefined if it is not of the kind. */
function readMembers(
  key: TokenKey,
  kind: KeyKind | undefined,
): Pick<PublicTokenKey, 'kty' | 'crv' | 'x' | 'y' | 'n' | 'e'> | undefined {
  if (!kind || kind.constant.kty !== key.kty || kind.constant.crv !== key.crv) return undefined
  const names = ['x', 'y', 'n', 'e'] as const
  const isKind = names.every((name) => kind.members[name]?.test(key[name] ?? '') ?? !(name in key))
  if (!isKind) return undefined
  const read = names.filter((name) => kind.members[name]).map((name) => [name, key[name]] as const)
  return { ...kind.constant, ...Object.fromEntries(read) }
}

/** The members that a key must have, and what is expected of them. */
const required = {
  kty: 'a JSON Web Key for EdDSA (Ed25519), ES256 or RS256 with alg and kid',
  alg: 'EdDSA, ES256 or RS256',
  kid: 'a text that names the key',
}

function keyError(index: number, problem: string): ConfigurationError {
  const advice = 'make one with generateTokenKey()'
  return new ConfigurationError('tokens.keys', `[${index}] ${problem}: ${advice}`)
}
