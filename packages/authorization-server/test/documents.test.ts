import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { clientDocuments, privateKeyJwt } from '@latchkey/authorization-server'
import type {
  AuthorizationServerOptions,
  ClientDocumentsOptions,
} from '@latchkey/authorization-server'
import { publicFetch } from '@latchkey/authorization-server/node'
import type { AuthConfig, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { getSelfSigned } from '@latchkey/test-support/certificate'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getUser, signIn } from '../../core/test/support/service.ts'
import { createFetch, isPublicAddress } from '../src/public-fetch.ts'
import { getPublicUrl } from '../src/clients/public-url.ts'
import {
  allow,
  browseAs,
  createPkce,
  getCode,
  issuer,
  readError,
  readForm,
  readTokens,
  serve,
  toAuthorize,
  visit,
} from './support/server.ts'
import type { TestServer } from './support/server.ts'

const id = 'https://claude.example/oauth/metadata.json'
const callback = 'https://claude.example/api/mcp/auth_callback'
const document = {
  client_id: id,
  client_name: 'Claude',
  redirect_uris: [callback, 'http://localhost/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
  logo_uri: 'https://claude.example/logo.svg',
}
const { challenge } = createPkce()
const target = (over: Readonly<Record<string, string>> = {}): string =>
  toAuthorize(challenge, { client_id: id, redirect_uri: callback, ...over })

/** What a host answers, and what it was asked for. */
interface Host {
  answer: (url: string) => Response | Promise<Response>
  readonly asked: string[]
  readonly redirects: (RequestInit['redirect'] | undefined)[]
}

function serveDocuments(
  over: Partial<ClientDocumentsOptions> = {},
  options: Partial<AuthorizationServerOptions> = { assertions: privateKeyJwt() },
  config: Partial<AuthConfig> = {},
  storage: Storage = memoryStorage(),
): {
  readonly server: TestServer
  readonly host: Host
} {
  const host: Host = { answer: () => Response.json(document), asked: [], redirects: [] }
  const clientMetadata = clientDocuments({
    fetch: async (url, { redirect }) => {
      host.asked.push(url)
      host.redirects.push(redirect)
      return host.answer(url)
    },
    ...over,
  })
  return { server: serve({ config, storage, server: { clientMetadata, ...options } }), host }
}

/** Returns the fields of a client that authenticates by its key. */
async function authenticateBy(
  key: CryptoKey,
  now: number,
): Promise<Readonly<Record<string, string>>> {
  const assertion = new SignJWT({ jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer(id)
    .setSubject(id)
    .setAudience(issuer)
    .setExpirationTime(now + 120)
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await assertion.sign(key),
  }
}

describe('a client that is known by its document (I-67.2)', () => {
  test('is allowed with its host, redeems, refreshes, and is remembered; its document is fetched once', async () => {
    const { server, host } = serveDocuments()
    const browser = await browseAs(server)
    const asked = await visit(browser, target())
    const html = await asked.text()
    expect(html).toContain('<bdi>Claude (claude.example)</bdi>')
    expect(html).not.toContain('logo')
    const { fields } = await getCode(browser, { client_id: id, redirect_uri: callback })
    host.answer = () => new Response(null, { status: 500 })
    server.wait(59)
    const tokens = await readTokens(await server.post('/oauth/token', fields))
    const again = { grant_type: 'refresh_token', client_id: id }
    server.wait(5000)
    // The grant has the client: nothing is fetched for a refresh.
    const refreshed = await server.post('/oauth/token', {
      ...again,
      refresh_token: tokens.refresh_token,
    })
    const { refresh_token: next } = await readTokens(refreshed)
    expect(host.asked).toEqual([id])
    const revoked = await server.post('/oauth/revoke', { client_id: id, token: next })
    expect(revoked.status).toBe(200)
    const last = await server.post('/oauth/token', { ...again, refresh_token: next })
    // `invalid_grant` lets the client begin again.
    expect(await readError(last)).toEqual([400, 'invalid_grant'])
  })

  test('cannot use the tokens of another one, nor be named without a token', async () => {
    const { server } = serveDocuments()
    const { fields } = await getCode(await browseAs(server), {
      client_id: id,
      redirect_uri: callback,
    })
    for (const over of [
      { client_id: 'https://other.example/metadata.json' },
      { code: 'x' },
      { client_id: 'notes-app' },
    ]) {
      const reply = await server.post('/oauth/token', { ...fields, ...over })
      expect(reply.status).toBeGreaterThanOrEqual(400)
    }
    expect((await server.post('/oauth/token', fields)).status).toBe(200)
  })

  test('with keys must prove them, whatever else its request names', async () => {
    const { server, host } = serveDocuments()
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] }
    host.answer = () =>
      Response.json({ ...document, token_endpoint_auth_method: 'private_key_jwt', jwks })
    const sign = async (): Promise<Record<string, string>> => {
      const claims = { iss: id, sub: id, aud: issuer, jti: crypto.randomUUID() }
      const assertion = new SignJWT({ ...claims, exp: server.now() + 60 })
      return {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await assertion.setProtectedHeader({ alg: 'ES256' }).sign(privateKey),
      }
    }
    const { fields } = await getCode(await browseAs(server), {
      client_id: id,
      redirect_uri: callback,
    })
    expect((await server.post('/oauth/token', fields)).status).toBe(401)
    const proven = await server.post('/oauth/token', { ...fields, ...(await sign()) })
    const { refresh_token: token } = await readTokens(proven)
    const refresh = { grant_type: 'refresh_token', client_id: id, refresh_token: token }
    for (const over of [{}, { code: 'x' }, { token: 'x' }, { code: fields['code'] ?? '' }]) {
      const reply = await server.post('/oauth/token', { ...refresh, ...over })
      expect(reply.status).toBeGreaterThanOrEqual(400)
    }
    const hidden = { client_id: id, token, refresh_token: 'x' }
    await server.post('/oauth/revoke', hidden)
    const reply = await server.post('/oauth/token', { ...refresh, ...(await sign()) })
    expect(reply.status).toBe(200)
  })

  test('cannot have keys without privateKeyJwt()', async () => {
    const { publicKey } = await generateKeyPair('ES256')
    const jwks = { keys: [await exportJWK(publicKey)] }
    const method = { token_endpoint_auth_method: 'private_key_jwt', jwks }
    for (const [options, status] of [
      [{ assertions: privateKeyJwt() }, 302],
      [{}, 400],
    ] as const) {
      const { server, host } = serveDocuments({}, options)
      host.answer = () => Response.json({ ...document, ...method })
      expect((await server.browse().visit(target())).status).toBe(status)
    }
  })

  test('authenticates as the grant says whose token it sends, not as another grant does', async () => {
    const { server, host } = serveDocuments()
    const ask = async (subject: string): Promise<Readonly<Record<string, string>>> => {
      const user = await browseAs(server, subject)
      return (await getCode(user, { client_id: id, redirect_uri: callback })).fields
    }
    const older = await ask('mallory')
    const pair = await generateKeyPair('EdDSA')
    const keys = [await exportJWK(pair.publicKey)]
    const method = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys } }
    host.answer = () => Response.json({ ...document, ...method })
    const authenticate = (): ReturnType<typeof authenticateBy> =>
      authenticateBy(pair.privateKey, server.now())
    await readTokens(await server.post('/oauth/token', older))
    server.wait(60)
    const fields = { ...(await ask('alice')), ...(await authenticate()) }
    const { refresh_token } = await readTokens(await server.post('/oauth/token', fields))
    const stolen = { grant_type: 'refresh_token', client_id: id, refresh_token }
    const code = older['code'] ?? ''
    const alone = await server.post('/oauth/token', stolen)
    expect(await readError(alone)).toEqual([401, 'invalid_client'])
    const beside = await server.post('/oauth/token', { ...stolen, code })
    expect(await readError(beside)).toEqual([400, 'invalid_grant'])
    await server.post('/oauth/revoke', { client_id: id, code, token: refresh_token })
    const own = await server.post('/oauth/token', { ...stolen, ...(await authenticate()) })
    expect(own.status).toBe(200)
  })

  test.each<[string, object, number]>([
    ['a key', {}, 200],
    ['a key that is none', { x: 'AA' }, 401],
    ['a key without its value', { x: undefined }, 401],
  ])('that has published %s is answered, and no fault of the service is logged', async (...row) => {
    const [, over, status] = row
    const { server, host } = serveDocuments()
    const pair = await generateKeyPair('EdDSA')
    const keys = [{ ...(await exportJWK(pair.publicKey)), ...over }]
    const method = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys } }
    host.answer = () => Response.json({ ...document, ...method })
    const named = { client_id: id, redirect_uri: callback }
    const { fields } = await getCode(await browseAs(server), named)
    const assertion = await authenticateBy(pair.privateKey, server.now())
    const reply = await server.post('/oauth/token', { ...fields, ...assertion })
    expect(reply.status).toBe(status)
    expect(server.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('has no grants of a client of the same id that was in the configuration', async () => {
    const storage = memoryStorage()
    const secret = 'a secret of 32 characters, or more'
    const configured = { id, name: 'Partner', redirectUris: [callback], secret }
    const previous = serve({ storage, server: { clients: [configured] } })
    const { fields } = await getCode(await browseAs(previous), {
      client_id: id,
      redirect_uri: callback,
    })
    const basic = `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`
    const authorization = { authorization: basic }
    const issued = await previous.post('/oauth/token', fields, authorization)
    let { refresh_token } = await readTokens(issued)
    const refreshed = { grant_type: 'refresh_token', client_id: id }
    const own = await previous.post('/oauth/token', { ...refreshed, refresh_token }, authorization)
    refresh_token = (await readTokens(own)).refresh_token
    const clientMetadata = clientDocuments({ fetch: async () => Response.json(document) })
    const next = serve({ storage, server: { clients: [], clientMetadata } })
    const reply = await next.post('/oauth/token', { ...refreshed, refresh_token })
    expect(await readError(reply)).toEqual([400, 'invalid_grant'])
  })

  test('is shown with its host first where documents are no longer accepted', async () => {
    const storage = memoryStorage()
    const clientMetadata = clientDocuments({ fetch: async () => Response.json(document) })
    const before = serve({ storage, server: { clientMetadata } })
    const browser = await browseAs(before)
    const { id: userId } = await getUser(browser)
    const { fields } = await getCode(browser, { client_id: id, redirect_uri: callback })
    await readTokens(await before.post('/oauth/token', fields))
    const listed = [before, serve({ storage })].map(({ auth }) => auth.grants.list(userId))
    const names = (await Promise.all(listed)).map(([grant]) => grant?.clientName)
    expect(names).toEqual(['Claude (claude.example)', 'claude.example (Claude)'])
  })

  test('that looks like a configured client is shown with its host first', async () => {
    const { server, host } = serveDocuments()
    host.answer = () => Response.json({ ...document, client_name: 'NÓTES <APP>' })
    const html = await (await visit(await browseAs(server), target())).text()
    expect(html).toContain('<bdi>claude.example (NÓTES &lt;APP&gt;)</bdi>')
  })

  test('gets no error by a redirect before the user has a grant: a page has the link', async () => {
    const { server } = serveDocuments()
    const browser = await browseAs(server)
    const wrong = target({ code_challenge_method: 'plain' })
    for (const each of [browser, server.browse()]) {
      const reply = await each.visit(wrong)
      expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
      const html = await reply.text()
      expect(html).toContain(`href="${callback}?error=invalid_request`)
      expect(html).not.toContain('http-equiv="refresh"')
    }
    const { fields } = await getCode(browser, { client_id: id, redirect_uri: callback })
    expect((await browser.visit(wrong)).status).toBe(400)
    await server.post('/oauth/token', fields)
    const reply = await browser.visit(wrong)
    expect(reply.headers.get('location')).toContain('error=invalid_request')
  })

  test('gets no error by a redirect because the user has a grant of another client', async () => {
    const { server, host } = serveDocuments()
    const other = 'https://claude.example/other.json'
    host.answer = (url) => Response.json({ ...document, client_id: url })
    const browser = await browseAs(server)
    const { fields } = await getCode(browser, { client_id: other, redirect_uri: callback })
    await readTokens(await server.post('/oauth/token', fields))
    const wrong = { code_challenge_method: 'plain' }
    const own = await browser.visit(target({ ...wrong, client_id: other }))
    expect(own.headers.get('location')).toContain('error=invalid_request')
    const reply = await browser.visit(target(wrong))
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
    const bob = await browseAs(server, 'bob')
    const ofBob = await bob.visit(target({ ...wrong, client_id: other }))
    expect([ofBob.status, ofBob.headers.get('location')]).toEqual([400, null])
  })

  test('is fetched again after a minute, or what its headers say, at most a day', async () => {
    for (const [header, seconds] of [
      ['', 60],
      ['max-age=600', 600],
      ['public, max-age=5', 60],
      ['max-age=99999999', 86_400],
      ['no-store, max-age=600', 60],
    ] as const) {
      const { server, host } = serveDocuments()
      host.answer = () => Response.json(document, { headers: { 'cache-control': header } })
      const browser = server.browse()
      await browser.visit(target())
      server.wait(seconds - 1)
      await browser.visit(target())
      expect([header, host.asked.length]).toEqual([header, 1])
      server.wait(1)
      await browser.visit(target())
      expect([header, host.asked.length]).toEqual([header, 2])
    }
  })

  test('a failure is not kept: after ten seconds it is asked again, and other documents at once', async () => {
    const { server, host } = serveDocuments()
    const browser = server.browse()
    host.answer = () => new Response(null, { status: 404 })
    const other = 'https://claude.example/other.json'
    for (let i = 0; i < 2; i++) expect((await browser.visit(target())).status).toBe(400)
    expect(host.asked).toEqual([id])
    host.answer = (url) => Response.json({ ...document, client_id: url })
    expect((await browser.visit(target({ client_id: other }))).status).toBe(302)
    server.wait(10)
    expect((await browser.visit(target())).status).toBe(302)
    const away = serveDocuments()
    away.host.answer = () => Promise.reject(new Error('refused'))
    for (const client_id of [id, other]) await away.server.browse().visit(target({ client_id }))
    expect(away.host.asked).toEqual([id])
  })

  test('ten documents in ten minutes are fetched for one IP address', async () => {
    const { server, host } = serveDocuments()
    host.answer = (url) => Response.json({ ...document, client_id: url })
    const statuses: number[] = []
    for (let i = 0; i < 11; i++) {
      const client_id = `https://h${i}.example/m`
      const request = new Request(`https://app.example/api/auth${target({ client_id })}`)
      const reply = await server.auth.handle(request, { clientIp: () => '192.0.2.1' })
      statuses.push(reply.status)
    }
    expect(statuses.filter((status) => status === 302)).toHaveLength(10)
    expect(statuses.at(-1)).toBe(429)
    expect(host.asked).toHaveLength(10)
    // A known one is fetched again all the same: others of the address use it.
    server.wait(60)
    const known = target({ client_id: 'https://h0.example/m' })
    const again = new Request(`https://app.example/api/auth${known}`)
    const reply = await server.auth.handle(again, { clientIp: () => '192.0.2.1' })
    expect([reply.status, host.asked.length]).toEqual([302, 11])
  })
})

