import { isDeepStrictEqual } from 'node:util'
import { PasskeyError, verifyAuthentication, verifyRegistration } from '@latchkey/passkeys'
import { decodeCbor } from '../../../../../passkeys/src/cbor.ts'
import { parseCoseKey } from '../../../../../passkeys/src/cose-key.ts'
import { fromDerSignature } from '../../../../../passkeys/src/der.ts'
import { perform, toJson } from '../../../../../passkeys/test/support/authenticator.ts'
import type { Ceremony, Parts } from '../../../../../passkeys/test/support/authenticator.ts'
import {
  createCeremony,
  expected,
  toStored,
  userHandle,
} from '../../../../../passkeys/test/support/ceremonies.ts'
import { encodeCbor } from '../../../../../passkeys/test/support/encode-cbor.ts'
import type { Encodable } from '../../../../../passkeys/test/support/encode-cbor.ts'
import { createKeyPair, toDerSignature } from '../../../../../passkeys/test/support/keys.ts'
import type { KeyPair } from '../../../../../passkeys/test/support/keys.ts'
import { drawByteEdits, editBytes } from '../byte-edits.ts'
import type { ByteEdit } from '../byte-edits.ts'
import type { Draw } from '../draw.ts'
import { drawMemberEdits, editMembers, parseObject } from '../json-edits.ts'
import type { MemberEdit } from '../json-edits.ts'
import { check, defineTarget } from '../target.ts'
import type { Target } from '../target.ts'
import { drawText, drawTextEdit, editText } from '../texts.ts'
import type { TextEdit } from '../texts.ts'

/** Bytes as base64url. */
type Base64url = string

/** Bytes for one of the parsers. */
interface BytesCase {
  readonly parser: 'cbor' | 'cose' | 'der'
  readonly bytes: Base64url
}

/** A ceremony of an authenticator, which can be altered on its way. */
interface CeremonyCase {
  readonly type: 'create' | 'get'
  readonly key: number
  readonly format: 'none' | 'packed'
  /** What the client says. */
  readonly clientData: readonly MemberEdit[]
  /** What the authenticator says. */
  readonly flags: number
  readonly counter: number
  readonly rpId: string
  readonly extensions: Base64url
  readonly suffix: Base64url
  /** Alters a part after it was signed. */
  readonly part: keyof Parts
  readonly edits: readonly ByteEdit[]
  /** Alters the JSON. */
  readonly text?: TextEdit
}

type Case = BytesCase | CeremonyCase

/** CBOR, COSE and DER, and the messages of WebAuthn, as bytes and as ceremonies. */
export const target: Target = defineTarget<Case>({
  name: 'webauthn',
  draw: (draw) => draw.any<Case>(drawBytes, drawCeremony),
  async open() {
    const keyPairs = [await createKeyPair(-7), await createKeyPair(-8)]
    return {
      run: async (given) =>
        'parser' in given
          ? parsers[given.parser](decode(given.bytes))
          : runCeremony(given, keyPairs),
    }
  },
})

function drawBytes(draw: Draw): BytesCase {
  const parser = draw.pick(['cbor', 'cose', 'der'] as const)
  const ways: Readonly<Record<BytesCase['parser'], (d: Draw) => Uint8Array>> = {
    cbor: (d) => encodeCbor(drawEncodable(d, 3)),
    cose: (d) => encodeCbor(new Map(drawParameters(d))),
    der: (d) => toDerSignature(Uint8Array.from({ length: 64 }, () => d.byte())),
  }
  const bytes = draw.once(4) ? draw.bytes(80) : ways[parser](draw)
  return { parser, bytes: encode(editBytes(bytes, drawByteEdits(draw, 3))) }
}

function drawEncodable(draw: Draw, depth: number): Encodable {
  const scalars: readonly ((d: Draw) => Encodable)[] = [
    (d) => d.pick([0, 23, 24, 255, 256, 65_535, 65_536, 2 ** 32, 2 ** 53 - 2, -1, -25, -257]),
    (d) => drawText(d).toWellFormed(),
    (d) => d.bytes(30),
    (d) => d.pick([true, false, null]),
  ]
  if (depth === 0) return draw.any(...scalars)
  return draw.any<Encodable>(
    ...scalars,
    (d) => d.list(4, (each) => drawEncodable(each, depth - 1)),
    (d) =>
      new Map(
        d.list(
          4,
          (each) => [drawText(each).toWellFormed(), drawEncodable(each, depth - 1)] as const,
        ),
      ),
  )
}

function drawParameters(draw: Draw): [number, Encodable][] {
  const numbers = [1, 2, 3, 6, -1, -2, -3, -7, -8, -257] as const
  const value = (d: Draw): Encodable =>
    d.any<Encodable>(
      (each) => each.pick(numbers),
      (each) => new Uint8Array(each.pick([0, 1, 3, 31, 32, 33, 256, 512])).fill(each.byte()),
      (each) => drawEncodable(each, 1),
    )
  return draw.list(6, (d) => [d.pick(numbers), value(d)])
}

