import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import type { ResponseJson } from './authenticator.ts'
import { expected } from './ceremonies.ts'
import { toCoseKey } from './keys.ts'
import type { KeyPair } from './keys.ts'

const settings = {
  expectedChallenge: expected.challenge,
  expectedOrigin: expected.origins,
  expectedRPID: expected.rpId,
}

/**
 * Returns the verdict of @simplewebauthn/server about a ceremony: `accepted`, or why it is refused.
 *
 * @param counter The stored `signCount` of an authentication. Default: 0
 */
export async function getOracleVerdict(
  type: 'create' | 'get',
  response: ResponseJson,
  keyPair: KeyPair,
  counter: number = 0,
): Promise<string> {
  try {
    const credential = { id: response.id, publicKey: toCoseKey(keyPair), counter }
    const { verified } = await (type === 'create'
      ? verifyRegistrationResponse({ response, ...settings })
      : verifyAuthenticationResponse({ response, credential, ...settings }))
    return verified ? 'accepted' : 'the signature is invalid'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Returns whether @simplewebauthn/server accepts a ceremony. */
export async function oracleAccepts(
  type: 'create' | 'get',
  response: ResponseJson,
  keyPair: KeyPair,
): Promise<boolean> {
  return (await getOracleVerdict(type, response, keyPair)) === 'accepted'
}