describe('a client whose document has jwks_uri (I-67.3)', () => {
  const keysUrl = 'https://claude.example/keys.json'
  const named = { client_id: id, redirect_uri: callback }
  const keyDocument = {
    ...document,
    token_endpoint_auth_method: 'private_key_jwt',
    jwks_uri: keysUrl,
  }

  /** A key pair, and its set. */
  async function createKey(): Promise<{
    readonly privateKey: CryptoKey
    readonly set: { readonly keys: readonly object[] }
  }> {
    const { publicKey, privateKey } = await generateKeyPair('EdDSA')
    return { privateKey, set: { keys: [await exportJWK(publicKey)] } }
  }

  const answerWith =
    (set: object, over: object = {}) =>
    (url: string): Response =>
      Response.json(url === id ? { ...keyDocument, ...over } : set)

  test('proves a key that was fetched with the document, which its grant keeps', async () => {
    const { server, host } = serveDocuments()
    const { privateKey, set } = await createKey()
    host.answer = (url) =>
      url === id
        ? Response.json(keyDocument)
        : new Response(JSON.stringify(set), {
            headers: { 'content-type': 'application/jwk-set+json' },
          })
    const { fields } = await getCode(await browseAs(server), named)
    expect(host.asked).toEqual([id, keysUrl])
    host.answer = () => Promise.reject(new Error('away'))
    const prove = (key: CryptoKey): ReturnType<typeof authenticateBy> =>
      authenticateBy(key, server.now())
    const other = await createKey()
    for (const wrong of [{}, await prove(other.privateKey)]) {
      const reply = await server.post('/oauth/token', { ...fields, ...wrong })
      expect(await readError(reply)).toEqual([401, 'invalid_client'])
    }
    const proven = await server.post('/oauth/token', { ...fields, ...(await prove(privateKey)) })
    const { refresh_token } = await readTokens(proven)
    server.wait(5000)
    const refresh = { grant_type: 'refresh_token', client_id: id, refresh_token }
    const stolen = await server.post('/oauth/token', refresh)
    expect(await readError(stolen)).toEqual([401, 'invalid_client'])
    const own = await server.post('/oauth/token', { ...refresh, ...(await prove(privateKey)) })
    expect(own.status).toBe(200)
    expect(host.asked).toEqual([id, keysUrl])
  })

  test('refreshes by the keys that its grant keeps; the next grant has the new ones', async () => {
    const { server, host } = serveDocuments()
    const [before, after] = [await createKey(), await createKey()]
    const browser = await browseAs(server)
    const ask = async (key: CryptoKey): Promise<Readonly<Record<string, string>>> => {
      const { fields } = await getCode(browser, named)
      const proof = await authenticateBy(key, server.now())
      const reply = await server.post('/oauth/token', { ...fields, ...proof })
      const { refresh_token } = await readTokens(reply)
      return { grant_type: 'refresh_token', client_id: id, refresh_token }
    }
    const isRefreshed = async (
      fields: Readonly<Record<string, string>>,
      key: CryptoKey,
    ): Promise<boolean> => {
      const proof = await authenticateBy(key, server.now())
      return (await server.post('/oauth/token', { ...fields, ...proof })).status === 200
    }
    host.answer = answerWith(before.set)
    const older = await ask(before.privateKey)
    host.answer = answerWith(after.set)
    server.wait(60)
    const newer = await ask(after.privateKey)
    expect(host.asked).toEqual([id, keysUrl, id, keysUrl])
    expect([
      await isRefreshed(older, after.privateKey),
      await isRefreshed(older, before.privateKey),
      await isRefreshed(newer, before.privateKey),
      await isRefreshed(newer, after.privateKey),
    ]).toEqual([false, true, false, true])
    expect(host.asked).toHaveLength(4)
  })

  test('is fetched again when the headers of its document or of its keys say so', async () => {
    const { set } = await createKey()
    for (const [ages, seconds] of [
      [[3600, 600], 600],
      [[600, 3600], 600],
      [[600, 5], 60],
    ] as const) {
      const { server, host } = serveDocuments()
      host.answer = (url) => {
        const age = ages[url === id ? 0 : 1]
        const headers = { 'cache-control': `max-age=${age}` }
        return Response.json(url === id ? keyDocument : set, { headers })
      }
      const browser = server.browse()
      await browser.visit(target())
      server.wait(seconds - 1)
      await browser.visit(target())
      expect([ages, host.asked]).toEqual([ages, [id, keysUrl]])
      server.wait(1)
      expect((await browser.visit(target())).status).toBe(302)
      expect([ages, host.asked.length]).toEqual([ages, 4])
    }
  })

  test('requests none if the document has keys, if none are needed, and without privateKeyJwt()', async () => {
    const { set } = await createKey()
    for (const [over, options, status] of [
      [{ jwks: set }, { assertions: privateKeyJwt() }, 302],
      [{ token_endpoint_auth_method: 'none' }, { assertions: privateKeyJwt() }, 302],
      [{ client_name: '' }, { assertions: privateKeyJwt() }, 400],
      [{}, {}, 400],
    ] as const) {
      const { server, host } = serveDocuments({}, options)
      host.answer = answerWith(set, over)
      expect((await server.browse().visit(target())).status).toBe(status)
      expect(host.asked).toEqual([id])
    }
  })

  test.each([
    'https://other.example/keys.json',
    'https://keys.claude.example/keys.json',
    'https://claude.example.other.example/keys.json',
    'http://claude.example/keys.json',
    'https://claude.example:8443/keys.json',
    'https://user@claude.example/keys.json',
    'https://CLAUDE.example/keys.json',
    'https://claude.example/a/../keys.json',
    'https://claude.example/keys.json#a',
    'https://claude.example/',
    'https://127.0.0.1/keys.json',
    'https://localhost/keys.json',
    'https://vault.internal/keys.json',
    '//claude.example/keys.json',
    'keys.json',
    '',
    5,
    undefined,
  ])('is refused with %s, which is not requested', async (uri) => {
    const { set } = await createKey()
    const { server, host } = serveDocuments()
    host.answer = answerWith(set)
    expect((await server.browse().visit(target())).status).toBe(302)
    host.answer = answerWith(set, { jwks_uri: uri })
    server.wait(60)
    host.asked.length = 0
    const reply = await server.browse().visit(target())
    expect([reply.status, reply.headers.get('location'), host.asked]).toEqual([400, null, [id]])
  })

  const keys = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }] }
  const json = { 'content-type': 'application/json' }
  const text = JSON.stringify(keys)
  test.each<[string, () => Response]>([
    ['are elsewhere', () => Response.redirect(`${keysUrl}?again`, 302)],
    ['are not found', () => Response.json(keys, { status: 404 })],
    ['are text', () => new Response(text, { headers: { 'content-type': 'text/plain' } })],
    ['are no JSON', () => new Response('{', { headers: json })],
    ['are a list', () => Response.json([])],
    ['are none', () => Response.json({ keys: [] })],
    ['are private', () => Response.json({ keys: [{ ...keys.keys[0], d: 'x' }] })],
    ['are symmetric', () => Response.json({ keys: [{ kty: 'oct', k: 'x' }] })],
    ['are more than 5 KiB', () => Response.json({ ...keys, more: 'x'.repeat(5200) })],
  ])('is refused, for ten seconds, if its keys %s', async (_, answer) => {
    const { server, host } = serveDocuments()
    host.answer = answerWith(keys)
    const browser = server.browse()
    expect((await browser.visit(target())).status).toBe(302)
    host.answer = (url) => (url === id ? Response.json(keyDocument) : answer())
    server.wait(60)
    host.asked.length = 0
    for (let i = 0; i < 2; i++) {
      const reply = await browser.visit(target())
      expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
    }
    expect(host.asked).toEqual([id, keysUrl])
    host.answer = answerWith(keys)
    server.wait(10)
    expect((await browser.visit(target())).status).toBe(302)
  })

  test('is refused if its host does not answer for the keys in time, as is the host for ten seconds', async () => {
    const { server, host } = serveDocuments({}, undefined, { timeouts: { callback: 0.2 } })
    host.answer = answerWith(keys)
    const other = 'https://claude.example/other.json'
    const browser = server.browse()
    expect((await browser.visit(target())).status).toBe(302)
    server.wait(60)
    host.answer = (url) =>
      url === id ? Response.json(keyDocument) : new Promise<Response>(() => undefined)
    expect((await browser.visit(target())).status).toBe(400)
    host.answer = (url) => Response.json({ ...document, client_id: url })
    expect((await browser.visit(target({ client_id: other }))).status).toBe(400)
    server.wait(10)
    expect((await browser.visit(target({ client_id: other }))).status).toBe(302)
  })
})

