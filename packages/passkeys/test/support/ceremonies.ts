import type {
  ExpectedAuthentication,
  ExpectedRegistration,
  PasskeyProblem,
  StoredCredential,
} from '@latchkey/passkeys'
import { PasskeyError, verifyAuthentication, verifyRegistration } from '@latchkey/passkeys'
import { flags, perform, toJson } from './authenticator.ts'
import type { Ceremony, ResponseJson } from './authenticator.ts'
import { toCoseKey } from './keys.ts'
import type { KeyPair } from './keys.ts'

const challenge: string = Buffer.alloc(32, 7).toString('base64url')
export const userHandle: string = Buffer.alloc(32, 9).toString('base64url')

/** What the service expects of each ceremony. */
export const expected = {
  challenge,
  origins: ['https://example.com', 'https://login.example.com:8443'],
  rpId: 'example.com',
}

/** A ceremony without a fault: the client data of a current browser, and a synchronised credential. */
export function createCeremony(type: 'create' | 'get', keyPair: KeyPair): Ceremony {
  return {
    keyPair,
    credentialId: new Uint8Array(Buffer.alloc(20, 3)),
    clientData: {
      type: `webauthn.${type}`,
      challenge,
      origin: 'https://example.com',
      crossOrigin: false,
      other_keys_can_be_added_here: 'do not compare clientDataJSON against a template',
    },
    prefix: '',
    rpId: 'example.com',
    flags: flags.UP | flags.UV | flags.BE | flags.BS | (type === 'create' ? flags.AT : 0),
    counter: type === 'create' ? 0 : 1,
    hasCredential: type === 'create',
    aaguid: new Uint8Array(Buffer.from('ea9b8d664d011d213ce4b6b48cb575d4', 'hex')),
    credentialIdLength: 20,
    coseKey: undefined,
    extensions: new Uint8Array(),
    suffix: new Uint8Array(),
    format: 'none',
    userHandle: type === 'get' ? userHandle : undefined,
    toSignature: (signature) => signature,
  }
}

/** Performs a ceremony with some faults, and returns its JSON. */
export async function run(
  type: 'create' | 'get',
  keyPair: KeyPair,
  faults: Partial<Ceremony> = {},
): Promise<ResponseJson> {
  const ceremony = { ...createCeremony(type, keyPair), ...faults }
  return toJson(ceremony, await perform(ceremony))
}

/** The credential that is stored for a key pair. */
export function toStored(keyPair: KeyPair): StoredCredential {
  return {
    id: Buffer.alloc(20, 3).toString('base64url'),
    publicKey: Buffer.from(toCoseKey(keyPair)).toString('base64url'),
    counter: 0,
    backupEligible: true,
  }
}

/** What a verification answers: `accepted`, or the problem and the reason. */
export type Verdict = 'accepted' | `${PasskeyProblem}: ${string}`

/** @throws what is not a `PasskeyError` */
function toVerdict(verification: Promise<unknown>): Promise<Verdict> {
  return verification.then(
    (): Verdict => 'accepted',
    (thrown: unknown): Verdict => {
      if (thrown instanceof PasskeyError) return `${thrown.problem}: ${thrown.message}`
      throw thrown
    },
  )
}

/** What a test expects differently. */
type Changes = Partial<ExpectedRegistration & ExpectedAuthentication>

/** Verifies a response, and returns the verdict. */
export function judge(
  type: 'create' | 'get',
  response: unknown,
  keyPair: KeyPair,
  changes: Changes = {},
): Promise<Verdict> {
  if (type === 'create') return toVerdict(verifyRegistration(response, { ...expected, ...changes }))
  const credential = toStored(keyPair)
  return toVerdict(
    verifyAuthentication(response, { ...expected, credential, userHandle, ...changes }),
  )
}
