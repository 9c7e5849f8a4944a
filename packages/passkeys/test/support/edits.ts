import type { Parts, ResponseJson } from './authenticator.ts'
import { encodeCbor, encodeHead } from './encode-cbor.ts'
import type { Encodable } from './encode-cbor.ts'
import { choose, encodeDifferently } from './faults.ts'
import type { Chance } from './faults.ts'

type Bytes = Uint8Array<ArrayBuffer>
type Part = keyof Parts

/** What changes a response after it was signed. */
export interface Edit {
  readonly name: string
  readonly type: 'create' | 'get'
  readonly change: (parts: Parts, chance: Chance) => Partial<Parts>
}

/** What changes the JSON of a response. */
export interface JsonEdit {
  readonly name: string
  /** The type of ceremonies. Default: both */
  readonly type?: 'create' | 'get'
  readonly change: (response: ResponseJson, chance: Chance) => object
}

/** The parts of the responses of both ceremonies. */
const registrationParts: readonly [Part, ...Part[]] = ['clientDataJSON', 'attestationObject']
const authenticationParts: readonly [Part, ...Part[]] = [
  'clientDataJSON',
  'authenticatorData',
  'signature',
]
/** The parts of a response, each with the type of its ceremony. */
const typedParts = [
  ...registrationParts.map((part) => ({ type: 'create' as const, part })),
  ...authenticationParts.map((part) => ({ type: 'get' as const, part })),
]

/** Replaces some bytes by others, of any number. */
export function splice(
  bytes: Bytes,
  { position, removed, inserted }: { position: number; removed: number; inserted: Uint8Array },
): Bytes {
  const start = position % Math.max(1, bytes.byteLength)
  return Uint8Array.of(...bytes.slice(0, start), ...inserted, ...bytes.slice(start + removed))
}

/** Changes one part. */
function edit(name: string, change: (bytes: Bytes, chance: Chance) => Bytes): readonly Edit[] {
  return typedParts.map(({ type, part }) => ({
    name: `${name} in ${part}`,
    type,
    change: (parts, chance) => ({ [part]: change(parts[part], chance) }),
  }))
}

const flip = (bytes: Bytes, { number }: Chance): Bytes =>
  bytes.map((byte, i) =>
    i === (number >> 3) % bytes.byteLength ? byte ^ (1 << (number & 7)) : byte,
  )

const texts = ['null', '"', '\\', '{}', ',"a":1', '\u{a0}', ' ', '"type":"webauthn.get",'] as const

const byteEdits: readonly Edit[] = [
  ...edit('a bit changes', flip),
  ...edit('the end is missing', (bytes, { number }) => bytes.slice(0, number % bytes.byteLength)),
  ...edit('bytes follow', (bytes, chance) => Uint8Array.of(...bytes, ...chance.bytes)),
  ...edit('a text is inserted', (bytes, chance) =>
    splice(bytes, {
      position: chance.bytes.reduce((sum, byte) => sum * 31 + byte, 7),
      removed: chance.number % 3,
      inserted: Buffer.from(choose(texts, chance)),
    }),
  ),
  {
    name: 'members are swapped',
    type: 'create',
    change: ({ clientDataJSON, attestationObject }) => ({
      clientDataJSON: attestationObject,
      attestationObject: clientDataJSON,
    }),
  },
  {
    name: 'members are swapped',
    type: 'get',
    change: (parts, chance) => {
      const first = choose(authenticationParts, chance)
      const second = choose(authenticationParts, { ...chance, number: chance.number >> 2 })
      return { [first]: parts[second], [second]: parts[first] }
    },
  },
]

const format: readonly [Encodable, Encodable] = ['fmt', 'none']
const statement: readonly [Encodable, Encodable] = ['attStmt', new Map()]

/** Attestation objects without attestation that are encoded in another way, or have other members. */
const objects: readonly ((authData: Bytes) => Iterable<readonly [Encodable, Encodable]>)[] = [
  (authData) => [['authData', authData], statement, format],
  (authData) => [format, statement, ['authData', authData], ['epAtt', true]],
  (authData) => [format, statement, ['authData', authData], ['other', 1]],
  (authData) => [
    [1, 'none'],
    [2, authData],
    [3, new Map()],
  ],
  (authData) => [format, ['attStmt', new Map([['alg', -7]])], ['authData', authData]],
  (authData) => [format, ['attStmt', []], ['authData', authData]],
  (authData) => [format, ['attStmt', null], ['authData', authData]],
  (authData) => [['fmt', 'packed'], statement, ['authData', authData]],
  (authData) => [['fmt', 'other'], statement, ['authData', authData]],
  (authData) => [['fmt', 'None'], statement, ['authData', authData]],
  (authData) => [['fmt', null], statement, ['authData', authData]],
  (authData) => [format, ['authData', authData]],
  (authData) => [format, statement, ['authData', [...authData]]],
  (authData) => [format, statement, ['authData', authData], [null, 1]],
]