describe('a document is refused (I-67.2)', () => {
  const json =
    (over: object): (() => Response) =>
    () =>
      Response.json({ ...document, ...over })
  const raw =
    (body: BodyInit, init: ResponseInit = {}): (() => Response) =>
    () =>
      new Response(body, { headers: { 'content-type': 'application/json' }, ...init })
  const text = JSON.stringify(document)
  test.each<[string, () => Response]>([
    ['of another client', json({ client_id: 'https://claude.example/oauth/other.json' })],
    ['with another spelling of its URL', json({ client_id: `${id}#` })],
    ['without client_id', json({ client_id: undefined })],
    ['with a secret', json({ client_secret: 'kept secret, kept secret, kept secret' })],
    ['with client_secret_expires_at', json({ client_secret_expires_at: 0 })],
    ['with a symmetric method', json({ token_endpoint_auth_method: 'client_secret_post' })],
    [
      'with keys that are private',
      json({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ d: 'x' }] } }),
    ],
    ['without a name', json({ client_name: undefined })],
    ['with an empty name', json({ client_name: ' ' })],
    ['with a long name', json({ client_name: 'x'.repeat(65) })],
    ['with a name in the other direction', json({ client_name: 'Claude \u202e' })],
    ['with a mark of direction', json({ client_name: 'Claude\u061c' })],
    ['with a name that shows nothing', json({ client_name: '\u3164' })],
    ['with a name that ends with a filler', json({ client_name: 'Claude\uffa0' })],
    ['with half a character in its name', json({ client_name: 'Claude\ud800' })],
    ['without redirect URIs', json({ redirect_uris: [] })],
    ['with a redirect URI that runs', json({ redirect_uris: [callback, 'javascript:alert(1)'] })],
    ['with http', json({ redirect_uris: [callback, 'http://claude.example/cb'] })],
    ['with 21 redirect URIs', json({ redirect_uris: Array(21).fill(callback) })],
    ['with a redirect URI that is no text', json({ redirect_uris: [callback, 5] })],
    ['without the grant type', json({ grant_types: ['implicit'] })],
    [
      'with another status',
      raw(text, { status: 201, headers: { 'content-type': 'application/json' } }),
    ],
    ['with a redirect', raw(text, { status: 302, headers: { location: 'https://127.0.0.1/' } })],
    ['of another type', raw(text, { headers: { 'content-type': 'text/html' } })],
    ['that is no object', raw('[]'.padEnd(4).replace('[]', '5 '))],
    ['that is no JSON', raw('{')],
    [
      'that is not UTF-8',
      raw(new Uint8Array([...Buffer.from(text.slice(0, -2)), 0xff, 0x22, 0x7d])),
    ],
    ['of more than 5 KiB', json({ contacts: ['x'.repeat(5200)] })],
  ])('%s', async (_, answer) => {
    const { server, host } = serveDocuments()
    const browser = await browseAs(server)
    expect((await browser.visit(target())).status).toBe(302)
    host.answer = answer
    server.wait(60)
    const reply = await browser.visit(target())
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
  })

  test('a client that offers keys and none is public; a redirect to its device is asked for', async () => {
    const { server, host } = serveDocuments()
    host.answer = json({
      token_endpoint_auth_method: undefined,
      token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
    })
    const browser = await browseAs(server)
    const uri = 'http://localhost:4711/callback'
    const { fields } = await getCode(browser, { client_id: id, redirect_uri: uri })
    expect((await server.post('/oauth/token', fields)).status).toBe(200)
    expect((await visit(browser, target({ redirect_uri: uri }))).status).toBe(200)
    expect((await allow(browser, target())).searchParams.get('code')).not.toBe(null)
  })

  test('a document can have 20 redirect URIs', async () => {
    const { server, host } = serveDocuments()
    host.answer = json({ redirect_uris: Array(20).fill(callback) })
    expect((await server.browse().visit(target())).status).toBe(302)
  })

  test('redirects of a document and of its keys are not followed', async () => {
    const { server, host } = serveDocuments()
    const keys = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }] }
    const method = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: `${id}?keys` }
    host.answer = (url) => Response.json(url === id ? { ...document, ...method } : keys)
    expect((await server.browse().visit(target())).status).toBe(302)
    expect(host.redirects).toEqual(['manual', 'manual'])
  })

  test('a page that waits is refused once the document is', async () => {
    const { server, host } = serveDocuments()
    const browser = await browseAs(server)
    const form = await readForm(await visit(browser, target()))
    host.answer = json({ redirect_uris: ['https://claude.example/new'] })
    server.wait(60)
    const reply = await browser.post('/consent', { ...form, decision: 'allow' })
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
  })
})

