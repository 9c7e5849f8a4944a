/** Whole sign-ins at an issuer whose documents, responses and tokens are altered. */
import { createBackchannelLogout } from '@latchkey/core/backchannel-logout'
import { jarm } from '@latchkey/core/jarm'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { editMembers, memberEdits, numRuns, parseObject, text } from '../support/arbitraries.ts'
import { begin, client, createJwt, decode, editResponse, getSubject } from './issuer-service.ts'
import { issuerUrl, jwtEdit, NOW, publishKey, readSignedClaims } from './issuer-service.ts'
import { responseEdit, serveIssuer, signIn } from './issuer-service.ts'
import type { JwtEdit, ResponseEdit } from './issuer-service.ts'

type Claims = Readonly<Record<string, unknown>>

const ok = { status: 200, type: 'application/json' } as const
const unaltered: ResponseEdit = { members: [], edit: undefined, ...ok }

const correctJwt: JwtEdit = { claims: [], header: [], signer: 'issuer', edit: undefined }

// prettier-ignore
const claimValues = [
  'alice', 'mallory', '', issuerUrl, `${issuerUrl}/`, 'https://evil.example', client.clientId,
  ['client-id'], ['client-id', 'other'], ['other'], [], {}, null, true, 'true', 0, NOW, NOW + 29,
  NOW + 31, NOW - 29, NOW - 31, NOW - 631, NOW + 300, NOW + 0.5, -1, String(NOW), 'a\u0000b',
  's'.repeat(255), 's'.repeat(256), 'javascript:alert(1)', 'https://i.example/a.png', 'access_denied',
]

// prettier-ignore
const idTokenNames = [
  'iss', 'sub', 'aud', 'azp', 'exp', 'iat', 'nbf', 'nonce', 'at_hash', 'auth_time', 'amr', 'acr',
  'name', 'email', 'email_verified', 'picture', 'sid', '__proto__', 'c_hash',
]

/** OpenID Connect Core 1.0 §3.1.3.7, and the tolerances of I-24. */
function checkIdToken(claims: Claims | undefined, subject: string, nonce: string | null): void {
  if (!claims) throw new Error('a sign-in by a token that the issuer did not sign')
  const { iss, sub, aud, azp, exp, iat, nbf } = claims
  const audiences = [aud].flat()
  expect({ iss, sub, nonce: claims['nonce'] }).toEqual({ iss: issuerUrl, sub: subject, nonce })
  expect(subject.length > 0 && subject.length <= 255).toBe(true)
  expect(audiences).toContain(client.clientId)
  if (azp !== undefined || audiences.length > 1) expect(azp).toBe(client.clientId)
  expect(exp).toBeGreaterThan(NOW - 31)
  expect(iat).toBeLessThan(NOW + 31)
  if (nbf !== undefined) expect(nbf).toBeLessThan(NOW + 31)
}

test('only an ID Token that the issuer signs for this sign-in signs in', async () => {
  const property = fc.asyncProperty(jwtEdit(idTokenNames, claimValues), async (edit) => {
    let idToken = ''
    const service = serveIssuer(async (url, response) => {
      if (url.pathname !== '/token') return publishKey(url, response)
      const body = (await response.json()) as { readonly id_token: string }
      idToken = createJwt(parseObject(decode(body.id_token.split('.')[1] ?? '')) ?? {}, edit)
      return Response.json({ ...body, id_token: idToken })
    })
    const request = await signIn(service)
    const subject = await getSubject(service)
    if (subject === undefined) return
    checkIdToken(readSignedClaims(idToken), subject, request.searchParams.get('nonce'))
  })
  const otherClient: JwtEdit = { ...correctJwt, claims: [['azp', 'other']] }
  const forged: JwtEdit = { ...correctJwt, signer: 'attacker' }
  await fc.assert(property, { numRuns, examples: [[otherClient], [forged]] })
})

// prettier-ignore
const tokenNames = [
  'access_token', 'token_type', 'expires_in', 'scope', 'id_token', 'refresh_token', 'error',
  'error_description', 'error_uri', '__proto__',
]
// prettier-ignore
const tokenValues = [
  'Bearer', 'bearer', 'DPoP', 'mac', '', 'x', 'openid', 'a\u0000', 'a\ud83e', 'invalid_grant',
  300, '300', -1, 1e12, 'soon', null, [], {}, ['openid'], 'e30.e30.e30', 'x'.repeat(5000),
]

/** Serves an issuer, one of whose endpoints is altered, and signs in. */
async function signInAltered(
  path: string,
  edit: ResponseEdit,
): Promise<{
  readonly subject: string | undefined
  sent: Claims
  correct: Claims
  stored: string
}> {
  let [sent, correct] = ['', '']
  const alter = async ({ pathname }: URL, response: Response): Promise<Response> => {
    if (pathname !== path) return response
    correct = await response.clone().text()
    const edited = await editResponse(response, edit)
    sent = edited.text
    return edited.response
  }
  const service = serveIssuer(alter, { fetchUserinfo: path === '/userinfo' })
  await signIn(service)
  const subject = await getSubject(service)
  const user = await service.storage.getUserByAccount?.('op', 'alice')
  const [account] = (user && (await service.storage.listAccounts?.(user.id))) ?? []
  const { access_token = '', refresh_token = '', scope = '' } = account ?? {}
  const stored = `${access_token}${refresh_token}${scope}`
  return { subject, sent: parseObject(sent) ?? {}, correct: parseObject(correct) ?? {}, stored }
}

