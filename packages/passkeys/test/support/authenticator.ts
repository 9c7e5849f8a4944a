import { createHash } from 'node:crypto'
import { encodeCbor } from './encode-cbor.ts'
import type { Encodable } from './encode-cbor.ts'
import { toCoseKey } from './keys.ts'
import type { KeyPair } from './keys.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** What a ceremony says: each member can have a fault. */
export interface Ceremony {
  readonly keyPair: KeyPair
  readonly credentialId: Bytes
  /** The members of the client data. */
  readonly clientData: Readonly<Record<string, unknown>>
  /** Bytes before the client data, such as a byte order mark. */
  readonly prefix: string
  readonly rpId: string
  readonly flags: number
  readonly counter: number
  /** Whether there is attested credential data, whatever the flag AT says. */
  readonly hasCredential: boolean
  readonly aaguid: Bytes
  /** The length of the credential ID, as the attested credential data says. */
  readonly credentialIdLength: number
  /** The COSE key, if it is not the one of the key pair. */
  readonly coseKey: Bytes | undefined
  /** The encoded extension outputs. */
  readonly extensions: Bytes
  /** Bytes after the authenticator data. */
  readonly suffix: Bytes
  readonly format: 'none' | 'packed'
  readonly userHandle: string | undefined
  /** Changes the signature. */
  readonly toSignature: (signature: Bytes) => Bytes
}

/** The flags of authenticator data (WebAuthn §6.1). */
export const flags = { UP: 0x01, UV: 0x04, BE: 0x08, BS: 0x10, AT: 0x40, ED: 0x80 }

/** The parts of a response, before they are encoded. */
export interface Parts {
  readonly clientDataJSON: Bytes
  readonly authenticatorData: Bytes
  readonly attestationObject: Bytes
  readonly signature: Bytes
}

/** The JSON of `PublicKeyCredential.toJSON()`: one response with the members of both ceremonies. */
export interface ResponseJson {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly clientExtensionResults: Readonly<Record<string, never>>
  readonly response: Readonly<Record<keyof Parts, string>> & {
    readonly transports: ('internal' | 'hybrid')[]
    readonly userHandle?: string
  }
}

/** Does what an authenticator and a client do in `create()` and `get()`, with the faults of the ceremony. */
export async function perform(ceremony: Ceremony): Promise<Parts> {
  const { keyPair, format } = ceremony
  const json = ceremony.prefix + JSON.stringify(ceremony.clientData)
  const clientDataJSON = new Uint8Array(Buffer.from(json))
  const authenticatorData = toAuthenticatorData(ceremony)
  const hash = createHash('sha256').update(clientDataJSON).digest()
  const message = new Uint8Array(Buffer.concat([authenticatorData, hash]))
  const signature = ceremony.toSignature(await keyPair.sign(message))
  const statement = new Map<Encodable, Encodable>(
    format === 'none'
      ? []
      : [
          ['alg', keyPair.algorithm],
          ['sig', signature],
        ],
  )
  const attestationObject = encodeCbor(
    new Map<Encodable, Encodable>([
      ['fmt', format],
      ['attStmt', statement],
      ['authData', authenticatorData],
    ]),
  )
  return { clientDataJSON, authenticatorData, attestationObject, signature }
}

/** Encodes the parts as a client does. */
export function toJson(
  ceremony: Pick<Ceremony, 'credentialId' | 'userHandle'>,
  parts: Parts,
): ResponseJson {
  const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
  const id = encode(ceremony.credentialId)
  return {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: encode(parts.clientDataJSON),
      authenticatorData: encode(parts.authenticatorData),
      attestationObject: encode(parts.attestationObject),
      signature: encode(parts.signature),
      transports: ['internal', 'hybrid'],
      ...(ceremony.userHandle !== undefined && { userHandle: ceremony.userHandle }),
    },
  }
}

function toAuthenticatorData(ceremony: Ceremony): Bytes {
  const {
    credentialId,
    credentialIdLength,
    aaguid,
    coseKey = toCoseKey(ceremony.keyPair),
  } = ceremony
  const header = Buffer.alloc(37)
  createHash('sha256').update(ceremony.rpId).digest().copy(header)
  header.writeUInt8(ceremony.flags, 32)
  header.writeUInt32BE(ceremony.counter, 33)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(credentialIdLength)
  const credential = ceremony.hasCredential ? [aaguid, length, credentialId, coseKey] : []
  const parts = [header, ...credential, ceremony.extensions, ceremony.suffix]
  return new Uint8Array(Buffer.concat(parts))
}
