import { createBackchannelLogout } from '@latchkey/core/backchannel-logout'
import { createEditedJwt, createJwtKey, drawJwtEdit, readSignedClaims } from '../jwt-edits.ts'
import type { JwtEdit } from '../jwt-edits.ts'
import { client, finish, issuerUrl, NOW, publish, serveIssuer } from '../issuer-service.ts'
import { parseObject } from '../json-edits.ts'
import type { Target } from '../target.ts'
import { check, defineTarget } from '../target.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const names = ['iss', 'sub', 'aud', 'iat', 'exp', 'jti', 'events', 'sid', 'nonce', 'nbf', 'toe']
// prettier-ignore
const values = [
  'alice', 'mallory', '', issuerUrl, `${issuerUrl}/`, client.clientId, ['client-id'], ['other'],
  {}, { [EVENT]: {} }, { [EVENT]: null }, { [EVENT]: [] }, { other: {} }, [EVENT], EVENT, NOW,
  NOW + 31, NOW - 29, NOW - 31, NOW - 631, NOW + 300, null, true, 'a\u0000', 'x'.repeat(300),
]

/** Logout Tokens (OpenID Connect Back-Channel Logout 1.0), while alice is signed in. */
export const target: Target = defineTarget<JwtEdit>({
  name: 'logout-token',
  draw: (draw) => drawJwtEdit(draw, names, values),
  async open() {
    const issuer = createJwtKey('key')
    const keys = { issuer, attacker: createJwtKey('key'), secret: client.clientSecret }
    return {
      async run(edit) {
        const service = serveIssuer(publish(issuer))
        const request = await service.begin()
        check(request !== undefined, 'a sign-in at a correct issuer does not begin')
        await finish(service, service.issuer.authorize(request))
        check((await service.getSubject()) === 'alice', 'alice is not signed in')
        const times = { iat: NOW, exp: NOW + 120 }
        const claims = { iss: issuerUrl, aud: client.clientId, ...times, jti: 'one', sub: 'alice' }
        const token = createEditedJwt({ ...claims, events: { [EVENT]: {} } }, edit, keys)
        const logout = createBackchannelLogout(service.auth, 'op')
        const response = await logout(
          new Request('https://app.example/logout', {
            method: 'POST',
            body: new URLSearchParams({ logout_token: token }),
          }),
        )
        await checkAnswer(response)
        service.checkLog()
        const signed = readSignedClaims(token, edit)
        const isAccepted = response.status === 200
        if (isAccepted) checkAccepted(signed)
        const isSignedIn = (await service.getSubject()) !== undefined
        const isMeant = signed?.['sub'] === 'alice' && signed['sid'] === undefined
        check(isSignedIn || isAccepted, 'a refused token has ended the session')
        check(isSignedIn || isMeant, `another user's token has ended the session: ${token}`)
        check(!isSignedIn || !isAccepted || !isMeant, 'an accepted token has not ended the session')
      },
    }
  },
})

async function checkAnswer(response: Response): Promise<void> {
  const text = await response.text()
  check([200, 400].includes(response.status), `status: ${response.status} ${text}`)
  check(response.headers.get('cache-control') === 'no-store', 'cache-control')
  const body = response.status === 400 ? parseObject(text) : { error: 'invalid_request' }
  check(body?.['error'] === 'invalid_request', `body: ${text.slice(0, 300)}`)
}

/** Back-Channel Logout 1.0 §2.6. */
function checkAccepted(claims: Readonly<Record<string, unknown>> | undefined): void {
  check(claims !== undefined, 'a token is accepted that the issuer did not sign')
  const { iss, aud, iat, exp, jti, events, sub, sid } = claims
  check(iss === issuerUrl, `iss: ${JSON.stringify(iss)}`)
  check([aud].flat().includes(client.clientId), `aud: ${JSON.stringify(aud)}`)
  check(typeof iat === 'number' && Math.abs(iat - NOW) <= 631, `iat: ${JSON.stringify(iat)}`)
  check(typeof exp === 'number' && exp > NOW - 31, `exp: ${JSON.stringify(exp)}`)
  check(typeof jti === 'string' && jti !== '', `jti: ${JSON.stringify(jti)}`)
  check(typeof events === 'object' && events !== null && EVENT in events, 'events')
  check(!('nonce' in claims), 'nonce')
  check(sub !== undefined || typeof sid === 'string', 'neither sub nor sid')
}