test('only a token response with the issued ID Token signs in, and what is stored of it is storable', async () => {
  const property = fc.asyncProperty(responseEdit(tokenNames, tokenValues), async (edit) => {
    const { subject, sent, correct, stored } = await signInAltered('/token', edit)
    if (subject === undefined) return
    expect([200, 201]).toContain(edit.status)
    expect(subject).toBe('alice')
    expect(sent['id_token']).toBe(correct['id_token'])
    expect(sent['access_token']).toMatch(/^[^\0]+$/)
    expect(String(sent['token_type'])).toMatch(/^bearer$/i)
    expect(stored).toContain(sent['access_token'])
    expect(stored).toMatch(/^[^\0\p{Surrogate}]*$/u)
  })
  const unstorable: ResponseEdit = { ...unaltered, members: [['refresh_token', 'a\u0000']] }
  await fc.assert(property, { numRuns, examples: [[unstorable]] })
})

// prettier-ignore
const userinfoNames = [
  'sub', 'name', 'email', 'email_verified', 'picture', 'preferred_username', 'iss', 'aud',
  'given_name', '__proto__', 'constructor',
]
// prettier-ignore
const userinfoValues = [
  'alice', 'mallory', '', 'alice ', 'Alice', 'a@b.c', 'x@y@z', 'ａ@example.com', 'a\u0000',
  'a\ud83e', true, false, 'true', null, 1, [], {}, ['alice'], 'javascript:alert(1)',
  'https://i.example/a', 'n'.repeat(10_000), '😀'.repeat(300),
]

test('only a userinfo response about the subject of the ID Token signs in', async () => {
  const property = fc.asyncProperty(responseEdit(userinfoNames, userinfoValues), async (edit) => {
    const { subject, sent } = await signInAltered('/userinfo', edit)
    if (subject === undefined) return
    expect(edit.status).toBe(200)
    expect([subject, sent['sub']]).toEqual(['alice', 'alice'])
  })
  const ofMallory: ResponseEdit = { ...unaltered, members: [['sub', 'mallory']] }
  await fc.assert(property, { numRuns, examples: [[ofMallory]] })
})

// prettier-ignore
const metadataNames = [
  'issuer', 'authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri',
  'response_types_supported', 'subject_types_supported', 'response_modes_supported',
  'id_token_signing_alg_values_supported', 'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported', 'end_session_endpoint', '__proto__',
  'token_endpoint_auth_methods_supported', 'pushed_authorization_request_endpoint',
]
// prettier-ignore
const metadataValues = [
  issuerUrl, `${issuerUrl}/`, 'https://evil.example', 'http://issuer.example/token',
  'https://issuer.example/authorize?a=b', 'https://issuer.example/token#x', 'http://127.0.0.1/',
  'https://user:password@issuer.example/token', 'file:///etc/passwd', 'data:,x', '//x', '',
  'https://169.254.169.254/latest', 'https://localhost/', 'https://[::1]/', 'javascript:x', null,
  true, false, 0, [], {}, ['ES256'], ['none'], ['HS256'], ['plain'], ['client_secret_post'],
]
const keyNames = ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use', 'key_ops', 'd', 'n', 'e', 'k']
// prettier-ignore
const keyValues = ['EC', 'oct', 'RSA', 'P-384', 'ES256', 'RS256', 'enc', 'sig', 'AA', [], null, 'AQAB']

test('a sign-in begins only at the endpoint of the document of the issuer', async () => {
  const property = fc.asyncProperty(
    responseEdit(metadataNames, metadataValues),
    fc.oneof(fc.constant(unaltered), responseEdit(['keys', '__proto__'], [[], {}, null])),
    fc.oneof(fc.constant([]), memberEdits(keyNames, keyValues)),
    async (document, keySet, keyEdits) => {
      let sent: Claims | undefined
      const service = serveIssuer(async ({ pathname }, response) => {
        if (pathname.startsWith('/.well-known/')) {
          const edited = await editResponse(response, document)
          sent = parseObject(edited.text)
          return edited.response
        }
        if (pathname !== '/jwks') return response
        const { keys } = (await response.json()) as { readonly keys: readonly object[] }
        const edited = Response.json({ keys: keys.map((each) => editMembers(each, keyEdits)) })
        return (await editResponse(edited, keySet)).response
      })
      const request = await begin(service)
      expect(service.problems).toEqual([])
      if (!request) return
      expect(document.status).toBe(200)
      // A slash after the host makes no other URL.
      expect(URL.parse(String(sent?.['issuer']))?.href).toBe(`${issuerUrl}/`)
      const endpoint = new URL(String(sent?.['authorization_endpoint']))
      expect(request.protocol + request.host + request.pathname).toBe(
        `https:${endpoint.host}${endpoint.pathname}`,
      )
      const names = [...request.searchParams.keys()]
      const isCorrect = request.href.startsWith(`${issuerUrl}/authorize?`)
      if (!isCorrect || new Set(names).size < names.length) return
      await service.browser.visit(service.issuer.authorize(request).href)
      expect([undefined, 'alice']).toContain(await getSubject(service))
    },
  )
  // Credentials in a URL, which fetch refuses at the callback.
  const withCredentials: ResponseEdit = {
    ...unaltered,
    members: [['jwks_uri', 'https://user:password@issuer.example/token']],
  }
  await fc.assert(property, { numRuns, examples: [[withCredentials, unaltered, []]] })
})

