import { createHash } from 'node:crypto'
import {
  deviceFlow,
  dynamicRegistration,
  introspection,
  openId,
} from '@latchkey/authorization-server'
import type { ClientOptions } from '@latchkey/authorization-server'
import { de } from '@latchkey/core/languages/de'
import { de as serverDe } from '@latchkey/authorization-server/languages/de'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import {
  SignJWT,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  jwtVerify,
} from 'jose'
import type { JWTPayload } from 'jose'
import { describe, expect, test } from 'vitest'
import type { Browser } from '@latchkey/testing/browser'
import { passport, signIn as signInAt } from '../../core/test/support/service.ts'
import { approve, askForCode, poll } from './support/device.ts'
import {
  browseAs,
  createPkce,
  getCode,
  issuer,
  keys,
  notes,
  origin,
  publicClient,
  readError,
  readForm,
  readTokens,
  redirectUri,
  refresh,
  serve,
  toAuthorize,
  visit,
} from './support/server.ts'
import type { ServeOptions, TestServer, Tokens } from './support/server.ts'

const rs256 = await generateTokenKey('RS256')
const all = 'notes:read openid profile email offline_access'
const userinfo = `${origin}/oauth/userinfo`
const salt = 'a salt of at least thirty-two characters'
const partner: ClientOptions = {
  id: 'partner',
  name: 'Partner',
  redirectUris: ['https://partner.example/cb'],
}

function provide(options: ServeOptions = {}): TestServer {
  return serve({
    otherKeys: [rs256],
    ...options,
    server: { openid: openId(), ...options.server },
  })
}

/** The tokens of a sign-in. */
type SignedIn = Partial<Tokens> & { readonly access_token: string; readonly id_token?: string }

async function signIn(
  server: TestServer,
  over: Readonly<Record<string, string | undefined>> = {},
  browser?: Browser,
): Promise<SignedIn> {
  const used = browser ?? (await browseAs(server))
  const { fields } = await getCode(used, { scope: all, nonce: 'a nonce & more', ...over })
  return readTokens(await server.post('/oauth/token', fields))
}

/** Verifies an ID Token as a client does. */
async function verify({ send, now }: TestServer, token = ''): Promise<JWTPayload> {
  const keySet = createLocalJWKSet(await (await send('/api/auth/jwks')).json())
  const currentDate = new Date(now() * 1000)
  return (await jwtVerify(token, keySet, { issuer, typ: 'JWT', currentDate })).payload
}

function ask({ send }: TestServer, token: string, init: RequestInit = {}): Promise<Response> {
  return send('/oauth/userinfo', { headers: { authorization: `Bearer ${token}` }, ...init })
}

async function findUser({ auth }: TestServer) {
  const [user] = (await auth.users.list()).users
  if (!user) throw new Error('expected a user')
  return user
}

