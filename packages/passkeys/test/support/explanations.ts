import { expected } from './ceremonies.ts'
import type { MutatedCeremony } from './mutated-ceremonies.ts'

/** What three verifiers say about a ceremony: `accepted`, or why not. */
export interface Verdicts {
  readonly latchkey: string
  readonly simplewebauthn: string
  readonly fido2: string
}

/** Another verifier that {@link Verdicts} compares with. */
export type Oracle = 'simplewebauthn' | 'fido2'

/** Why an oracle says something else. */
export interface Explanation {
  readonly name: string
  /** The specification that explains it. */
  readonly section: string
  readonly oracles: readonly Oracle[]
  /** The type of ceremonies. Default: both */
  readonly type?: MutatedCeremony['type']
  /** What Latchkey says, in full. */
  readonly latchkey: RegExp
  /** What the oracle says. Default: that the ceremony is accepted */
  readonly oracle?: RegExp
  /** What else must hold. */
  readonly holds?: (ceremony: MutatedCeremony, verdicts: Verdicts) => boolean
}

const both = ['simplewebauthn', 'fido2'] as const

/** Whether the challenge has the expected bytes, in another encoding. */
function hasExpectedChallenge({ response }: MutatedCeremony): boolean {
  const json = Buffer.from(response.response.clientDataJSON, 'base64').toString()
  const { challenge }: { readonly challenge: string } = JSON.parse(json)
  return Buffer.from(challenge, 'base64').equals(Buffer.from(expected.challenge, 'base64'))
}

/** What python3-fido2 says about a byte order mark, before it looks at the signature. */
const byteOrderMark = /UTF-8 BOM/

/** Whether OpenSSL, which decodes signatures strictly, refuses an ECDSA signature too. */
function isRefusedByOpenSsl({ keyPair }: MutatedCeremony, { fido2 }: Verdicts): boolean {
  const isRefused = /InvalidSignature|Invalid signature/.test(fido2)
  return keyPair.algorithm === -7 && (isRefused || byteOrderMark.test(fido2))
}

