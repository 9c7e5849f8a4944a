import { fromPaddedBase64 } from '../bytes.ts'
import { derivePbkdf2Key, getIterations } from '../pbkdf2-key.ts'
import type { Pbkdf2Digest } from '../pbkdf2-key.ts'
import { verifyPhc } from '../phc-hasher.ts'
import { formatCost, formatPhc, parsePhcOf, toPhcDecoy } from '../phc.ts'
import type { PhcHash } from '../phc.ts'
import { createVerifier } from '../verifier.ts'
import type { HashFormat, PasswordVerifier, VerifierOptions } from '../verifier.ts'

export type { PasswordVerifier, VerifierOptions } from '../verifier.ts'

/** A credential of the type `password`, as an export of a realm has it. */
export interface KeycloakCredential {
  /** JSON. */
  readonly credentialData: string
  /** JSON. */
  readonly secretData: string
}

const digests = new Map<string, Pbkdf2Digest>([
  ['pbkdf2', 'sha1'],
  ['pbkdf2-sha256', 'sha256'],
  ['pbkdf2-sha512', 'sha512'],
])

/** Iterations of Keycloak since version 24. */
const ITERATIONS = 210_000

/** Bytes that Keycloak derives. The start of a longer key is the shorter one, so that other lengths are refused. */
const KEY_LENGTHS = [20, 32, 64]

/**
 * Verifies the PBKDF2 of Keycloak, in the form that {@link toKeycloakHash} writes. On Cloudflare Workers hashes of more
 * than 100,000 iterations do not match: Keycloak before 24 has 27,500, later ones have more.
 *
 * @example
 *   import { keycloak } from '@latchkey/passwords/verifiers/keycloak'
 *
 *   const verifier = keycloak({ decoys: ['$pbkdf2-sha256$i=27500,l=64'] }) // before version 24
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function keycloak(options?: VerifierOptions): PasswordVerifier {
  const iterations = Math.min(ITERATIONS, getIterations()[1])
  const format: HashFormat<PhcHash> = {
    name: 'Keycloak',
    option: 'keycloak',
    cost: `$pbkdf2-sha512$i=${iterations},l=64`,
    // PBKDF2 computes each block of the output by itself.
    getCost: ({ output, ...hash }) => `${formatCost(hash)},l=${output.byteLength}`,
    toDecoy: (cost) => {
      const [, text = '', length] = /^(.*),l=(20|32|64)$/.exec(cost) ?? []
      return toPhcDecoy(text, Number(length ?? 0))
    },
    parse: parseKeycloak,
    verify: verifyKeycloak,
  }
  return createVerifier(format, options)
}

/**
 * Returns the hash of a credential as a text. A credential of `argon2`, the default since Keycloak 25, becomes a hash
 * for `argon2` of `@latchkey/passwords/verifiers/argon2`.
 *
 * @returns Undefined if the credential is of another algorithm, or invalid
 *
 * @example
 *   import { toKeycloakHash } from '@latchkey/passwords/verifiers/keycloak'
 *
 *   toKeycloakHash({
 *     credentialData: '{"hashIterations":27500,"algorithm":"pbkdf2-sha256"}',
 *     secretData: '{"salt":"x/bm4Y3DcuV9eU97ervkPA==","value":"1u7BLvfSPxQFpwc5jpGSA+88EGl9pZYKhaZ8YPIu9N4="}',
 *   }) // '$pbkdf2-sha256$i=27500$x/bm4Y3DcuV9eU97ervkPA$1u7BLvfSPxQFpwc5jpGSA+88EGl9pZYKhaZ8YPIu9N4'
 */
export function toKeycloakHash(credential: KeycloakCredential): string | undefined {
  const { algorithm, hashIterations: t, additionalParameters } = parse(credential.credentialData)
  const secret = parse(credential.secretData)
  const [salt, output] = [fromPaddedBase64(secret['salt']), fromPaddedBase64(secret['value'])]
  if (!salt || !output || typeof t !== 'number') return undefined
  if (typeof algorithm === 'string' && digests.has(algorithm)) {
    return formatPhc({ id: algorithm, version: undefined, parameters: { i: t }, salt, output })
  }
  const { type, memory, parallelism, version } = { ...Object(additionalParameters) }
  if (algorithm !== 'argon2' || String(version) !== '1.3') return undefined
  const parameters = { m: Number(memory), t, p: Number(parallelism) }
  return formatPhc({ id: `argon2${type}`, version: 19, parameters, salt, output })
}

function parse(json: string): Readonly<Record<string, unknown>> {
  try {
    const members: unknown = JSON.parse(json)
    return { ...Object(members) }
  } catch {
    return {}
  }
}

function parseKeycloak(text: string): PhcHash | undefined {
  const ids = [...digests.keys()]
  const parameters = { i: getIterations() }
  const hash = parsePhcOf({ ids, parameters, salt: [8, 64], output: [20, 64] }, text)
  return hash && KEY_LENGTHS.includes(hash.output.byteLength) ? hash : undefined
}

function verifyKeycloak(password: string, hash: PhcHash): Promise<boolean> {
  return verifyPhc(hash, ({ id, salt, parameters: { i = 1 } }, length) =>
    derivePbkdf2Key(password, salt, i, length, digests.get(id) ?? 'sha256'),
  )
}
