import { parseObject } from '../json-edits.ts'
import { createEditedJwt, createJwtKey, drawJwtEdit, readSignedClaims } from '../jwt-edits.ts'
import type { JwtEdit } from '../jwt-edits.ts'
import { client, finish, issuerUrl, NOW, serveIssuer } from '../issuer-service.ts'
import type { Target } from '../target.ts'
import { check, defineTarget } from '../target.ts'

// prettier-ignore
const names = [
  'iss', 'sub', 'aud', 'azp', 'exp', 'iat', 'nbf', 'nonce', 'at_hash', 'auth_time', 'amr', 'acr',
  'name', 'email', 'email_verified', 'picture', 'sid', '__proto__', 'c_hash',
]
// prettier-ignore
const values = [
  'alice', 'mallory', '', issuerUrl, `${issuerUrl}/`, 'https://evil.example', client.clientId,
  ['client-id'], ['client-id', 'other'], ['other'], [], {}, null, true, 'true', 0, NOW, NOW + 29,
  NOW + 31, NOW - 29, NOW - 31, NOW - 3631, NOW + 300, NOW + 0.5, -1, String(NOW), 'a\u0000b',
  's'.repeat(255), 's'.repeat(256), 'javascript:alert(1)', 'https://i.example/a.png',
]

/** ID Tokens of a whole sign-in: the issuer signs altered claims, or others alter what it signed. */
export const target: Target = defineTarget<JwtEdit>({
  name: 'id-token',
  draw: (draw) => drawJwtEdit(draw, names, values),
  async open() {
    const keys = {
      issuer: createJwtKey('key'),
      attacker: createJwtKey('key'),
      secret: client.clientSecret,
    }
    return {
      async run(edit) {
        let idToken: string | undefined
        const service = serveIssuer(async ({ pathname }, response) => {
          if (pathname === '/jwks') return Response.json({ keys: [keys.issuer.jwk] })
          if (pathname !== '/token') return response
          const body = (await response.json()) as { readonly id_token: string }
          const claims = parseObject(decodePayload(body.id_token)) ?? {}
          idToken = createEditedJwt(claims, edit, keys)
          return Response.json({ ...body, id_token: idToken })
        })
        const request = await service.begin()
        check(request !== undefined, 'a sign-in at a correct issuer does not begin')
        await finish(service, service.issuer.authorize(request))
        service.checkLog()
        const subject = await service.getSubject()
        if (subject === undefined || idToken === undefined) return
        const claims = readSignedClaims(idToken, edit)
        check(claims !== undefined, `sign-in by a token that the issuer did not sign: ${idToken}`)
        checkClaims(claims, subject, request.searchParams.get('nonce'))
      },
    }
  },
})

function decodePayload(jwt: string): string {
  return Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()
}

/** OpenID Connect Core 1.0 §3.1.3.7, and the tolerances of I-24. */
function checkClaims(
  claims: Readonly<Record<string, unknown>>,
  subject: string,
  nonce: string | null,
): void {
  const { iss, sub, aud, azp, exp, iat, nbf } = claims
  const audiences = [aud].flat()
  check(sub === subject && subject !== '' && subject.length <= 255, `sub: ${JSON.stringify(sub)}`)
  check(iss === issuerUrl, `iss: ${JSON.stringify(iss)}`)
  check(audiences.includes(client.clientId), `aud: ${JSON.stringify(aud)}`)
  check(azp === undefined || azp === client.clientId, `azp: ${JSON.stringify(azp)}`)
  check(audiences.length === 1 || azp === client.clientId, 'several audiences without azp')
  check(claims['nonce'] === nonce, `nonce: ${JSON.stringify(claims['nonce'])}`)
  check(typeof exp === 'number' && exp > NOW - 31, `exp: ${JSON.stringify(exp)}`)
  check(typeof iat === 'number' && iat < NOW + 31, `iat: ${JSON.stringify(iat)}`)
  check(
    nbf === undefined || (typeof nbf === 'number' && nbf < NOW + 31),
    `nbf: ${JSON.stringify(nbf)}`,
  )
}