function drawCeremony(draw: Draw): CeremonyCase {
  const type = draw.pick(['get', 'create'] as const)
  const isFaulty = draw.once(2)
  const parts = ['clientDataJSON', 'authenticatorData', 'signature', 'attestationObject'] as const
  return {
    type,
    key: draw.below(2),
    format: draw.pick(['none', 'packed'] as const),
    clientData: isFaulty ? drawMemberEdits(draw, memberNames, memberValues) : [],
    flags: isFaulty && draw.once(2) ? draw.byte() : createFlags(type),
    counter: isFaulty ? draw.pick([0, 1, 2 ** 32 - 1]) : 1,
    rpId: isFaulty && draw.once(4) ? drawText(draw).toWellFormed() : 'example.com',
    extensions: isFaulty && draw.once(4) ? encode(encodeCbor(drawEncodable(draw, 2))) : '',
    suffix: isFaulty && draw.once(8) ? encode(draw.bytes(8)) : '',
    part: draw.pick(parts),
    edits: isFaulty ? [] : drawByteEdits(draw, 2),
    ...(draw.once(4) && { text: drawTextEdit(draw) }),
  }
}

const memberNames = ['type', 'challenge', 'origin', 'crossOrigin', 'topOrigin', 'tokenBinding', 'x']
// prettier-ignore
const memberValues = [
  'webauthn.get', 'webauthn.create', 'https://example.com', 'https://evil.example', 'null', '',
  'https://example.com.evil.example', 'http://example.com', expected.challenge, null, true, false,
  `${expected.challenge}=`, [expected.challenge], {}, 'https://login.example.com:8443',
]

function createFlags(type: 'create' | 'get'): number {
  return type === 'create' ? 0x5d : 0x1d
}

const parsers: Readonly<Record<BytesCase['parser'], (bytes: Uint8Array<ArrayBuffer>) => void>> = {
  cbor(bytes) {
    const value = refuse(() => decodeCbor(bytes))
    if (value === undefined) return
    const again = encodeCbor(value)
    check(isDeepStrictEqual(again, bytes), `CBOR has a second encoding: ${encode(bytes)}`)
  },
  cose(bytes) {
    const key = refuse(() => parseCoseKey(bytes))
    check(key === undefined || [-7, -8, -257].includes(key.algorithm), 'algorithm')
  },
  der(bytes) {
    const raw = fromDerSignature(bytes)
    if (raw === undefined) return
    check(
      isDeepStrictEqual(toDerSignature(raw), bytes),
      `DER has a second encoding: ${encode(bytes)}`,
    )
  },
}

/** Returns undefined if a parser refuses its input, and throws whatever else it throws. */
function refuse<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (thrown) {
    if (thrown instanceof PasskeyError) return undefined
    throw thrown
  }
}

async function runCeremony(given: CeremonyCase, keyPairs: readonly KeyPair[]): Promise<void> {
  const keyPair = keyPairs[given.key % keyPairs.length]
  if (!keyPair) throw new Error('expected a key pair')
  const ceremony = createFaultyCeremony(given, keyPair)
  const parts = await perform(ceremony)
  const altered = { ...parts, [given.part]: editBytes(parts[given.part], given.edits) }
  const json = JSON.stringify(toJson(ceremony, altered))
  const text = given.text ? editText(json, given.text) : json
  const response = parseObject(text)
  if (!response) return
  const work = verify(given.type, response, keyPair)
  const accepted = await work.catch((thrown: unknown) => {
    if (thrown instanceof PasskeyError) return undefined
    throw thrown
  })
  if (accepted === undefined) return
  checkClaims(given.type, ceremony)
  checkParts(given, response, parts)
}

function verify(type: 'create' | 'get', response: object, keyPair: KeyPair): Promise<object> {
  if (type === 'create') return verifyRegistration(response, expected)
  return verifyAuthentication(response, { ...expected, credential: toStored(keyPair), userHandle })
}

function createFaultyCeremony(given: CeremonyCase, keyPair: KeyPair): Ceremony {
  const ceremony = createCeremony(given.type, keyPair)
  const { flags, counter, rpId, format } = given
  return {
    ...ceremony,
    flags,
    counter,
    rpId,
    format,
    clientData: editMembers(ceremony.clientData, given.clientData),
    extensions: decode(given.extensions),
    suffix: decode(given.suffix),
  }
}

/** Only what was signed is accepted; without an attestation nothing of a registration is signed. */
function checkParts(
  { type, format }: CeremonyCase,
  response: Readonly<Record<string, unknown>>,
  parts: Parts,
): void {
  if (type === 'create' && format === 'none') return
  const signed = type === 'get' ? signedParts : (['clientDataJSON', 'attestationObject'] as const)
  const members = (response['response'] ?? {}) as Readonly<Record<string, unknown>>
  for (const name of signed) {
    check(members[name] === encode(parts[name]), `an altered ${name} is accepted`)
  }
}

const signedParts = ['clientDataJSON', 'authenticatorData', 'signature'] as const

/** WebAuthn §7.1 and §7.2: what no accepted ceremony lacks. */
function checkClaims(type: 'create' | 'get', { clientData, flags, rpId }: Ceremony): void {
  check(clientData['type'] === `webauthn.${type}`, `type: ${String(clientData['type'])}`)
  check(clientData['challenge'] === expected.challenge, 'challenge')
  const { origin } = clientData as { readonly origin?: string }
  check(expected.origins.includes(origin ?? ''), `origin: ${origin}`)
  check(clientData['crossOrigin'] !== true, 'crossOrigin')
  check(rpId === expected.rpId, `rpId: ${rpId}`)
  check((flags & 1) === 1, 'a ceremony without a user who is present')
  check((flags & 4) === 4, 'a ceremony without a verified user')
  check((flags & 0x10) === 0 || (flags & 8) === 8, 'backed up but not eligible for it')
}

function encode(bytes: Uint8Array): Base64url {
  return Buffer.from(bytes).toString('base64url')
}

function decode(text: Base64url): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text, 'base64url'))
}
