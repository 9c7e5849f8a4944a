import { jarm } from '@latchkey/core/jarm'
import { createEditedJwt, createJwtKey, drawJwtEdit, readSignedClaims } from '../jwt-edits.ts'
import type { JwtEdit } from '../jwt-edits.ts'
import { client, finish, issuerUrl, NOW, publish, serveIssuer } from '../issuer-service.ts'
import type { Draw } from '../draw.ts'
import type { Target } from '../target.ts'
import { check, defineTarget } from '../target.ts'
import { drawText } from '../texts.ts'

interface Case {
  readonly jwt: JwtEdit
  /** Parameters beside the JWT. */
  readonly parameters: readonly (readonly [string, string])[]
}

const names = ['iss', 'aud', 'exp', 'iat', 'nbf', 'code', 'state', 'error', 'response', 'id_token']
// prettier-ignore
const values = [
  '', issuerUrl, `${issuerUrl}/`, 'https://evil.example', client.clientId, ['client-id'],
  ['other'], NOW, NOW + 31, NOW - 31, NOW - 29, NOW + 300, String(NOW), null, true, {}, [],
  'access_denied',
]

/** Authorization responses that are a JWT (JARM). The ID Token is correct. */
export const target: Target = defineTarget<Case>({
  name: 'jarm',
  draw: (draw) => ({
    jwt: drawJwtEdit(draw, names, values),
    parameters: draw.once(4) ? draw.list(3, drawParameter) : [],
  }),
  async open() {
    const issuer = createJwtKey('key')
    const keys = { issuer, attacker: createJwtKey('key'), secret: client.clientSecret }
    return {
      async run({ jwt: edit, parameters }) {
        const service = serveIssuer(publish(issuer), { responseMode: jarm() })
        const request = await service.begin()
        check(request !== undefined, 'a sign-in at a correct issuer does not begin')
        const callback = service.issuer.authorize(request)
        const [code, state] = ['code', 'state'].map((name) => callback.searchParams.get(name))
        const claims = { iss: issuerUrl, aud: client.clientId, exp: NOW + 300, code, state }
        const response = createEditedJwt(claims, edit, keys)
        const given = [['response', response] as const, ...parameters]
        callback.search = new URLSearchParams(
          given.map(([name, value]) => [name, value]),
        ).toString()
        await finish(service, callback)
        service.checkLog()
        const subject = await service.getSubject()
        if (subject === undefined) return
        checkResponse(readSignedClaims(response, edit), { code, state })
      },
    }
  },
})

function drawParameter(draw: Draw): [string, string] {
  return [draw.pick(['code', 'state', 'iss', 'error', 'response', 'id_token', 'x']), drawText(draw)]
}

type Claims = Readonly<Record<string, unknown>>

/** JARM §2.4. A parameter without a value counts as omitted (RFC 6749 §3.1). */
function checkResponse(signed: Claims | undefined, { code, state }: Claims): void {
  check(signed !== undefined, 'sign-in by a response that the issuer did not sign')
  const { iss, aud, exp, error } = signed
  check(iss === issuerUrl, `iss: ${JSON.stringify(iss)}`)
  check([aud].flat().includes(client.clientId), `aud: ${JSON.stringify(aud)}`)
  check(typeof exp === 'number' && exp > NOW - 31, `exp: ${JSON.stringify(exp)}`)
  check(signed['state'] === state && signed['code'] === code, 'another state or code')
  check(typeof error !== 'string' || error === '', 'sign-in by an error')
}