describe('an ID Token (I-69.2)', () => {
  test('says who signed in, how and when', async () => {
    const server = provide()
    const tokens = await signIn(server)
    const claims = await verify(server, tokens.id_token)
    const half = createHash('sha256').update(tokens.access_token).digest().subarray(0, 16)
    expect(claims).toEqual({
      iss: issuer,
      sub: (await findUser(server)).id,
      aud: 'notes-app',
      iat: server.now(),
      exp: server.now() + 600,
      auth_time: server.now(),
      amr: ['pwd'],
      acr: '1fa',
      nonce: 'a nonce & more',
      sid: expect.stringMatching(/^[\w-]{22}$/),
      at_hash: half.toString('base64url'),
    })
    const header = decodeProtectedHeader(tokens.id_token ?? '')
    expect(header).toEqual({ typ: 'JWT', alg: 'RS256', kid: rs256.kid })
    // The access token has the key of the service, and the scopes.
    expect(decodeProtectedHeader(tokens.access_token).kid).toBe(keys[0]?.kid)
    expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: notes, scope: all })
  })

  test('has the first key if there is none for RS256', async () => {
    const server = provide({ otherKeys: [] })
    const tokens = await signIn(server)
    expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe('EdDSA')
    const half = createHash('sha512').update(tokens.access_token).digest().subarray(0, 32)
    const { at_hash } = await verify(server, tokens.id_token)
    expect(at_hash).toBe(half.toString('base64url'))
  })

  test('says that two factors were proven', async () => {
    const authentication = { authenticatedAt: Math.floor(Date.now() / 1000), methods: ['mfa'] }
    const identify = (): object => ({ authentication })
    const server = provide({ config: { providers: [passport({ identify })] } })
    const { id_token } = await signIn(server, { scope: 'openid' })
    expect(await verify(server, id_token)).toMatchObject({ amr: ['mfa'], acr: '2fa' })
  })

  test('comes again at a refresh, of the same sign-in and without the nonce', async () => {
    const server = provide()
    const first = await signIn(server)
    const { nonce, ...before } = await verify(server, first.id_token)
    expect(nonce).toBe('a nonce & more')
    server.wait(100)
    const next: SignedIn = await readTokens(await refresh(server, first.refresh_token ?? ''))
    const after = await verify(server, next.id_token)
    const changed = { iat: server.now(), exp: server.now() + 600, at_hash: after['at_hash'] }
    expect(after).toEqual({ ...before, ...changed })
    const narrow = await refresh(server, next.refresh_token ?? '', { scope: 'notes:read' })
    expect(await readTokens(narrow)).not.toHaveProperty('id_token')
  })

  test('is not there without the scope, or without the option', async () => {
    const server = provide()
    expect(await signIn(server)).toHaveProperty('id_token')
    const without = await signIn(server, { scope: 'profile email offline_access notes:read' })
    expect(without).not.toHaveProperty('id_token')
    // As without OpenID, the refresh token needs no scope.
    expect(without).toMatchObject({ scope: 'notes:read', refresh_token: expect.any(String) })
    expect(decodeJwt(without.access_token)).not.toHaveProperty('grant_id')
    const off = await signIn(serve())
    expect(off).toMatchObject({ scope: 'notes:read', refresh_token: expect.any(String) })
    expect(off).not.toHaveProperty('id_token')
  })
})