describe('the URL of a document', () => {
  test.each([
    id,
    'https://a.b.example/c',
    'https://a.example/c?d=e',
    'https://xn--bcher-kva.example/c',
  ])('%s', (url) => {
    expect(getPublicUrl(url)?.href).toBe(url)
  })

  test.each([
    'http://claude.example/m',
    'https://claude.example',
    'https://claude.example/',
    'https://claude.example/m#f',
    'https://claude.example/a/../m',
    'https://claude.example/./m',
    'https://claude.example/%2e%2e/m',
    'https://user@claude.example/m',
    'https://claude.example:8443/m',
    'https://claude.example:443/m',
    'https://CLAUDE.example/m',
    'https://claude.example./m',
    'https://localhost/m',
    'https://a.localhost/m',
    'https://printer.local/m',
    'https://vault.internal/m',
    'https://metadata/m',
    'https://127.0.0.1/m',
    'https://2130706433/m',
    'https://0x7f.1/m',
    'https://10.0.0.1/m',
    'https://169.254.169.254/latest',
    'https://[::1]/m',
    'https://[::ffff:127.0.0.1]/m',
    'https://1.2.3.4.in-addr.arpa/m',
    `https://claude.example/${'m'.repeat(240)}`,
  ])('not %s: nothing is requested', async (url) => {
    expect(getPublicUrl(url)).toBe(undefined)
    const { server, host } = serveDocuments()
    const reply = await server.browse().visit(target({ client_id: url }))
    expect([reply.status, host.asked]).toEqual([400, []])
  })

  test('hosts can be allowed by the application', async () => {
    const { server, host } = serveDocuments({ allowHost: (name) => name === 'other.example' })
    expect((await server.browse().visit(target())).status).toBe(400)
    expect(host.asked).toEqual([])
  })
})

