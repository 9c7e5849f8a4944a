import { createHash } from 'node:crypto'
import { flags } from './authenticator.ts'
import type { Ceremony } from './authenticator.ts'
import { encodeCbor, encodeHead } from './encode-cbor.ts'
import type { Encodable } from './encode-cbor.ts'
import type { KeyPair } from './keys.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** What a fault chooses with. */
export interface Chance {
  /** Any integer that is not negative. */
  readonly number: number
  readonly bytes: Bytes
  /** Another key pair of the same algorithm. */
  readonly other: KeyPair
}

/** A fault that the authenticator or the client signs. */
export interface Fault {
  readonly name: string
  readonly change: (ceremony: Ceremony, chance: Chance) => Partial<Ceremony>
}

/** Returns one value of a list. */
export function choose<Value>(values: readonly [Value, ...Value[]], { number }: Chance): Value {
  return values[number % values.length] ?? values[0]
}

const join = (...parts: readonly (Uint8Array | readonly number[])[]): Bytes =>
  Uint8Array.from(parts.flatMap((part) => [...part]))

/** Replaces a member of the client data by one of some values; `undefined` removes it. */
function member(name: string, values: readonly [unknown, ...unknown[]]): Fault {
  return {
    name: `clientData.${name}`,
    change: ({ clientData }, chance) => ({
      clientData: { ...clientData, [name]: choose(values, chance) },
    }),
  }
}

const challenge = Buffer.alloc(32, 7).toString('base64url')

const clientDataFaults: readonly Fault[] = [
  member('type', ['webauthn.get', 'webauthn.create', 'payment.get', 'WEBAUTHN.GET', undefined, 7]),
  member('challenge', [
    `${challenge}=`,
    `${challenge}A`,
    challenge.slice(0, -1),
    challenge.toUpperCase(),
    `${challenge.slice(0, -1)}d`,
    ` ${challenge}`,
    '',
    null,
    undefined,
    [challenge],
  ]),
  member('origin', [
    'https://login.example.com:8443',
    'https://example.com/',
    'https://example.com:443',
    'http://example.com',
    'https://EXAMPLE.com',
    'https://login.example.com',
    'https://example.com.evil.example',
    'https://example.com ',
    'null',
    null,
    undefined,
    ['https://example.com'],
  ]),
  member('crossOrigin', [true, undefined, null, 'false', 0, 1]),
  member('topOrigin', ['https://example.com', 'https://evil.example', '', null, false]),
  member('tokenBinding', [
    { status: 'present', id: 'AAAA' },
    { status: 'supported' },
    { status: 'not-supported' },
    { status: 'notSupported' },
    { status: 'other' },
    'present',
    null,
    {},
    [],
  ]),
  member('androidPackageName', ['com.example', '\u{2028}', '\u{1f600}', 1e21, -0]),
  {
    name: 'prefix',
    change: (_, chance) => ({
      prefix: choose(['\u{feff}', '\u{feff}\u{feff}', ' \n\t\r', '\u{a0}', '\0', 'x'], chance),
    }),
  },
]

/** Public keys that differ from the one that was signed with. */
const keyParameters: readonly ((
  parameters: ReadonlyMap<number, Encodable>,
  chance: Chance,
) => Iterable<readonly [number, Encodable]>)[] = [
  (_, { other }) => other.parameters,
  (parameters) => [...parameters].toReversed(),
  (parameters, chance) => [...parameters, [choose([-4, 2, 4, 5, 100], chance), 1]],
  (parameters, { number }) => [...parameters].filter((__, i) => i !== number % parameters.size),
  (parameters, chance) => [...parameters, [1, choose([1, 2, 3, 4, '2'], chance)]],
  (parameters, chance) => [...parameters, [3, choose([-7, -8, -35, -37, -257, -65535], chance)]],
  (parameters, chance) => [...parameters, [-1, choose([1, 2, 3, 6, 7, 8], chance)]],
  (parameters, { bytes }) => [...parameters, [-2, bytes]],
  (parameters, { bytes }) => [...parameters, [-3, bytes]],
  (parameters) => [...parameters].map(([label, value]) => [label, pad(value)] as const),
  (parameters) => [...parameters, [-2, new Uint8Array(32)]],
  (parameters, chance) => [
    ...parameters,
    [-2, Uint8Array.from(choose([[3], [1, 0, 0], [0, 1, 0, 1], [1, 0, 0, 0, 1]], chance))],
  ],
]

