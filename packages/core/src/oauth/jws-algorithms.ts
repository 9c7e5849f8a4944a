/** The asymmetric algorithms with which a JWT of an issuer may be signed (RFC 7518 §3.1, RFC 8037). */
// prettier-ignore
export const algorithms: string[] = [
  'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519',
]