describe('scopes (I-69.1)', () => {
  test('of OpenID are shown in words, beside the scopes of the resource', async () => {
    const language = { messages: { de: [de, serverDe] } }
    const server = provide({ config: language })
    const browser = await browseAs(server)
    const headers = { 'accept-language': 'de' }
    const asked = await browser.visit(toAuthorize(createPkce().challenge, { scope: all }))
    const url = asked.headers.get('location') ?? ''
    const page = await (await browser.visit(url, { headers })).text()
    for (const text of [
      'Ihren Namen und Ihr Bild sehen',
      'Ihre E-Mail-Adresse sehen',
      'Den Zugriff behalten, während Sie nicht da sind',
      'Ihre Notizen lesen',
    ]) {
      expect(page).toContain(`/>${text}</label`)
    }
    expect(page.match(/type="checkbox"/g)).toHaveLength(4)
    expect(page).not.toContain('scope:openid')
  })

  test('of OpenID alone are allowed, without anything of a resource', async () => {
    const server = provide()
    const browser = await browseAs(server)
    const asked = await visit(browser, toAuthorize(createPkce().challenge, { scope: 'openid' }))
    const page = await asked.text()
    expect(page).toContain('value="allow"')
    expect(page).not.toContain('It will be able to:')
    const tokens = await signIn(server, { scope: 'openid unknown' }, browser)
    expect(tokens.scope).toBe('openid')
    const claims = { aud: userinfo, scope: 'openid', sub: (await findUser(server)).id }
    expect(decodeJwt(tokens.access_token)).toMatchObject(claims)
    expect((await ask(server, tokens.access_token)).status).toBe(200)
    const unknown = await visit(browser, toAuthorize(createPkce().challenge, { scope: 'profile' }))
    const location = new URL(unknown.headers.get('location') ?? '')
    expect(location.searchParams.get('error')).toBe('invalid_scope')
    // Who names a resource wants something of it.
    const over = { scope: 'openid', resource: notes }
    const named = await visit(browser, toAuthorize(createPkce().challenge, over))
    expect(named.headers.get('location')).toContain('error=invalid_scope')
  })

  test('a box that the user has unticked is not granted, and openid is', async () => {
    const server = provide()
    const browser = await browseAs(server)
    const { verifier, challenge } = createPkce()
    const asked = await visit(browser, toAuthorize(challenge, { scope: all }))
    const { 'scope:email': _, ...form } = await readForm(asked)
    const reply = await browser.post('/consent', { ...form, decision: 'allow' })
    const code = new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const fields = { grant_type: 'authorization_code', client_id: 'notes-app', code }
    const more = { code_verifier: verifier, redirect_uri: redirectUri }
    const tokens = await readTokens(await server.post('/oauth/token', { ...fields, ...more }))
    expect(tokens.scope).toBe('notes:read openid profile offline_access')
    expect(await (await ask(server, tokens.access_token)).json()).not.toHaveProperty('email')
  })

  test('a refresh token needs offline_access, and is kept when a refresh asks for less', async () => {
    const server = provide()
    const lasting = await signIn(server)
    const less = await refresh(server, lasting.refresh_token ?? '', { scope: 'openid' })
    const narrow = await readTokens(less)
    expect(narrow).toMatchObject({ scope: 'openid', refresh_token: expect.any(String) })
    expect(decodeJwt(narrow.access_token)['scope']).toBe('openid')
    const without = await signIn(server, { scope: 'openid notes:read' })
    expect(without).not.toHaveProperty('refresh_token')
    expect(without).toHaveProperty('id_token')
  })

  test('without offline_access a sign-in needs no proof as recent as for linking', async () => {
    const server = provide()
    const browser = await browseAs(server)
    await signIn(server, { scope: 'openid' }, browser)
    server.wait(3600)
    const later = await visit(browser, toAuthorize(createPkce().challenge, { scope: 'openid' }))
    expect(new URL(later.headers.get('location') ?? '').searchParams.has('code')).toBe(true)
    const lasting = toAuthorize(createPkce().challenge, { scope: 'openid offline_access' })
    expect(await (await visit(browser, lasting)).text()).toContain('name="confirm"')
  })
})