/** Adds a leading zero to bytes. */
function pad(value: Encodable): Encodable {
  return value instanceof Uint8Array ? Uint8Array.of(0, ...value) : value
}

/** Other encodings of a map of at most 23 entries. */
const mapEncodings: readonly ((map: Bytes) => Bytes)[] = [
  (map) => join([0xb8, (map[0] ?? 0) & 31], map.slice(1)),
  (map) => join([0xb9, 0, (map[0] ?? 0) & 31], map.slice(1)),
  (map) => join([0xbf], map.slice(1), [0xff]),
  (map) => join([0xc0], map),
  (map) => join([(map[0] ?? 0) + 1], map.slice(1), map.slice(1, 3)),
  (map) => join([(map[0] ?? 0) + 1], map.slice(1)),
  (map) => join([(map[0] ?? 0) - 1], map.slice(1)),
  (map) => join([0x81], map),
  (map) => join([map[0] ?? 0, 0x18, map[1] ?? 0], map.slice(2)),
]

/** Encodes a map in another form than CTAP2 says. */
export function encodeDifferently(map: Bytes, { number }: Chance): Bytes {
  return mapEncodings[number % mapEncodings.length]?.(map) ?? map
}

const withCredential = ({ flags: bits }: Ceremony): boolean => (bits & flags.AT) !== 0

const keyFaults: readonly Fault[] = [
  {
    name: 'coseKey',
    change: ({ keyPair: { parameters } }, chance) => {
      const changes = keyParameters[chance.bytes.byteLength % keyParameters.length]
      return { coseKey: encodeCbor(new Map(changes?.(parameters, chance))) }
    },
  },
  {
    name: 'coseKey, CBOR',
    change: ({ keyPair: { parameters } }, chance) => ({
      coseKey: encodeDifferently(encodeCbor(new Map(parameters)), chance),
    }),
  },
  {
    name: 'coseKey of PS256',
    change: ({ keyPair: { parameters } }) => ({
      coseKey: encodeCbor(new Map([...parameters, [3, -37]])),
    }),
  },
  {
    name: 'signed with another key',
    change: ({ keyPair }, { other }) => ({ keyPair: { ...keyPair, sign: other.sign } }),
  },
]

const extensionOutputs: readonly [Uint8Array, ...Uint8Array[]] = [
  encodeCbor(new Map()),
  encodeCbor(new Map([['credProtect', 2]])),
  encodeCbor(
    new Map<Encodable, Encodable>([
      ['hmac-secret', true],
      ['uvm', [[2, 4, 2]]],
    ]),
  ),
  encodeCbor(
    new Map([
      ['b', 1],
      ['a', 1],
      ['a', 2],
    ]),
  ),
  encodeCbor(new Map([[1, 2]])),
  encodeCbor(new Map([['a', new Map([['b', new Map([['c', [[1]]]])]])]])),
  encodeCbor([]),
  encodeCbor(1),
  Uint8Array.of(0xa1, 0x61, 0x61, 0xf9, 0x3c, 0),
  Uint8Array.of(0xa1, 0x61, 0x61, 0xf7),
  Uint8Array.of(0xa1, 0x61, 0x61, 0xc1, 1),
  Uint8Array.of(0xa1, 0x61, 0x61, 0x18, 1),
  Uint8Array.of(0xa1, 0x61, 0xff, 1),
  Uint8Array.of(0xa2, 0x61, 0x61, 1, 0x61, 0x61, 2),
  Uint8Array.of(0xbf, 0x61, 0x61, 1, 0xff),
  Uint8Array.of(0xa1, 0x61, 0x61, ...encodeHead(0, Number.MAX_SAFE_INTEGER + 1)),
  new Uint8Array(),
]

