import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Draw } from './draw.ts'
import { drawMemberEdits, editMembers, parseObject } from './json-edits.ts'
import type { MemberEdit } from './json-edits.ts'
import { drawTextEdit, editText } from './texts.ts'
import type { TextEdit } from './texts.ts'

/** The key of an issuer. */
export interface JwtKey {
  readonly privateKey: KeyObject
  readonly jwk: Readonly<Record<string, unknown>>
}

/** How a JWT differs from a correct one. */
export interface JwtEdit {
  readonly claims: readonly MemberEdit[]
  readonly header: readonly MemberEdit[]
  /** Who signs: only the issuer's signature is valid. */
  readonly signer: 'issuer' | 'attacker' | 'public-key' | 'secret' | 'none'
  /** Alters the compact serialization. */
  readonly text?: TextEdit
}

/** Creates an ES256 key with a `kid`. */
export function createJwtKey(kid: string): JwtKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' },
  }
}

/** Draws how a JWT differs. `values` are likely to be accepted by mistake. */
export function drawJwtEdit(
  draw: Draw,
  names: readonly string[],
  values: readonly unknown[],
): JwtEdit {
  const isIssuer = !draw.once(5)
  return {
    claims: drawMemberEdits(draw, names, values),
    header: draw.once(3)
      ? drawMemberEdits(draw, ['alg', 'kid', 'typ', 'crit', 'jwk', 'b64', 'zip'], headerValues)
      : [],
    signer: isIssuer ? 'issuer' : draw.pick(['attacker', 'public-key', 'secret', 'none'] as const),
    ...(draw.once(4) && { text: drawTextEdit(draw) }),
  }
}

const headerValues = [
  'ES256',
  'HS256',
  'none',
  'None',
  'RS256',
  'JWT',
  'logout+jwt',
  ['b64'],
  'key',
]

/** Creates a JWT with edits. */
export function createEditedJwt(
  claims: Readonly<Record<string, unknown>>,
  { claims: claimEdits, header: headerEdits, signer, text }: JwtEdit,
  { issuer, attacker, secret }: { issuer: JwtKey; attacker: JwtKey; secret: string },
): string {
  const isHmac = signer === 'public-key' || signer === 'secret'
  const alg = isHmac ? 'HS256' : signer === 'none' ? 'none' : 'ES256'
  const header = editMembers({ alg, kid: issuer.jwk['kid'], typ: 'JWT' }, headerEdits)
  const input = `${encode(header)}.${encode(editMembers(claims, claimEdits))}`
  const hmacKey = signer === 'secret' ? secret : JSON.stringify(issuer.jwk)
  const { privateKey } = signer === 'attacker' ? attacker : issuer
  const signature = isHmac
    ? createHmac('sha256', hmacKey).update(input).digest('base64url')
    : signer === 'none'
      ? ''
      : sign('sha256', Buffer.from(input), {
          key: privateKey,
          dsaEncoding: 'ieee-p1363',
        }).toString('base64url')
  const jwt = `${input}.${signature}`
  return text ? editText(jwt, text) : jwt
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/**
 * Returns the claims of a JWT that the issuer has signed exactly so; undefined if anybody else has, or if a character
 * was altered. Nothing else is checked.
 */
export function readSignedClaims(
  jwt: string,
  { signer, text }: JwtEdit,
): Readonly<Record<string, unknown>> | undefined {
  if (signer !== 'issuer') return undefined
  const isAltered = text !== undefined && !/^[\w-]+\.[\w-]+\.[\w-]{86}$/.test(jwt)
  if (isAltered) return undefined
  return parseObject(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}