describe('userinfo (I-69.4)', () => {
  test('answers by scope, to GET and POST, with the token in the header or in a form', async () => {
    const server = provide()
    const { access_token } = await signIn(server)
    const { id, name, email, image } = await findUser(server)
    const whole = { sub: id, name, email, email_verified: true }
    const expected = image === null ? whole : { ...whole, picture: image }
    const header = { authorization: `bearer ${access_token}` }
    const replies = [
      await ask(server, access_token),
      await server.send('/oauth/userinfo', { method: 'POST', headers: header }),
      await server.post('/oauth/userinfo', {}, header),
      await server.post('/oauth/userinfo', { access_token }),
    ]
    for (const reply of replies) {
      expect(reply.status).toBe(200)
      expect(reply.headers.get('cache-control')).toBe('no-store')
      expect(reply.headers.get('access-control-allow-origin')).toBe('*')
      expect(await reply.json()).toEqual(expected)
    }
    const { access_token: less } = await signIn(server, { scope: 'openid notes:read' })
    expect(await (await ask(server, less)).json()).toEqual({ sub: id })
  })

  test('has the picture of a user who has one, with the scope profile', async () => {
    const picture = 'https://images.example/alice.png'
    const profile = { email: 'alice@example.com', emailVerified: true, image: picture }
    const withPicture = passport({
      identify: () => ({
        profile,
        authentication: { authenticatedAt: server.now(), methods: ['fed'] },
      }),
    })
    const server: TestServer = provide({ config: { providers: [withPicture] } })
    const { access_token } = await signIn(server)
    expect(await (await ask(server, access_token)).json()).toMatchObject({ picture })
    const { access_token: less } = await signIn(server, { scope: 'openid email' })
    expect(await (await ask(server, less)).json()).not.toHaveProperty('picture')
  })

  test('is not there without the option', async () => {
    expect((await provide().send('/oauth/userinfo')).status).toBe(401)
    const { send } = serve()
    expect((await send('/oauth/userinfo')).status).not.toBe(401)
    expect((await send('/.well-known/openid-configuration/api/auth')).status).toBe(404)
  })

  test('refuses what is no token, as RFC 6750 says', async () => {
    const server = provide()
    const { access_token } = await signIn(server)
    const bare = await server.send('/oauth/userinfo')
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await bare.text()).toBe('')
    const inUrl = await server.send(`/oauth/userinfo?access_token=${access_token}`)
    expect(inUrl.status).toBe(401)
    const header = { authorization: `Bearer ${access_token}` }
    const twice = await server.post('/oauth/userinfo', { access_token }, header)
    expect(await readError(twice)).toEqual([400, 'invalid_request'])
    const preflight = await server.send('/oauth/userinfo', { method: 'OPTIONS' })
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST')
    expect((await server.send('/oauth/userinfo', { method: 'PUT' })).status).toBe(405)
  })

  test('refuses a token without openid, of another kind, or of another key', async () => {
    const server = provide()
    const { access_token, id_token = '' } = await signIn(server)
    expect((await ask(server, access_token)).status).toBe(200)
    const claims = decodeJwt(access_token)
    const sign = async (over: object, typ = 'at+jwt', key = keys[0]): Promise<string> => {
      const header = { alg: key?.alg ?? '', kid: key?.kid ?? '', typ }
      const payload = { ...claims, ...over }
      return new SignJWT(payload).setProtectedHeader(header).sign(await importJWK({ ...key }))
    }
    expect((await ask(server, await sign({}))).status).toBe(200)
    const other = await generateTokenKey()
    const none = `${btoa('{"alg":"none","typ":"at+jwt"}')}.${access_token.split('.')[1]}.`
    const wrong = [
      id_token,
      none.replaceAll('=', ''),
      await sign({}, 'JWT'),
      await sign({}, 'at+jwt', { ...other, kid: keys[0]?.kid ?? '' }),
      await sign({ iss: origin }),
      await sign({ exp: server.now() - 1 }),
      // A token of the user's own session, and of another resource.
      await sign({ aud: 'https://api.example' }),
      await sign({ client_id: 'local' }),
      await sign({ grant_id: undefined }),
      await sign({ grant_id: 'A'.repeat(22) }),
    ]
    for (const token of wrong) {
      const reply = await ask(server, token)
      expect(reply.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
      expect(await readError(reply)).toEqual([401, 'invalid_token'])
    }
    const { access_token: plain } = await signIn(server, { scope: 'notes:read' })
    const reply = await ask(server, plain)
    expect(reply.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="openid"',
    )
    expect(await readError(reply)).toEqual([403, 'insufficient_scope'])
  })

  test.each<[string, (server: TestServer, user: { readonly id: string }) => Promise<unknown>]>([
    ['a grant that was removed', ({ auth }, { id }) => auth.grants.removeAll({ userId: id })],
    ['a user whose sessions all ended', ({ auth }, { id }) => auth.sessions.revokeAll(id)],
    ['a deleted user', ({ auth }, { id }) => auth.users.delete(id)],
  ])('refuses the token of %s', async (_, end) => {
    const server = provide()
    const { access_token } = await signIn(server)
    expect((await ask(server, access_token)).status).toBe(200)
    await end(server, await findUser(server))
    expect(await readError(await ask(server, access_token))).toEqual([401, 'invalid_token'])
  })

  test('answers the token of a client that has registered itself', async () => {
    const options = { registration: dynamicRegistration(), openid: openId({ pairwiseSalt: salt }) }
    const server = provide({ server: options })
    // Of several hosts, the sector cannot be one of them.
    const redirect_uris = ['https://a.example/cb', 'https://b.example/cb']
    const registered = await server.send('/oauth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris }),
    })
    const { client_id }: { client_id: string } = await registered.json()
    const over = { client_id, redirect_uri: redirect_uris[0], scope: 'openid' }
    const tokens = await signIn(server, over)
    const { sub, aud } = await verify(server, tokens.id_token)
    expect(aud).toBe(client_id)
    expect(await (await ask(server, tokens.access_token)).json()).toEqual({ sub })
  })

  test('refuses the token of a client that is no longer configured', async () => {
    const server = provide()
    const { access_token } = await signIn(server)
    const later = provide({ storage: server.storage, server: { clients: [partner] } })
    expect(await readError(await ask(later, access_token))).toEqual([401, 'invalid_token'])
  })
})