const dataFaults: readonly Fault[] = [
  {
    name: 'rpId',
    change: (_, chance) => ({
      rpId: choose(['EXAMPLE.COM', 'login.example.com', 'https://example.com', ''], chance),
    }),
  },
  { name: 'flags', change: (_, { number }) => ({ flags: number & 255 }) },
  {
    name: 'one flag',
    change: (ceremony, { number }) => ({ flags: ceremony.flags ^ (1 << (number & 7)) }),
  },
  {
    name: 'BE and BS',
    change: (ceremony) => ({ flags: ceremony.flags ^ (flags.BE | flags.BS) }),
  },
  {
    name: 'counter',
    change: (_, chance) => ({ counter: choose([0, 1, 2, 5, 6, 2 ** 31, 2 ** 32 - 1], chance) }),
  },
  {
    name: 'hasCredential',
    change: ({ hasCredential, flags: bits }, { number }) => ({
      hasCredential: !hasCredential,
      ...(number % 2 === 0 && { flags: bits ^ flags.AT }),
    }),
  },
  {
    name: 'aaguid',
    change: (_, chance) => ({ aaguid: new Uint8Array(choose([16, 15, 17], chance)) }),
  },
  {
    name: 'credentialIdLength',
    change: (_, chance) => ({ credentialIdLength: choose([0, 19, 21, 97, 1024, 65_535], chance) }),
  },
  {
    name: 'credentialId',
    change: (_, chance) => {
      const length = choose([0, 1, 19, 1023, 1024], chance)
      return { credentialId: new Uint8Array(length).fill(3), credentialIdLength: length }
    },
  },
  {
    name: 'extensions',
    change: ({ flags: bits }, chance) => ({
      extensions: new Uint8Array(choose(extensionOutputs, chance)),
      flags: chance.bytes.byteLength % 8 === 0 ? bits : bits | flags.ED,
    }),
  },
  { name: 'suffix', change: (_, { bytes }) => ({ suffix: bytes }) },
]

const responseFaults: readonly Fault[] = [
  {
    name: 'userHandle',
    change: (_, chance) => ({
      userHandle: choose([undefined, '', 'AAAA', '*', 'A'.repeat(90)], chance),
    }),
  },
  {
    name: 'DER',
    change: (_, chance) => ({ toSignature: (signature) => encodeDer(signature, chance) }),
  },
  {
    name: 'signature',
    change: (_, chance) => ({
      toSignature: (signature) =>
        choose(
          [
            new Uint8Array(),
            chance.bytes,
            new Uint8Array(64),
            new Uint8Array(createHash('sha512').update(signature).digest()),
            signature.toReversed(),
          ],
          chance,
        ),
    }),
  },
]

/** Other encodings of a SEQUENCE of two integers; of other signatures, the bytes are changed. */
function encodeDer(signature: Bytes, chance: Chance): Bytes {
  const [tag = 0, length = 0, ...content] = signature
  const [integerTag = 0, integerLength = 0, ...rest] = content
  return choose(
    [
      join([tag, 0x81, length], content),
      join([tag, length + 1, integerTag, integerLength + 1, 0], rest),
      join([tag, length], content, [0]),
      join([tag, length + 1], content, [0]),
      join([tag, 0x80], content, [0, 0]),
      join([0x31, length], content),
      join([tag, length + 2], content, [5, 0]),
      join([0], signature),
    ],
    chance,
  )
}

/** All faults. Faults of the credential change only data that has one. */
export const faults: readonly Fault[] = [
  ...clientDataFaults,
  ...keyFaults,
  ...dataFaults,
  ...responseFaults,
].map((fault) =>
  fault.name.startsWith('coseKey') || fault.name === 'aaguid'
    ? {
        ...fault,
        change: (ceremony, chance) =>
          withCredential(ceremony) ? fault.change(ceremony, chance) : {},
      }
    : fault,
)
