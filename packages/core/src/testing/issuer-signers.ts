import type { Signer, UserinfoForm } from './issuer-faults.ts'
import { hmacWith, publicText, signWith } from './issuer-keys.ts'
import type { Sign, SigningKey } from './issuer-keys.ts'

const attacker = 'https://attacker.example'

/** How one {@link Signer} makes a JWS. */
export interface SignerRow {
  /** Whose key it has. Default: the issuer's own. */
  readonly key?: 'stranger' | 'unadvertised' | 'short'
  /** The header, besides the key's own `alg` and `kid`. */
  readonly header?: (key: SigningKey, right: SigningKey) => object
  /** Default: a signature with the key. */
  readonly sign?: (key: SigningKey, clientSecret: string) => Sign | Promise<Sign>
}

const hs256 = (): object => ({ alg: 'HS256' })

/** One row per {@link Signer}. */
export const signers: Readonly<Record<Signer, SignerRow>> = {
  right: {},
  tampered: { sign: (key) => tampered(signWith(key)) },
  stripped: { sign: () => unsigned },
  none: { header: () => ({ alg: 'none' }), sign: () => unsigned },
  'client-secret': { header: hs256, sign: (_, clientSecret) => hmacWith(clientSecret) },
  'public-pem': { header: hs256, sign: async (key) => hmacWith(await publicText(key, 'pem')) },
  'public-jwk': { header: hs256, sign: async (key) => hmacWith(await publicText(key, 'jwk')) },
  stranger: { key: 'stranger', header: (_, { kid }) => ({ kid }) },
  'stranger-jwk': { key: 'stranger', header: ({ jwk }) => ({ jwk }) },
  'stranger-jku': { key: 'stranger', header: () => ({ jku: `${attacker}/jwks` }) },
  'stranger-x5u': { key: 'stranger', header: () => ({ x5u: `${attacker}/certificate.pem` }) },
  unadvertised: { key: 'unadvertised' },
  short: { key: 'short' },
}

/** Who signs a userinfo answer of each form. */
export const userinfoSigners: Readonly<Record<Exclude<UserinfoForm, 'json'>, Signer>> = {
  jwt: 'right',
  'jwt-tampered': 'tampered',
  'jwt-none': 'none',
  'jwt-stranger': 'stranger',
}

async function unsigned(): Promise<Uint8Array> {
  return new Uint8Array()
}

function tampered(sign: Sign): Sign {
  return async (input) => {
    const signature = await sign(input)
    signature.set([(signature[0] ?? 0) ^ 1])
    return signature
  }
}