describe('a device (I-69.1)', () => {
  const tool = (deviceScopes: readonly string[]): ClientOptions => ({
    id: 'tool',
    name: 'Tool',
    redirectUris: [],
    grants: ['device', 'refresh_token'],
    deviceScopes,
  })

  test('signs its user in, by what the client may ask for', async () => {
    const clients = [tool(['openid', 'email', 'notes:read'])]
    const server = provide({ server: { device: deviceFlow(), clients } })
    const codes = await askForCode(server, { scope: 'openid email profile' })
    await approve(await browseAs(server), codes.user_code)
    const tokens: SignedIn = await readTokens(await poll(server, codes.device_code))
    expect(tokens.scope).toBe('openid email')
    expect(tokens).not.toHaveProperty('refresh_token')
    // It is not in the session of the browser.
    expect(await verify(server, tokens.id_token)).not.toHaveProperty('sid')
    expect(decodeJwt(tokens.access_token).aud).toBe(userinfo)
    const { id, email } = await findUser(server)
    const claims = await (await ask(server, tokens.access_token)).json()
    expect(claims).toEqual({ sub: id, email, email_verified: true })
  })

  test('gets no scope of OpenID that its client does not have', async () => {
    const clients = [tool(['notes:read', 'email'])]
    const server = provide({ server: { device: deviceFlow(), clients } })
    const fields = { client_id: 'tool', scope: 'openid email' }
    const refused = await server.post('/oauth/device-code', fields)
    expect(await readError(refused)).toEqual([400, 'invalid_scope'])
    expect((await askForCode(server, { scope: 'notes:read' })).user_code).toBeTruthy()
    const off = (): unknown => serve({ server: { device: deviceFlow(), clients } })
    expect(off).toThrow('[0] has deviceScopes that no resource has')
  })
})

describe('discovery (I-69.5)', () => {
  test('names what is on, at both URLs', async () => {
    const { send } = provide()
    const paths = [
      '/api/auth/.well-known/openid-configuration',
      '/.well-known/openid-configuration/api/auth',
    ]
    const plain = await send('/.well-known/oauth-authorization-server/api/auth')
    // Clients of resources ask for all scopes that it names.
    expect((await plain.json()).scopes_supported).not.toContain('openid')
    for (const path of paths) {
      expect(await (await send(path)).json()).toMatchObject({
        issuer,
        userinfo_endpoint: userinfo,
        jwks_uri: `${issuer}/jwks`,
        code_challenge_methods_supported: ['S256'],
        scopes_supported: expect.arrayContaining(['openid', 'offline_access', 'notes:read']),
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        acr_values_supported: ['1fa', '2fa'],
        prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
        claims_supported: expect.arrayContaining(['sub', 'email_verified', 'picture']),
        request_uri_parameter_supported: false,
      })
    }
  })

  test('names the key that signs', async () => {
    const { send } = provide({ otherKeys: [], server: { openid: openId({ pairwiseSalt: salt }) } })
    const reply = await send('/api/auth/.well-known/openid-configuration')
    expect(await reply.json()).toMatchObject({
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['EdDSA'],
    })
  })
})

