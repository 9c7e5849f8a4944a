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

/** Returns whether @simplewebauthn/server accepts a registration. */
export async function oracleRegisters(response: ResponseJson): Promise<boolean> {
  try {
    return (await verifyRegistrationResponse({ response, ...settings })).verified
  } catch {
    return false
  }
}

/** Returns whether @simplewebauthn/server accepts an authentication. */
export async function oracleAuthenticates(
  response: ResponseJson,
  keyPair: KeyPair,
): Promise<boolean> {
  const credential = { id: response.id, publicKey: toCoseKey(keyPair), counter: 0 }
  try {
    return (await verifyAuthenticationResponse({ response, credential, ...settings })).verified
  } catch {
    return false
  }
}

/** Returns whether @simplewebauthn/server accepts a ceremony. */
export function oracleAccepts(
  type: 'create' | 'get',
  response: ResponseJson,
  keyPair: KeyPair,
): Promise<boolean> {
  return type === 'create' ? oracleRegisters(response) : oracleAuthenticates(response, keyPair)
}
