import { toBase64url, toHex } from './bytes.ts'
import { decodeCborPrefix, isCborMap } from './cbor.ts'
import { malformed } from './errors.ts'

/** The authenticator data (WebAuthn §6.1). */
export interface AuthenticatorData {
  readonly rpIdHash: Uint8Array<ArrayBuffer>
  readonly flags: Flags
  /** `signCount`. */
  readonly counter: number
  /** Undefined in an authentication. */
  readonly attestedCredential: AttestedCredential | undefined
}

/** The flags of authenticator data (WebAuthn §6.1). */
interface Flags {
  /** UP. */
  readonly userPresent: boolean
  /** UV. */
  readonly userVerified: boolean
  /** BE. */
  readonly backupEligible: boolean
  /** BS. */
  readonly backupState: boolean
}

/** The attested credential data (WebAuthn §6.5.1). */
export interface AttestedCredential {
  /** A UUID in lower case. */
  readonly aaguid: string
  /** In base64url. */
  readonly credentialId: string
  /** The COSE key. */
  readonly publicKey: Uint8Array<ArrayBuffer>
}

/** Offsets and lengths in bytes (WebAuthn §6.1, §6.5.1). */
const HEADER_BYTES = 37
const AAGUID_BYTES = 16
const LENGTH_BYTES = 2

/** AT and ED. */
const ATTESTED_CREDENTIAL = 0x40
const EXTENSIONS = 0x80

/**
 * Parses authenticator data (WebAuthn §6.1). Outputs of extensions must be a CBOR map, and are ignored.
 *
 * @throws PasskeyError `malformed`
 */
export function parseAuthenticatorData(bytes: Uint8Array<ArrayBuffer>): AuthenticatorData {
  if (bytes.byteLength < HEADER_BYTES) throw malformed('the authenticator data is incomplete')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const flags = view.getUint8(32)
  const attested = flags & ATTESTED_CREDENTIAL ? parseAttested(bytes, view) : undefined
  const start = attested?.end ?? HEADER_BYTES
  const end = flags & EXTENSIONS ? skipExtensions(bytes, start) : start
  if (end !== bytes.byteLength) throw malformed('the authenticator data has bytes after its end')
  return {
    rpIdHash: bytes.slice(0, 32),
    flags: {
      userPresent: (flags & 0x01) !== 0,
      userVerified: (flags & 0x04) !== 0,
      backupEligible: (flags & 0x08) !== 0,
      backupState: (flags & 0x10) !== 0,
    },
    counter: view.getUint32(33),
    attestedCredential: attested?.credential,
  }
}

/** Parses the attested credential data, which follows the header (WebAuthn §6.5.1). */
function parseAttested(
  bytes: Uint8Array<ArrayBuffer>,
  view: DataView,
): { readonly credential: AttestedCredential; readonly end: number } {
  const lengthStart = HEADER_BYTES + AAGUID_BYTES
  const idStart = lengthStart + LENGTH_BYTES
  if (bytes.byteLength < idStart) throw malformed('the attested credential data is incomplete')
  const keyStart = idStart + view.getUint16(lengthStart)
  // The key follows: if the ID is incomplete, the key is missing.
  const { end } = decodeCborPrefix(bytes, keyStart)
  return {
    credential: {
      aaguid: toUuid(bytes.subarray(HEADER_BYTES, lengthStart)),
      credentialId: toBase64url(bytes.subarray(idStart, keyStart)),
      publicKey: bytes.slice(keyStart, end),
    },
    end,
  }
}

/** Returns the end of the extension outputs: a map whose keys are extension identifiers (WebAuthn §9). */
function skipExtensions(bytes: Uint8Array<ArrayBuffer>, start: number): number {
  const { value, end } = decodeCborPrefix(bytes, start)
  if (!isCborMap(value) || [...value.keys()].some((key) => typeof key !== 'string')) {
    throw malformed('the extension outputs are not a map of texts')
  }
  return end
}

function toUuid(bytes: Uint8Array): string {
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