describe('id_token_hint (I-69.6)', () => {
  const trusted = { openid: openId(), consent: () => 'granted' as const }

  async function authorize(browser: Browser, over: Record<string, string>): Promise<URL> {
    const target = toAuthorize(createPkce().challenge, { scope: 'openid', ...over })
    return new URL((await visit(browser, target)).headers.get('location') ?? '')
  }

  test('of the user of the session is answered, also after it has expired', async () => {
    const server = provide({ server: trusted })
    const browser = await browseAs(server)
    const { id_token = '' } = await signIn(server, { scope: 'openid' }, browser)
    server.wait(3600)
    const answer = await authorize(browser, { prompt: 'none', id_token_hint: id_token })
    expect(answer.searchParams.get('code')).not.toBeNull()
  })

  test('of another user, client, issuer or key, and of no key, is login_required', async () => {
    const server = provide({ server: { ...trusted, clients: [partner, ...clientsOf()] } })
    const browser = await browseAs(server, 'alice')
    const { id_token = '' } = await signIn(server, { scope: 'openid' }, browser)
    const bob = await browseAs(server, 'bob')
    const ofBob = await signIn(server, { scope: 'openid' }, bob)
    const at = { client_id: 'partner', redirect_uri: partner.redirectUris[0] }
    const ofPartner = await signIn(server, { scope: 'openid', ...at }, browser)
    const claims = decodeJwt(id_token)
    const sign = async (over: object, key = rs256, typ = 'JWT'): Promise<string> =>
      new SignJWT({ ...claims, ...over })
        .setProtectedHeader({ alg: key.alg ?? '', kid: rs256.kid ?? '', typ })
        .sign(await importJWK({ ...key }))
    const right = await authorize(browser, { prompt: 'none', id_token_hint: await sign({}) })
    expect(right.searchParams.get('code')).not.toBeNull()
    const none = `${btoa('{"alg":"none","typ":"JWT"}')}.${id_token.split('.')[1]}.`
    const wrong = [
      ofBob.id_token ?? '',
      ofPartner.id_token ?? '',
      none.replaceAll('=', ''),
      'not a token',
      await sign({ iss: 'https://other.example' }),
      await sign({}, await generateTokenKey('RS256')),
      await sign({}, rs256, 'at+jwt'),
      await sign({}, rs256, 'logout+jwt'),
    ]
    for (const id_token_hint of wrong) {
      const answer = await authorize(browser, { prompt: 'none', id_token_hint })
      expect(answer.searchParams.get('error')).toBe('login_required')
    }
  })

  test('of another user, without prompt, asks for a sign-in, and answers no third one', async () => {
    const server = provide({ server: trusted })
    const { id_token = '' } = await signIn(server, { scope: 'openid' }, await browseAs(server))
    const browser = await browseAs(server, 'bob')
    const target = toAuthorize(createPkce().challenge, { scope: 'openid', id_token_hint: id_token })
    const asked = await browser.visit(target)
    expect(asked.headers.get('location')).toContain(`${issuer}/signin?`)
    const url = new URL(asked.headers.get('location') ?? '').searchParams.get('callbackUrl') ?? ''
    server.wait(1)
    await signInAt(browser, 'carol')
    const page = await (await browser.visit(url.replace(issuer, ''))).text()
    expect(page).toContain('error=access_denied')
    expect(page).not.toContain('code=')
  })
})

function clientsOf(): readonly ClientOptions[] {
  return [{ id: 'notes-app', name: 'Notes', redirectUris: [redirectUri] }]
}

