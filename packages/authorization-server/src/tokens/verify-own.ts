import { compactVerify, errors } from 'jose'
import { isObject, readMember } from '@latchkey/core/capability/options'
import type { PartContext } from '../parts.ts'

/** The claims of a token. */
export type OwnClaims = Readonly<Record<string, unknown>>

/**
 * Returns the claims of a token that the service has signed.
 *
 * @param typ The only type that is accepted
 * @returns Undefined if it is another token, or has expired at `now`
 */
export async function verifyOwn(
  { server, issuer, now }: Pick<PartContext, 'server' | 'issuer' | 'now'>,
  text: string,
  typ: string,
): Promise<OwnClaims | undefined> {
  const findKey = ({ kid, alg }: { readonly kid?: string; readonly alg?: string }): object => {
    const key = server.signer.keySet.keys.find((each) => readMember(each, 'kid') === kid)
    if (key && readMember(key, 'alg') === alg) return key
    throw new errors.JWSInvalid('the key is not one of the service')
  }
  try {
    const { payload, protectedHeader } = await compactVerify(text, findKey)
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload))
    if (protectedHeader.typ !== typ || !isClaims(claims)) return undefined
    return claims['iss'] === issuer && Number(claims['exp']) > now ? claims : undefined
  } catch (thrown) {
    if (thrown instanceof errors.JOSEError) return undefined
    throw thrown
  }
}

function isClaims(value: unknown): value is OwnClaims {
  return isObject(value)
}