const jarmNames = ['iss', 'aud', 'exp', 'iat', 'nbf', 'code', 'state', 'error', 'response']
const parameter = fc.tuple(fc.constantFrom(...jarmNames, 'id_token', 'x'), text)

test('only an authorization response that the issuer signs for this sign-in signs in (JARM)', async () => {
  const property = fc.asyncProperty(
    jwtEdit(jarmNames, claimValues),
    fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(parameter, { maxLength: 3 })),
    async (edit, parameters) => {
      const service = serveIssuer(publishKey, { responseMode: jarm() })
      const request = await begin(service)
      if (!request) throw new Error('expected a sign-in that begins')
      const callback = service.issuer.authorize(request)
      const [code, state] = ['code', 'state'].map((name) => callback.searchParams.get(name))
      const claims = { iss: issuerUrl, aud: client.clientId, exp: NOW + 300, code, state }
      const response = createJwt(claims, edit)
      callback.search = new URLSearchParams([['response', response], ...parameters]).toString()
      await service.browser.visit(callback.href)
      if ((await getSubject(service)) === undefined) return
      const signed = readSignedClaims(response)
      expect(signed).toMatchObject({ iss: issuerUrl, code, state })
      expect([signed?.['aud']].flat()).toContain(client.clientId)
      expect(signed?.['exp']).toBeGreaterThan(NOW - 31)
      // A parameter without a value counts as omitted (RFC 6749 §3.1).
      if (typeof signed?.['error'] === 'string') expect(signed['error']).toBe('')
    },
  )
  const emptyError: JwtEdit = { ...correctJwt, claims: [['error', '']] }
  const otherClient: JwtEdit = { ...correctJwt, claims: [['aud', ['other']]] }
  await fc.assert(property, {
    numRuns,
    examples: [
      [emptyError, []],
      [otherClient, []],
    ],
  })
})

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const logoutNames = [
  'iss',
  'sub',
  'aud',
  'iat',
  'exp',
  'jti',
  'events',
  'sid',
  'nonce',
  'nbf',
  'toe',
]
// prettier-ignore
const eventValues = [{ [EVENT]: {} }, { [EVENT]: null }, { [EVENT]: [] }, { other: {} }, [EVENT], EVENT]

test('only a Logout Token of the issuer ends the session of its user', async () => {
  const property = fc.asyncProperty(
    jwtEdit(logoutNames, [...claimValues, ...eventValues]),
    async (edit) => {
      const service = serveIssuer(publishKey)
      await signIn(service)
      const times = { iat: NOW, exp: NOW + 120 }
      const about = { iss: issuerUrl, aud: client.clientId, jti: 'one', sub: 'alice' }
      const token = createJwt({ ...about, ...times, events: { [EVENT]: {} } }, edit)
      const body = new URLSearchParams({ logout_token: token })
      const request = new Request('https://app.example/logout', { method: 'POST', body })
      const response = await createBackchannelLogout(service.auth, 'op')(request)
      expect(response.headers.get('cache-control')).toBe('no-store')
      const isAccepted = response.status === 200
      if (!isAccepted) expect(await response.json()).toMatchObject({ error: 'invalid_request' })
      const signed = readSignedClaims(token)
      if (isAccepted) checkLogoutToken(signed)
      const isMeant = signed?.['sub'] === 'alice' && signed['sid'] === undefined
      const isSignedIn = (await getSubject(service)) !== undefined
      expect({ isSignedIn, token }).toEqual({ isSignedIn: !(isAccepted && isMeant), token })
    },
  )
  const withNonce: JwtEdit = { ...correctJwt, claims: [['nonce', 'x']] }
  await fc.assert(property, { numRuns, examples: [[withNonce]] })
})

/** Back-Channel Logout 1.0 §2.6. */
function checkLogoutToken(claims: Claims | undefined): void {
  if (!claims) throw new Error('a token is accepted that the issuer did not sign')
  const { iss, aud, iat, exp, jti, events, sub, sid, nonce } = claims
  expect({ iss, nonce }).toEqual({ iss: issuerUrl, nonce: undefined })
  expect([aud].flat()).toContain(client.clientId)
  expect(Math.abs(Number(iat) - NOW)).toBeLessThanOrEqual(631)
  expect(exp).toBeGreaterThan(NOW - 31)
  expect(jti).toMatch(/./)
  expect(Object.keys(events as object)).toContain(EVENT)
  expect(sub !== undefined || typeof sid === 'string').toBe(true)
}