describe('pairwise subjects (I-69.3)', () => {
  const openid = openId({ pairwiseSalt: salt })
  const sibling = { ...partner, id: 'sibling', redirectUris: ['https://partner.example/b'] }
  const alike = { ...partner, id: 'alike', sector: 'client.example' }
  const clients = [...clientsOf(), partner, sibling, alike]

  test('differ between hosts, and never between the sign-ins of one', async () => {
    const server = provide({ server: { openid, clients, introspection: introspection() } })
    const browser = await browseAs(server)
    const subjectAt = async (client: ClientOptions): Promise<string> => {
      const over = { client_id: client.id, redirect_uri: client.redirectUris[0], scope: 'openid' }
      const tokens = await signIn(server, over, browser)
      const { sub = '' } = await verify(server, tokens.id_token)
      expect(await (await ask(server, tokens.access_token)).json()).toEqual({ sub })
      // A token for no resource does not have the id of the user either.
      expect(decodeJwt(tokens.access_token).sub).toBe(sub)
      return sub
    }
    const [own = clientsOf()[0]] = clients
    if (!own) throw new Error('expected a client')
    const subject = await subjectAt(own)
    const { id } = await findUser(server)
    expect(subject).toMatch(/^[\w-]{43}$/)
    expect(await subjectAt(own)).toBe(subject)
    const other = await subjectAt(partner)
    expect(new Set([id, subject, other]).size).toBe(3)
    expect(await subjectAt(sibling)).toBe(other)
    expect(await subjectAt(alike)).toBe(subject)
  })

  test('the introspection of a refresh token does not tell the id either', async () => {
    const secret = 'a secret of 32 characters, or more'
    const server = provide({
      server: { openid, clients: [{ ...partner, secret }], introspection: introspection() },
    })
    const at = { client_id: 'partner', redirect_uri: partner.redirectUris[0] }
    const { fields } = await getCode(await browseAs(server), {
      scope: 'openid offline_access',
      ...at,
    })
    const authorization = `Basic ${btoa(`partner:${encodeURIComponent(secret)}`)}`
    const { client_id: _, ...rest } = fields as Record<string, string>
    const tokens: SignedIn = await readTokens(
      await server.post('/oauth/token', rest, { authorization }),
    )
    const { sub } = await verify(server, tokens.id_token)
    for (const token of [tokens.refresh_token ?? '', tokens.access_token]) {
      const reply = await server.post('/oauth/introspect', { token }, { authorization })
      expect(await reply.json()).toMatchObject({ active: true, sub })
    }
    expect(sub).not.toBe((await findUser(server)).id)
  })

  test('a resource needs the id of the user', async () => {
    const server = provide({ server: { openid } })
    const tokens = await signIn(server)
    const { id } = await findUser(server)
    expect(decodeJwt(tokens.access_token).sub).toBe(id)
    const { sub } = await verify(server, tokens.id_token)
    expect(sub).not.toBe(id)
    expect(await (await ask(server, tokens.access_token)).json()).toMatchObject({ sub })
  })

  test('a client of several hosts needs a sector', () => {
    const redirectUris = ['https://partner.example/cb', 'https://other.example/cb']
    const several = { ...partner, redirectUris }
    const start = (options: object) => (): unknown => provide({ server: options })
    expect(start({ openid, clients: [{ ...several, sector: 'partner.example' }] })).not.toThrow()
    expect(start({ clients: [several] })).not.toThrow()
    const refused = '[0] must have a sector like partner.example'
    expect(start({ openid, clients: [several] })).toThrow(refused)
    expect(start({ openid, clients: [{ ...partner, sector: 'client a' }] })).toThrow(refused)
    expect(() => openId({ pairwiseSalt: 'short' })).toThrow('openId.pairwiseSalt')
    expect(() => openId({ pairwise: true } as object)).toThrow('openId.pairwise')
    expect(start({ openid: {} })).toThrow('authorizationServer.openid')
  })
})

test('who has allowed a sign-in only is asked before the client gets a refresh token (I-65.8)', async () => {
  const server = serve({ server: { openid: openId() } })
  const browser = await browseAs(server)
  const pkce = createPkce()
  const asked = await visit(
    browser,
    toAuthorize(pkce.challenge, { scope: 'openid notes:read offline_access' }),
  )
  const { 'scope:offline_access': _, ...form } = await readForm(asked)
  const allowed = await browser.post('/consent', { ...form, decision: 'allow' })
  const redeem = async (answer: URL): Promise<object> => {
    const fields = {
      grant_type: 'authorization_code',
      client_id: publicClient.id,
      code: answer.searchParams.get('code') ?? '',
      code_verifier: pkce.verifier,
      redirect_uri: redirectUri,
    }
    return readTokens(await server.post('/oauth/token', fields))
  }
  const getAnswer = (reply: Response): URL => new URL(reply.headers.get('location') ?? '')
  expect(await redeem(getAnswer(allowed))).not.toHaveProperty('refresh_token')
  const askQuietly = async (scope: string): Promise<URL> =>
    getAnswer(await browser.visit(toAuthorize(pkce.challenge, { scope, prompt: 'none' })))
  expect(await redeem(await askQuietly('openid notes:read'))).not.toHaveProperty('refresh_token')
  expect((await askQuietly('notes:read')).searchParams.get('error')).toBe('consent_required')
})