/** Latchkey refuses what others accept. */
const stricter: readonly Explanation[] = [
  {
    name: 'base64url has padding, other characters or unused bits',
    section: 'WebAuthn §3, RFC 4648 §3.5',
    oracles: both,
    latchkey:
      /^malformed: (clientDataJSON|attestationObject|authenticatorData|signature) is not base64url/,
  },
  {
    name: 'the caller checks id, rawId and type',
    section: 'WebAuthn §5.1, §7.1 step 2, §7.2 step 2',
    oracles: ['fido2'],
    latchkey: /^malformed: (id is not base64url|rawId is not id|type is not public-key)/,
  },
  {
    name: 'a credential ID has 1 to 1,023 bytes',
    section: 'WebAuthn §4, §7.1 step 25',
    oracles: ['simplewebauthn'],
    latchkey: /^malformed: id is not base64url/,
  },
  {
    name: 'the members of the JSON have types',
    section: 'WebAuthn §5.1, §5.2.1.1',
    oracles: both,
    latchkey: /^malformed: (clientExtensionResults is not an object|transports )/,
  },
  {
    name: 'client data is UTF-8',
    section: 'WebAuthn §5.8.1.1',
    oracles: ['simplewebauthn'],
    latchkey: /^malformed: the client data is not a JSON object in UTF-8$/,
  },
  {
    name: 'the challenge has one encoding',
    section: 'WebAuthn §7.1 step 8, §7.2 step 11',
    oracles: ['fido2'],
    latchkey: /^refused: the challenge is another one$/,
    holds: hasExpectedChallenge,
  },
  {
    name: 'a ceremony in a frame is refused',
    section: 'WebAuthn §7.1 steps 10 and 11, §7.2 steps 13 and 14',
    oracles: both,
    latchkey:
      /^(refused: the ceremony was (cross-origin|in a frame)|malformed: crossOrigin is|malformed: topOrigin is)/,
  },
  {
    name: 'Token Binding is not verified',
    section: 'WebAuthn Level 2 §5.8.1',
    oracles: both,
    latchkey: /^(refused: the connection had a token binding|malformed: (tokenBinding|status) is)/,
  },
  {
    name: 'CBOR has the form of CTAP2',
    section: 'CTAP 2.2 §8',
    oracles: both,
    latchkey:
      /^malformed: the CBOR (has (a key twice|an argument that could be shorter|more than 4 levels|an integer beyond|a tag, a floating-point number|bytes after its end|a key that is neither|a text that is not UTF-8)|is incomplete)/,
  },
  {
    name: 'an attestation object has three members',
    section: 'WebAuthn §6.5.4',
    oracles: both,
    type: 'create',
    latchkey: /^malformed: the attestation object has other members/,
  },
  {
    name: 'extension outputs are a map of texts',
    section: 'WebAuthn §9, §6.1',
    oracles: both,
    latchkey: /^malformed: the extension outputs are not a map of texts$/,
  },
  {
    name: 'an assertion has no attested credential data',
    section: 'WebAuthn §6.1, §7.2',
    oracles: both,
    type: 'get',
    latchkey: /^malformed: the authenticator data has a credential$/,
  },
  {
    name: 'a public key has the parameters of its algorithm only',
    section: 'WebAuthn §5.8.5, §6.5.1, RFC 9053 §7, RFC 8230 §4',
    oracles: both,
    type: 'create',
    latchkey:
      /^(malformed: the public key (has|is)|refused: (the public key is invalid|the RSA key has|the Ed25519 key has))/,
  },
  {
    name: 'the algorithm PS256 was not offered',
    section: 'WebAuthn §7.1 step 20',
    oracles: ['fido2'],
    type: 'create',
    latchkey: /^refused: the algorithm of the public key is not supported$/,
  },
  {
    name: 'the response names the credential that it proves',
    section: 'WebAuthn §5.1, §7.2 step 5',
    oracles: both,
    latchkey: /^refused: the credential ID is another one$/,
  },
  {
    name: 'the user handle belongs to the user',
    section: 'WebAuthn §7.2 step 6',
    oracles: both,
    type: 'get',
    latchkey: /^(refused: the user handle is|malformed: userHandle is not base64url)/,
  },
  {
    name: 'only a credential that is eligible can be backed up',
    section: 'WebAuthn §7.1 step 17, §7.2 step 18',
    oracles: ['fido2'],
    latchkey: /^refused: the credential is backed up, but not eligible for backup$/,
  },
  {
    name: 'the eligibility for backup never changes',
    section: 'WebAuthn §7.2 step 19',
    oracles: both,
    type: 'get',
    latchkey: /^refused: the eligibility for backup has changed$/,
  },
  {
    name: 'an ECDSA signature is DER',
    section: 'WebAuthn §6.5.5, X.690 §10.1',
    oracles: ['simplewebauthn'],
    latchkey: /^refused: (the signature is invalid|the attestation is invalid)/,
    holds: isRefusedByOpenSsl,
  },
  {
    name: 'self attestation has the algorithm of the credential',
    section: 'WebAuthn §8.2',
    oracles: ['simplewebauthn'],
    type: 'create',
    latchkey: /^refused: the attestation is invalid/,
    holds: (_, { fido2 }) =>
      /Wrong algorithm of public key!/.test(fido2) || byteOrderMark.test(fido2),
  },
]

/** Others refuse what Latchkey accepts. */
const moreLenient: readonly Explanation[] = [
  {
    name: 'UTF-8 decode removes a byte order mark',
    section: 'WebAuthn §7.1 step 5, §7.2 step 8',
    oracles: ['fido2'],
    latchkey: /^accepted$/,
    oracle: byteOrderMark,
  },
  {
    name: 'other values of tokenBinding.status are ignored',
    section: 'WebAuthn Level 2 §5.8.1',
    oracles: ['simplewebauthn'],
    latchkey: /^accepted$/,
    oracle: /tokenBinding/i,
  },
  {
    name: 'a counter that has not grown is reported',
    section: 'WebAuthn §7.2 step 22',
    oracles: ['simplewebauthn'],
    type: 'get',
    latchkey: /^accepted$/,
    oracle: /^Response counter value/,
    holds: ({ storedCounter }) => storedCounter > 0,
  },
]

/** All differences that are expected. */
export const explanations: readonly Explanation[] = [...stricter, ...moreLenient]

/** Returns why an oracle says something else than Latchkey. */
export function explain(
  oracle: Oracle,
  ceremony: MutatedCeremony,
  verdicts: Verdicts,
): Explanation | undefined {
  return explanations.find(
    ({ oracles, type = ceremony.type, holds, ...row }) =>
      oracles.includes(oracle) &&
      type === ceremony.type &&
      row.latchkey.test(verdicts.latchkey) &&
      (row.oracle ?? /^accepted$/).test(verdicts[oracle]) &&
      (holds?.(ceremony, verdicts) ?? true),
  )
}