const cborEdits: readonly Edit[] = [
  {
    name: 'another attestation object',
    type: 'create',
    change: ({ authenticatorData }, { number }) => {
      const entries = objects[number % objects.length]?.(authenticatorData)
      return { attestationObject: encodeCbor(new Map(entries)) }
    },
  },
  {
    name: 'CBOR of the attestation object',
    type: 'create',
    change: ({ attestationObject }, chance) => ({
      attestationObject: encodeDifferently(attestationObject, chance),
    }),
  },
  {
    name: 'the length of authData',
    type: 'create',
    change: ({ authenticatorData, attestationObject }, chance) => {
      const before = attestationObject.slice(0, -authenticatorData.byteLength)
      const start = before.byteLength - encodeHead(2, authenticatorData.byteLength).length
      const length = Buffer.alloc(8)
      length.writeBigUInt64BE(BigInt(authenticatorData.byteLength + choose([0, 1, -1], chance)))
      const size = choose([8, 4, 2], { ...chance, number: chance.number >> 2 })
      const head = [0x59 + Math.log2(size) - 1, ...length.subarray(8 - size)]
      return {
        attestationObject: Uint8Array.of(...before.slice(0, start), ...head, ...authenticatorData),
      }
    },
  },
]

const memberEdits: readonly Edit[] = [
  {
    name: 'another algorithm in the statement',
    type: 'create',
    change: ({ attestationObject }) => {
      const start = Buffer.from(attestationObject).indexOf('calg') + 'calg'.length
      const replacement = { position: start, removed: 1, inserted: Uint8Array.of(0x26) }
      return start < 'calg'.length
        ? {}
        : { attestationObject: splice(attestationObject, replacement) }
    },
  },
  {
    name: 'a byte that is not UTF-8',
    type: 'create',
    change: ({ clientDataJSON }) => {
      const position = Buffer.from(clientDataJSON).indexOf('do not')
      const replacement = { position, removed: 1, inserted: Uint8Array.of(0xff) }
      return position < 0 ? {} : { clientDataJSON: splice(clientDataJSON, replacement) }
    },
  },
]

/** Returns all changes of the bytes of a ceremony. */
export function listEdits(type: Edit['type']): readonly Edit[] {
  return [...byteEdits, ...cborEdits, ...memberEdits].filter((each) => each.type === type)
}

/** Changes the text of a member of the response. */
function encodeMember(name: string, change: (text: string) => string): readonly JsonEdit[] {
  return typedParts.map(({ type, part }) => ({
    name: `${name} in ${part}`,
    type,
    change: (json) => ({
      ...json,
      response: { ...json.response, [part]: change(json.response[part]) },
    }),
  }))
}

const allJsonEdits: readonly JsonEdit[] = [
  ...encodeMember('padding', (text) => `${text}${'='.repeat(-text.length & 3)}`),
  ...encodeMember('base64', (text) => text.replaceAll('-', '+').replaceAll('_', '/')),
  ...encodeMember(
    'another last character',
    (text) => `${text.slice(0, -1)}${text.endsWith('B') ? 'C' : 'B'}`,
  ),
  ...encodeMember('a line break', (text) => `${text.slice(0, 8)}\n${text.slice(8)}`),
  {
    name: 'id',
    change: (json, chance) => ({ ...json, id: choose(['', 'AAAA', `${json.id}=`], chance) }),
  },
  { name: 'both IDs', change: (json) => ({ ...json, id: 'AAAA', rawId: 'AAAA' }) },
  { name: 'rawId', change: (json) => ({ ...json, rawId: undefined }) },
  { name: 'type', change: (json) => ({ ...json, type: 'password' }) },
  {
    name: 'clientExtensionResults',
    change: (json, chance) => ({
      ...json,
      clientExtensionResults: choose([undefined, null, [], 1], chance),
    }),
  },
  {
    name: 'transports',
    change: (json, chance) => ({
      ...json,
      response: {
        ...json.response,
        transports: choose([undefined, null, ['*'], 'usb', ['new']], chance),
      },
    }),
  },
]

/** Returns all changes of the JSON of a ceremony. */
export function listJsonEdits(type: Edit['type']): readonly JsonEdit[] {
  return allJsonEdits.filter((each) => (each.type ?? type) === type)
}
