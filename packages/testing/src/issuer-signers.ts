import type { IdTokenSigner, UserinfoForm } from './issuer-faults.ts'
import { createHmacSigner, createSigner, exportPublicKey } from './issuer-keys.ts'
import type { Sign, SigningKey } from './issuer-keys.ts'

const attacker = 'https://attacker.example'

/** How one {@link IdTokenSigner} makes a JWS. */
export interface SignerRow {
  /** Default: the issuer's key */
  readonly key?: 'attacker' | 'unadvertised' | 'short'
  /** Returns header parameters that replace or add to `alg` and `kid` of the key. */
  readonly header?: (key: SigningKey, issuerKey: SigningKey) => object
  /** Default: a signature with the key */
  readonly sign?: (key: SigningKey, clientSecret: string) => Sign | Promise<Sign>
}

const hs256 = (): object => ({ alg: 'HS256' })

/** The signers of ID Tokens, one row each. */
export const signers: Readonly<Record<IdTokenSigner, SignerRow>> = {
  issuer: {},
  tampered: { sign: (key) => alterSignature(createSigner(key)) },
  stripped: { sign: () => signNothing },
  none: { header: () => ({ alg: 'none' }), sign: () => signNothing },
  'client-secret': { header: hs256, sign: (_, clientSecret) => createHmacSigner(clientSecret) },
  'public-pem': {
    header: hs256,
    sign: async (key) => createHmacSigner(await exportPublicKey(key, 'pem')),
  },
  'public-jwk': {
    header: hs256,
    sign: async (key) => createHmacSigner(await exportPublicKey(key, 'jwk')),
  },
  attacker: { key: 'attacker', header: (_, { kid }) => ({ kid }) },
  'attacker-jwk': { key: 'attacker', header: ({ jwk }) => ({ jwk }) },
  'attacker-jku': { key: 'attacker', header: () => ({ jku: `${attacker}/jwks` }) },
  'attacker-x5u': { key: 'attacker', header: () => ({ x5u: `${attacker}/certificate.pem` }) },
  unadvertised: { key: 'unadvertised' },
  short: { key: 'short' },
}

/** The signer of each form of a signed userinfo response. */
export const userinfoSigners: Readonly<Record<Exclude<UserinfoForm, 'json'>, IdTokenSigner>> = {
  jwt: 'issuer',
  'jwt-tampered': 'tampered',
  'jwt-none': 'none',
  'jwt-attacker': 'attacker',
}

async function signNothing(): Promise<Uint8Array> {
  return new Uint8Array()
}

function alterSignature(sign: Sign): Sign {
  return async (input) => {
    const signature = await sign(input)
    signature.set([(signature[0] ?? 0) ^ 1])
    return signature
  }
}