describe('publicFetch', () => {
  const { key, certificate } = getSelfSigned('DNS:client.example')
  const server = createServer({ key, cert: certificate }, ({ url }, response) => {
    if (url === '/999')
      return void response.socket?.end('HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n')
    response.setHeader('content-type', 'application/json').end('{"a":1}')
  })
  let port = 0
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => void server.close())

  const resolveTo =
    (...addresses: readonly string[]): Parameters<typeof createFetch>[0] =>
    (_name, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )

  test('connects to the address that was checked, and refuses others before it connects', async () => {
    const url = `https://client.example:${port}/m`
    const open = createFetch(resolveTo('127.0.0.1'), () => true, { ca: certificate })
    expect(await (await open(url, {})).json()).toEqual({ a: 1 })
    for (const addresses of [['127.0.0.1'], ['93.184.215.14', '127.0.0.1']]) {
      const strict = createFetch(resolveTo(...addresses), isPublicAddress, { ca: certificate })
      await expect(strict(url, {})).rejects.toThrow('not public')
    }
    const ip = publicFetch({ ca: certificate })
    await expect(ip(`https://127.0.0.1:${port}/m`, {})).rejects.toThrow('not public')
    await expect(ip(`https://[::1]:${port}/m`, {})).rejects.toThrow('not public')
    await expect(ip(`https://localhost:${port}/m`, {})).rejects.toThrow('not public')
  })

  // Thrown in an event, the error would end the process.
  test('a status that no response can have is a failure', async () => {
    const open = createFetch(resolveTo('127.0.0.1'), () => true, { ca: certificate })
    const url = `https://client.example:${port}`
    expect((await open(`${url}/200`, {})).status).toBe(200)
    await expect(open(`${url}/999`, {})).rejects.toThrow(RangeError)
  })

  test('checks the certificate', async () => {
    const open = createFetch(resolveTo('127.0.0.1'), () => true)
    await expect(open(`https://client.example:${port}/m`, {})).rejects.toThrow('certificate')
  })

  test.each(['93.184.215.14', '1.1.1.1', '2606:4700:4700::1111'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'fc00::1',
    'fe80::1',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'name',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

test.each<[string, object]>([
  ['clientDocuments.fetch', {}],
  ['clientDocuments.allowHost', { fetch, allowHost: 'claude.example' }],
  ['clientDocuments.limits.documentsPerClient', { fetch, limits: { documentsPerClient: 5 } }],
  ['clientDocuments.fetsh', { fetch, fetsh: fetch }],
])('%s is refused at the start', (option, options) => {
  expect(() => clientDocuments({ fetch })).not.toThrow()
  expect(() => clientDocuments(options as ClientDocumentsOptions)).toThrow(
    expect.objectContaining({ name: 'ConfigurationError', option }),
  )
})

describe('a client that anyone can name', () => {
  test('gets an error after a sign-in by a link that the user presses (I-65.2)', async () => {
    const { server } = serveDocuments()
    const browser = server.browse()
    const begun = await browser.visit(target({ acr_values: '2fa' }))
    const signInUrl = new URL(begun.headers.get('location') ?? '')
    expect(signInUrl.pathname).toBe('/api/auth/signin')
    await signIn(browser)
    const answer = await browser.visit(signInUrl.searchParams.get('callbackUrl') ?? '')
    const html = await answer.text()
    expect(answer.status).toBe(400)
    expect(html).toContain('error=unmet_authentication_requirements')
    expect(html).toContain('>unmet_authentication_requirements<')
    expect(html).toContain('Continue at claude.example')
    expect(html).not.toContain('http-equiv="refresh"')
  })

  test('is asked for again if its document says later that it refreshes (I-65.8)', async () => {
    const { server, host } = serveDocuments()
    const publish = (...types: readonly string[]): void => {
      host.answer = () => Response.json({ ...document, grant_types: types })
    }
    const redeem = async (code: string): Promise<object> => {
      const fields = { ...first, code }
      return readTokens(await server.post('/oauth/token', fields))
    }
    publish('authorization_code')
    const browser = await browseAs(server)
    const pkce = createPkce()
    const silent = toAuthorize(pkce.challenge, {
      client_id: id,
      redirect_uri: callback,
      prompt: 'none',
    })
    const { fields: first } = await getCode(browser, { client_id: id, redirect_uri: callback })
    expect(await redeem(first['code'] ?? '')).not.toHaveProperty('refresh_token')
    const again = new URL((await browser.visit(silent)).headers.get('location') ?? '')
    expect(again.searchParams.has('code')).toBe(true)
    publish('authorization_code', 'refresh_token')
    server.wait(61)
    const refused = new URL((await browser.visit(silent)).headers.get('location') ?? '')
    expect(refused.searchParams.get('error')).toBe('consent_required')
  })

  test('is fetched again once, however many ask', async () => {
    const { server, host } = serveDocuments({}, { limits: { authorizationsPerClient: false } })
    await server.browse().visit(target())
    server.wait(61)
    const all = await Promise.all(Array.from({ length: 20 }, () => server.browse().visit(target())))
    expect(all.map(({ status }) => status)).toEqual(Array(20).fill(302))
    expect(host.asked).toHaveLength(2)
  })

  test('is counted when its request begins, not at each step of it', async () => {
    const one = { documentsPerClient: { times: 1, window: 600 } }
    const storage = memoryStorage()
    const serveOne = (): TestServer =>
      serve({
        storage,
        clientIp: () => '192.0.2.1',
        server: {
          clientMetadata: clientDocuments({
            fetch: async () => Response.json(document),
            limits: one,
          }),
        },
      })
    const [begins, asks] = [serveOne(), serveOne()]
    const browser = await browseAs(begins)
    const begun = await browser.visit(target())
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const page = await asks.browse().visit(begun.headers.get('location') ?? '', {
      headers: { cookie },
    })
    expect(page.status).toBe(200)
    const other = await begins.browse().visit(target({ client_id: `${id}?v=2` }))
    expect(other.status).toBe(429)
  })

  test('is not fetched without bound for a request that waits', async () => {
    const storage = memoryStorage()
    const { server: begins } = serveDocuments({}, {}, {}, storage)
    const { server: other, host } = serveDocuments({}, {}, {}, storage)
    const browser = await browseAs(begins)
    const asked = await browser.visit(target())
    const headers = { cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') }
    let answer = (): void => undefined
    host.answer = () =>
      new Promise((resolve) => {
        const previous = answer
        answer = () => {
          previous()
          resolve(Response.json(document))
        }
      })
    const send = (): Promise<Response> =>
      other.browse().visit(asked.headers.get('location') ?? '', { headers })
    const all = Promise.all(Array.from({ length: 20 }, send))
    await expect.poll(() => host.asked.length).toBe(5)
    answer()
    const statuses = (await all).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    expect(host.asked).toHaveLength(5)
    expect((await send()).status).toBe(200)
  })

  test('whose assertion names no text is unknown', async () => {
    const { server } = serveDocuments()
    const encode = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url')
    const send = (subject: unknown): Promise<Response> =>
      server.post('/oauth/token', {
        grant_type: 'authorization_code',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: `${encode({ alg: 'ES256' })}.${encode({ sub: subject })}.AAAA`,
      })
    for (const subject of ['x', 5, null])
      expect(await readError(await send(subject))).toEqual([401, 'invalid_client'])
  })
})
