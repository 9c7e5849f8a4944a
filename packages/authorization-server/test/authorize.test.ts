import { memoryStorage } from '@latchkey/core/memory'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import type { Browser } from '@latchkey/testing/browser'
import { expect, describe, test } from 'vitest'
import { getUser, passport, signIn } from '../../core/test/support/service.ts'
import {
  allow,
  browseAs,
  createPkce,
  getCode,
  issuer,
  localClient,
  mail,
  notes,
  origin,
  publicClient,
  readForm,
  readTokens,
  redirectUri,
  serve,
  toAuthorize,
  visit,
} from './support/server.ts'
import type { TestServer } from './support/server.ts'

const { challenge } = createPkce()

describe('an authorization request (I-65)', () => {
  test('asks, and answers with a code, the state and the issuer; what the URI has stays', async () => {
    const server = serve()
    const browser = await browseAs(server)
    const asked = await visit(browser, toAuthorize(challenge))
    const html = await asked.clone().text()
    expect(html).toContain('<bdi>Notes &lt;app&gt;</bdi> asks for access')
    expect(html).toContain('<bdi>client.example</bdi>')
    expect(html).toContain('alice@example.com')
    expect(html).not.toContain('<script')
    expect(asked.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const form = await readForm(asked)
    const reply = await browser.post('/consent', { ...form, decision: 'allow' })
    expect(reply.status).toBe(303)
    const location = reply.headers.get('location') ?? ''
    expect(location.startsWith(`${redirectUri}&`)).toBe(true)
    const answer = new URL(location).searchParams
    expect(answer.get('code')).toMatch(/^[\w-]{22}\.[\w-]{43}$/)
    expect([answer.get('state'), answer.get('iss')]).toEqual(['the state & more', issuer])
  })

  test('is not shown again for what was allowed and used; a code that nobody used allows nothing', async () => {
    const server = serve()
    const browser = await browseAs(server)
    const { verifier, challenge: first } = createPkce()
    const answer = await allow(browser, toAuthorize(first))
    expect((await visit(browser, toAuthorize(challenge))).status).toBe(200)
    const code = answer.searchParams.get('code') ?? ''
    const fields = { grant_type: 'authorization_code', client_id: 'notes-app' }
    const proof = { code, code_verifier: verifier, redirect_uri: redirectUri }
    expect((await server.post('/oauth/token', { ...fields, ...proof })).status).toBe(200)
    const again = await browser.visit(toAuthorize(challenge))
    expect(again.status).toBe(302)
    expect(again.headers.get('location')).toMatch(/^https:\/\/client\.example\/cb.*[?&]code=/)
    const asking = await visit(browser, toAuthorize(challenge, { prompt: 'consent' }))
    expect(asking.status).toBe(200)
    const bob = await browseAs(server, 'bob')
    expect((await visit(bob, toAuthorize(challenge))).status).toBe(200)
  })

  test('survives a sign-in, whose form may not lead to the client: a page of 200 leads on', async () => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = server.browse()
    const first = await browser.visit(toAuthorize(challenge))
    expect(first.headers.get('location')).toMatch(/\/signin\?callbackUrl=/)
    const callbackUrl =
      new URL(first.headers.get('location') ?? '').searchParams.get('callbackUrl') ?? ''
    expect(callbackUrl).toMatch(/^https:\/\/app\.example\/api\/auth\/authorize\?waiting=[\w-]{22}$/)
    const done = await signIn(browser, 'alice', { callbackUrl })
    expect(done.headers.get('location')).toBe(callbackUrl)
    const page = await browser.visit(callbackUrl)
    const html = await page.text()
    expect(page.status).toBe(200)
    const [, url = ''] = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(html) ?? []
    expect(url).toMatch(/^https:\/\/client\.example\/cb\?keep=a\+b&amp;code=/)
    expect(html).toContain(`href="${url}"`)
    // It is answered once.
    expect((await browser.visit(callbackUrl)).status).toBe(400)
  })

  test('is denied by "Not now", by no scope, and by the application', async () => {
    const server = serve()
    for (const over of [{ decision: 'deny' }, { decision: '' }]) {
      const browser = await browseAs(server)
      const form = await readForm(await visit(browser, toAuthorize(challenge)))
      const reply = await browser.post('/consent', { ...form, ...over })
      const answer = new URL(reply.headers.get('location') ?? '').searchParams
      expect([answer.get('error'), answer.get('state'), answer.get('iss')]).toEqual([
        'access_denied',
        'the state & more',
        issuer,
      ])
    }
    const strict = serve({ server: { consent: () => 'denied' } })
    const reply = await (await browseAs(strict)).visit(toAuthorize(challenge))
    expect(new URL(reply.headers.get('location') ?? '').searchParams.get('error')).toBe(
      'access_denied',
    )
  })

  test('a HEAD has no effect', async () => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    const head = await browser.visit(toAuthorize(challenge), { method: 'HEAD' })
    expect([head.status, head.headers.get('location')]).toEqual([200, null])
    const get = await browser.visit(toAuthorize(challenge))
    expect(get.headers.get('location')).toContain('code=')
  })
})

/** Requests of which the client or the redirect URI is wrong. */
const wrongTargets: readonly (readonly [string, Record<string, string | undefined>])[] = [
  ['no client', { client_id: undefined }],
  ['an unknown client', { client_id: 'other' }],
  ['the client of a prototype', { client_id: '__proto__' }],
  ['another host', { redirect_uri: 'https://client.example.evil/cb?keep=a+b' }],
  ['another path', { redirect_uri: 'https://client.example/cb/../evil?keep=a+b' }],
  ['another query', { redirect_uri: `${redirectUri}&more=1` }],
  ['another case', { redirect_uri: 'https://client.example/CB?keep=a+b' }],
  ['another scheme', { redirect_uri: 'http://client.example/cb?keep=a+b' }],
  ['another port', { redirect_uri: 'https://client.example:444/cb?keep=a+b' }],
  ['the default port', { redirect_uri: 'https://client.example:443/cb?keep=a+b' }],
  ['a user', { redirect_uri: 'https://client.example@evil.example/cb?keep=a+b' }],
  ['a fragment', { redirect_uri: `${redirectUri}#` }],
  ['a script', { redirect_uri: 'javascript:alert(1)' }],
  ['a backslash', { redirect_uri: 'https://client.example\\@evil.example/cb?keep=a+b' }],
  ['a space', { redirect_uri: `${redirectUri} ` }],
]

describe('a wrong client or redirect URI is never redirected to (I-65.1)', () => {
  test.each(wrongTargets)('%s', async (_, over) => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    const right = await browser.visit(toAuthorize(challenge))
    expect(right.headers.get('location')).toContain('code=')
    for (const prompt of [undefined, 'none']) {
      const reply = await browser.visit(toAuthorize(challenge, { ...over, prompt }))
      expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
      expect(await reply.text()).not.toContain('evil')
    }
  })

  test.each(['client_id', 'redirect_uri'])('%s given twice', async (name) => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    const target = toAuthorize(challenge)
    const value = new URLSearchParams(target.split('?')[1]).get(name) ?? ''
    const reply = await browser.visit(`${target}&${name}=${encodeURIComponent(value)}`)
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
  })

  test('a client with one registered URI may leave it out; one with several may not', async () => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    const without = { redirect_uri: undefined }
    const reply = await browser.visit(toAuthorize(challenge, without))
    expect(reply.headers.get('location')).toContain('https://client.example/cb')
    const several = toAuthorize(challenge, { ...without, client_id: localClient.id })
    expect((await browser.visit(several)).status).toBe(400)
  })

  test('500 variants of a registered URI are refused', async () => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    const variants = new Set<string>()
    for (let i = 0; i < redirectUri.length; i++) {
      for (const inserted of ['/', '%2e', '@', '\t', 'é', ':', '?', '\\', '.', 'A']) {
        variants.add(redirectUri.slice(0, i) + inserted + redirectUri.slice(i))
        variants.add(redirectUri.slice(0, i) + inserted + redirectUri.slice(i + 1))
      }
    }
    variants.delete(redirectUri)
    expect(variants.size).toBeGreaterThan(500)
    server.wait(60)
    let refused = 0
    for (const variant of variants) {
      if (refused % 50 === 0) server.wait(60)
      const reply = await browser.visit(toAuthorize(challenge, { redirect_uri: variant }))
      expect([variant, reply.status, reply.headers.get('location')]).toEqual([variant, 400, null])
      refused++
    }
  })
})

describe('other errors go to the client (I-65.2)', () => {
  const tooLong = 'x'.repeat(2000)
  test.each<[string, Record<string, string | undefined>, string]>([
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['no method, which means plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a short challenge', { code_challenge: challenge.slice(1) }, 'invalid_request'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['a code and an ID Token', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['the response mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['an unknown resource', { resource: 'https://evil.example/' }, 'invalid_target'],
    ['the scope of another resource', { scope: 'mail:read' }, 'invalid_scope'],
    ['prompt=none beside another one', { prompt: 'none login' }, 'invalid_request'],
    ['a max_age that is no number', { max_age: '-1' }, 'invalid_request'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a request URI', { request_uri: 'https://evil.example/' }, 'request_uri_not_supported'],
    ['a request of more than 2,048 bytes', { nonce: tooLong }, 'invalid_request'],
  ])('%s', async (_, over, error) => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    expect((await browser.visit(toAuthorize(challenge))).headers.get('location')).toContain('code=')
    const reply = await browser.visit(toAuthorize(challenge, over))
    expect(reply.status).toBe(302)
    const answer = new URL(reply.headers.get('location') ?? '').searchParams
    expect([answer.get('error'), answer.get('state'), answer.get('iss')]).toEqual([
      error,
      'the state & more',
      issuer,
    ])
    expect(answer.get('code')).toBe(null)
  })

  test.each([
    ['scope', 'invalid_request'],
    ['state', 'invalid_request'],
    ['code_challenge', 'invalid_request'],
    ['resource', 'invalid_target'],
  ])('%s given twice', async (name, error) => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    const target = `${toAuthorize(challenge)}&${name}=https://api.example/notes`
    const twice = `${target}&${name}=https://api.example/notes`
    const answer = new URL((await browser.visit(twice)).headers.get('location') ?? '').searchParams
    expect(answer.get('error')).toBe(error)
  })

  test('prompt=none shows no page', async () => {
    const target = toAuthorize(challenge, { prompt: 'none' })
    const getError = async (response: Response): Promise<string | null> =>
      new URL(response.headers.get('location') ?? '').searchParams.get('error')
    const server = serve()
    expect(await getError(await server.browse().visit(target))).toBe('login_required')
    const browser = await browseAs(server)
    expect(await getError(await browser.visit(target))).toBe('consent_required')
    server.wait(601)
    expect(await getError(await browser.visit(target))).toBe('interaction_required')
    expect([...browser.cookies.keys()].filter((name) => name.includes('.request.'))).toEqual([])
  })
})

describe('a posted request (OpenID Connect Core 1.0 §3.1.2.1)', () => {
  const form = 'application/x-www-form-urlencoded'
  const post = (server: TestServer, body: string, type = form): Promise<Response> =>
    server.send('/api/auth/authorize', {
      method: 'POST',
      body,
      headers: {
        'content-type': type,
        origin: 'https://client.example',
        'sec-fetch-site': 'cross-site',
      },
    })
  const parameters = toAuthorize(challenge).replace('/authorize?', '')

  test('of another site leads to the request itself, with everything that it has', async () => {
    const server = serve()
    const browser = await browseAs(server)
    const posted = await post(server, `${parameters}&scope=a&scope=b c#d`)
    expect([posted.status, posted.headers.getSetCookie()]).toEqual([303, []])
    const location = posted.headers.get('location') ?? ''
    expect(location).toBe(`${issuer}/authorize?${parameters}&scope=a&scope=b%20c%23d`)
    const answer = new URL((await browser.visit(location)).headers.get('location') ?? '')
    expect(answer.searchParams.get('error')).toBe('invalid_request')
    const once = (await post(server, parameters)).headers.get('location') ?? ''
    expect(await (await visit(browser, once)).text()).toContain('asks for access')
  })

  test.each([
    ['of another type', parameters, 'text/plain', 415],
    ['as JSON', JSON.stringify({ client_id: 'notes-app' }), 'application/json', 415],
    ['with a state that is given twice', `${parameters}&state=2`, form, 400],
    ['that is not UTF-8', `${parameters}&login_hint=%ff`, form, 400],
    ['of more than 2,048 bytes', `${parameters}&x=${'x'.repeat(2048)}`, form, 400],
    ['of more than 64 KiB', `${parameters}&x=${'x'.repeat(65_536)}`, form, 413],
  ])('%s is refused, and leads nowhere', async (_, body, type, status) => {
    const server = serve()
    expect((await post(server, parameters)).status).toBe(303)
    const refused = await post(server, body, type)
    expect([refused.status, refused.headers.get('location')]).toEqual([status, null])
  })
})

describe('who the user is (I-65.5)', () => {
  test('a client that gets a refresh token needs a recent confirmation; one without does not', async () => {
    const once = {
      id: 'once',
      name: 'Once',
      redirectUris: [redirectUri],
      grants: ['authorization_code'],
    } as const
    const server = serve({ server: { consent: () => 'granted', clients: [once, localClient] } })
    const browser = await browseAs(server)
    server.wait(601)
    const target = (client_id: string, uri: string) =>
      toAuthorize(challenge, { client_id, redirect_uri: uri })
    const direct = await browser.visit(target('once', redirectUri))
    expect(direct.headers.get('location')).toContain('code=')
    const asked = await browser.visit(target('local', 'http://127.0.0.1:4711/cb'))
    expect(asked.headers.get('location')).toMatch(/\/signin\?callbackUrl=.*confirm=true/)
  })

  test.each([
    ['prompt=login', { prompt: 'login' }],
    ['max_age=0', { max_age: '0' }],
    ['a max_age that has passed', { max_age: '60' }],
  ])('%s is satisfied by a confirmation after the request, once', async (_, over) => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    const before = await browser.visit(toAuthorize(challenge))
    expect(before.headers.get('location')).toContain('code=')
    server.wait(61)
    const asked = await browser.visit(toAuthorize(challenge, over))
    const url = new URL(asked.headers.get('location') ?? '')
    expect(url.searchParams.get('confirm')).toBe('true')
    const callbackUrl = url.searchParams.get('callbackUrl') ?? ''
    // Without the confirmation it leads to the same page.
    const again = await browser.visit(callbackUrl)
    expect(again.headers.get('location')).toBe(url.href)
    await signIn(browser, 'alice', { confirm: 'true', callbackUrl })
    const done = await browser.visit(callbackUrl)
    expect(await done.text()).toContain('code=')
  })

  test.each([
    ['prompt=login', { prompt: 'login' }],
    ['max_age=0', { max_age: '0' }],
  ])('%s is not satisfied by a sign-in in the same second, before the request', async (_, over) => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    const before = await browser.visit(toAuthorize(challenge))
    expect(before.headers.get('location')).toContain('code=')
    const asked = await browser.visit(toAuthorize(challenge, over))
    expect(asked.headers.get('location')).toMatch(/\/signin\?callbackUrl=.*confirm=true/)
  })

  test('prompt=login is not satisfied by a sign-in for which the provider has not asked again', async () => {
    let age = 0
    const present = passport({
      identify: () => ({ authentication: { authenticatedAt: server.now() - age, methods: [] } }),
    })
    const server: TestServer = serve({
      server: { consent: () => 'granted' },
      config: { providers: [present] },
    })
    const continueAfterSignIn = async (): Promise<Response> => {
      const browser = server.browse()
      const asked = await browser.visit(toAuthorize(challenge, { prompt: 'login' }))
      const url = new URL(asked.headers.get('location') ?? '')
      const callbackUrl = url.searchParams.get('callbackUrl') ?? ''
      await signIn(browser, 'alice', { callbackUrl })
      return browser.visit(callbackUrl)
    }
    expect(await (await continueAfterSignIn()).text()).toContain('code=')
    age = 1
    const asked = await continueAfterSignIn()
    expect(asked.headers.get('location')).toMatch(/\/signin\?callbackUrl=.*confirm=true/)
  })

  test('select_account asks who the user is', async () => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    const asked = await browser.visit(toAuthorize(challenge, { prompt: 'select_account' }))
    const url = new URL(asked.headers.get('location') ?? '')
    expect([url.pathname, url.searchParams.get('confirm')]).toEqual(['/api/auth/signin', null])
    const callbackUrl = url.searchParams.get('callbackUrl') ?? ''
    await signIn(browser, 'bob', { callbackUrl })
    expect(await (await browser.visit(callbackUrl)).text()).toContain('code=')
  })
})

describe('a request that waits (I-65.5)', () => {
  /** Begins a request without a session, and returns the URL of the sign-in page. */
  const begin = async (browser: Browser, over: Record<string, string> = {}): Promise<URL> => {
    const asked = await browser.visit(toAuthorize(challenge, over))
    return new URL(asked.headers.get('location') ?? '')
  }

  test('waits for 30 minutes, and no longer', async () => {
    const server = serve()
    const browser = server.browse()
    const signInUrl = await begin(browser)
    const callbackUrl = signInUrl.searchParams.get('callbackUrl') ?? ''
    server.wait(1799)
    const last = await browser.visit(callbackUrl)
    expect(last.headers.get('location')).toBe(signInUrl.href)
    server.wait(1)
    const late = await browser.visit(callbackUrl)
    expect([late.status, late.headers.get('location')]).toEqual([400, null])
  })

  test('has its login_hint on the sign-in page, also if it is continued', async () => {
    const browser = serve().browse()
    expect((await begin(browser)).searchParams.has('login_hint')).toBe(false)
    const first = await begin(browser, { login_hint: 'alice@example.com' })
    expect(first.searchParams.get('login_hint')).toBe('alice@example.com')
    const again = await browser.visit(first.searchParams.get('callbackUrl') ?? '')
    expect(again.headers.get('location')).toBe(first.href)
  })

  /** Returns a function that puts the cookies of now back into a browser. */
  const keepCookies = (browser: Browser): (() => void) => {
    const kept = [...browser.cookies]
    return () => {
      for (const [name, value] of kept) browser.cookies.set(name, value)
    }
  }

  test('is answered once by the consent page, although the browser still has its cookie', async () => {
    const browser = await browseAs(serve())
    const form = await readForm(await visit(browser, toAuthorize(challenge)))
    const putBack = keepCookies(browser)
    const allowed = { ...form, decision: 'allow' }
    const first = await browser.post('/consent', allowed)
    expect(first.headers.get('location')).toContain('code=')
    putBack()
    const again = await browser.post('/consent', allowed)
    expect([again.status, again.headers.get('location')]).toEqual([400, null])
    expect(await again.text()).not.toContain('code=')
  })

  test('is answered once after a sign-in, although the browser still has its cookie', async () => {
    const browser = serve({ server: { consent: () => 'granted' } }).browse()
    const callbackUrl = (await begin(browser)).searchParams.get('callbackUrl') ?? ''
    await signIn(browser, 'alice', { callbackUrl })
    const putBack = keepCookies(browser)
    expect(await (await browser.visit(callbackUrl)).text()).toContain('code=')
    putBack()
    const again = await browser.visit(callbackUrl)
    expect(again.status).toBe(400)
    expect(await again.text()).not.toContain('code=')
  })

  test('gets no code, and leaves no grant, if the session ends while the grant is stored', async () => {
    const kept = memoryStorage()
    let endSession = async (): Promise<void> => undefined
    const storage = wrapMethods(kept, (method, name) => async (...args) => {
      const result = await method(...args)
      if (name === 'createGrant') await endSession()
      return result
    })
    const server = serve({ storage })
    const browser = await browseAs(server)
    const { id: userId } = await getUser(browser)
    await allow(browser, toAuthorize(challenge))
    const before = await kept.listGrants?.(userId, server.now())
    expect(before).toHaveLength(1)
    const form = await readForm(await visit(browser, toAuthorize(challenge)))
    endSession = async () => {
      const [session] = await server.auth.sessions.list(userId)
      await server.auth.sessions.revoke(userId, session?.id ?? '')
    }
    const reply = await browser.post('/consent', { ...form, decision: 'allow' })
    expect(reply.headers.get('location') ?? '').not.toContain('code=')
    expect(await reply.text()).not.toContain('code=')
    expect(await kept.listGrants?.(userId, server.now())).toEqual(before)
  })
})

describe('the consent (I-65.7, I-65.8)', () => {
  const local = { client_id: localClient.id, redirect_uri: 'http://127.0.0.1:4711/cb' }

  test('an application on the device is always asked for, with a warning', async () => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    for (let i = 0; i < 2; i++) {
      const asked = await visit(browser, toAuthorize(challenge, local))
      const html = await asked.clone().text()
      expect(html).toContain('runs on your own device')
      expect(html).toContain('<bdi>127.0.0.1:4711</bdi>')
      const form = await readForm(asked)
      const reply = await browser.post('/consent', { ...form, decision: 'allow' })
      expect(reply.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:4711\/cb\?code=/)
    }
  })

  test.each([
    ['http://127.0.0.1:4711/cb', 'http://127.0.0.1:4711;'],
    ['com.example.app:/cb', 'com.example.app:;'],
    ['http://[::1]:4711/cb', "form-action 'self' https:;"],
  ])('its form leads to %s', async (redirect_uri, source) => {
    const server = serve()
    const browser = await browseAs(server)
    const asked = await visit(browser, toAuthorize(challenge, { ...local, redirect_uri }))
    expect(asked.headers.get('content-security-policy')).toContain(source)
    const form = await readForm(asked)
    const reply = await browser.post('/consent', { ...form, decision: 'allow' })
    const isIp6 = redirect_uri.includes('[')
    expect(reply.status).toBe(isIp6 ? 200 : 303)
    const text = isIp6 ? await reply.text() : (reply.headers.get('location') ?? '')
    expect(text).toContain(`${redirect_uri}?code=`)
  })

  const elsewhere = 'https://client.example/other'
  test.each<[string, Record<string, string>]>([
    ['another client', { client_id: 'other' }],
    ['another redirect URI of the client', { redirect_uri: elsewhere }],
    ['another resource', { resource: mail }],
    ['a further scope', { scope: 'read write' }],
  ])('is remembered, and not for %s', async (_, over) => {
    const scopes = { read: { en: 'Read' }, write: { en: 'Write' } }
    const redirectUris = [redirectUri, elsewhere]
    const clients = [
      { ...publicClient, redirectUris },
      { id: 'other', name: 'Other', redirectUris },
    ]
    const server = serve({
      server: { clients, resources: { [notes]: { scopes }, [mail]: { scopes } } },
    })
    const browser = await browseAs(server)
    const allowed = { scope: 'read', resource: notes }
    const { fields } = await getCode(browser, allowed)
    await readTokens(await server.post('/oauth/token', fields))
    const ask = async (more: Record<string, string> = {}): Promise<URLSearchParams> => {
      const target = toAuthorize(challenge, { ...allowed, ...more, prompt: 'none' })
      const reply = await browser.visit(target)
      return new URL(reply.headers.get('location') ?? '').searchParams
    }
    expect((await ask()).has('code')).toBe(true)
    const refused = await ask(over)
    expect([refused.get('error'), refused.get('code')]).toEqual(['consent_required', null])
  })

  test('only what is left is granted: required scopes stay, and nothing is added', async () => {
    const server = serve()
    const browser = await browseAs(server)
    const { verifier, challenge: own } = createPkce()
    const asked = await visit(browser, toAuthorize(own))
    const { 'scope:notes:write': write, ...form } = await readForm(asked)
    expect(write).toBe('true')
    const reply = await browser.post('/consent', {
      ...form,
      'scope:mail:read': 'true',
      decision: 'allow',
    })
    const code = new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const fields = { client_id: 'notes-app', code, code_verifier: verifier }
    const tokens = await server.post('/oauth/token', {
      grant_type: 'authorization_code',
      redirect_uri: redirectUri,
      ...fields,
    })
    expect(await tokens.json()).toMatchObject({ scope: 'notes:read' })
  })

  test('required scopes are part of every request, also of one that names no scope', async () => {
    const notesOptions = {
      scopes: { a: { en: 'A' }, b: { en: 'B' } },
      required: ['a'],
      defaults: ['b'],
    }
    const server = serve({ server: { resources: { [notes]: notesOptions } } })
    const browser = await browseAs(server)
    for (const scope of [undefined, 'b']) {
      const { fields } = await getCode(browser, { scope, prompt: 'consent' })
      const reply = await server.post('/oauth/token', fields)
      expect(await reply.json()).toMatchObject({ scope: 'a b' })
    }
  })

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['without the CSRF token', { csrfToken: '' }, {}],
    ['from a page of another origin', {}, { origin: 'https://evil.example' }],
    ['from a page of a trusted origin', {}, { origin: 'https://other.app.example' }],
    ['for another session', { session: 'other' }, {}],
    ['for a request that does not wait', { waiting: 'A'.repeat(22) }, {}],
  ])('%s nothing is granted', async (_, fields, headers) => {
    const config = { trustedOrigins: ['https://other.app.example'] }
    const server = serve({ config })
    const browser = await browseAs(server)
    const form = {
      ...(await readForm(await visit(browser, toAuthorize(challenge)))),
      decision: 'allow',
    }
    const refused = await browser.post('/consent', { ...form, ...fields }, { headers })
    expect(refused.headers.get('location')).toBe(null)
    const right = await browser.post('/consent', form)
    expect(right.headers.get('location')).toContain('code=')
    // The same form again: it is answered once.
    expect((await browser.post('/consent', form)).status).toBe(400)
  })

  test('a page that was shown to one user does not consent for the next one', async () => {
    const server = serve()
    const browser = await browseAs(server)
    const form = await readForm(await visit(browser, toAuthorize(challenge)))
    await signIn(browser, 'bob')
    const csrfToken = await browser.csrfToken()
    const reply = await browser.post('/consent', { ...form, csrfToken, decision: 'allow' })
    expect(await reply.text()).toContain('bob@example.com')
    expect(await server.auth.grants.list('alice')).toEqual([])
  })

  test('the request of one browser does not wait in another one', async () => {
    const server = serve()
    const browser = await browseAs(server)
    const asked = await browser.visit(toAuthorize(challenge))
    const url = asked.headers.get('location') ?? ''
    expect((await browser.visit(url)).status).toBe(200)
    expect((await (await browseAs(server)).visit(url)).status).toBe(400)
  })

  test('at most three requests wait in a browser: the oldest is given up', async () => {
    const server = serve()
    const browser = await browseAs(server)
    const urls: string[] = []
    for (let i = 0; i < 4; i++) {
      const asked = await browser.visit(toAuthorize(challenge, { state: 's'.repeat(900) }))
      urls.push(asked.headers.get('location') ?? '')
    }
    const statuses = await Promise.all(urls.map(async (url) => (await browser.visit(url)).status))
    expect(statuses).toEqual([400, 200, 200, 200])
  })

  test('is in the language of the browser, also the words of the scopes', async () => {
    const { de } = await import('@latchkey/core/languages/de')
    const server = serve({ config: { messages: { de } } })
    const browser = await browseAs(server)
    const asked = await browser.visit(toAuthorize(challenge))
    const url = asked.headers.get('location') ?? ''
    const page = await browser.visit(url, { headers: { 'accept-language': 'de' } })
    expect(await page.text()).toContain('Ihre Notizen lesen')
  })
})

test('without a session the consent page leads to the sign-in page', async () => {
  const server = serve()
  const browser = server.browse()
  const first = await browser.visit(toAuthorize(challenge))
  const callbackUrl = new URL(first.headers.get('location') ?? '').searchParams.get('callbackUrl')
  const id = new URL(callbackUrl ?? '').searchParams.get('waiting')
  const reply = await browser.visit(`/consent?waiting=${id}`)
  expect(reply.headers.get('location')).toBe(first.headers.get('location'))
  expect(origin).toBe(new URL(reply.headers.get('location') ?? '').origin)
})

test('by default an IP address asks 60 times in a minute', async () => {
  const server = serve({ clientIp: () => '192.0.2.1' })
  const ask = async (): Promise<number> =>
    (await server.browse().visit(toAuthorize(challenge))).status
  for (let i = 0; i < 60; i++) expect(await ask()).toBe(302)
  server.wait(59)
  expect(await ask()).toBe(429)
  server.wait(1)
  expect(await ask()).toBe(302)
})

test('limits per IP address refuse with 429', async () => {
  const { auth } = serve({
    server: { limits: { authorizationsPerClient: { times: 1, window: 60 } } },
  })
  const statuses: number[] = []
  for (let i = 0; i < 2; i++) {
    const request = new Request(issuer + toAuthorize(challenge))
    statuses.push((await auth.handle(request, { clientIp: () => '192.0.2.1' })).status)
  }
  expect(statuses).toEqual([302, 429])
})

test('a press that the storage does not store is answered to the client, which can begin again', async () => {
  let isOut = false
  const storage = wrapMethods(memoryStorage(), (method, name) => (...args) => {
    if (isOut && name === 'createGrant') return Promise.reject(new Error('out'))
    return method(...args)
  })
  const server = serve({ storage })
  const browser = await browseAs(server)
  const press = async (): Promise<URL> => {
    const asked = await visit(browser, toAuthorize(createPkce().challenge))
    const form = await readForm(asked)
    const reply = await browser.post('/consent', { ...form, decision: 'allow' })
    expect(reply.status).toBe(303)
    return new URL(reply.headers.get('location') ?? '')
  }
  expect((await press()).searchParams.has('code')).toBe(true)
  isOut = true
  const { searchParams } = await press()
  expect(searchParams.get('error')).toBe('temporarily_unavailable')
  expect(searchParams.get('iss')).toBe(issuer)
  isOut = false
  expect((await press()).searchParams.has('code')).toBe(true)
})

test('a request that a script posts is answered with the URL of its GET (I-6)', async () => {
  const query = toAuthorize(createPkce().challenge).split('?')[1] ?? ''
  const post = async (accept: string): Promise<Response> => {
    const body = new URLSearchParams(query)
    return serve().browse().visit('/authorize', { method: 'POST', body, headers: { accept } })
  }
  const location = (await post('text/html')).headers.get('location') ?? ''
  expect(location.startsWith(`${issuer}/authorize?`)).toBe(true)
  expect(await (await post('application/json')).json()).toEqual({ url: location })
})

test.each(['abc', 'x\u00e9'])(
  'cookies that the service has not set (%s) refuse no request',
  async (name) => {
    const browser = await browseAs(serve())
    const target = toAuthorize(createPkce().challenge)
    expect((await browser.visit(target)).status).toBe(302)
    const others = [1, 2, 3].map((i) => `__Host-latchkey.request.${name}${i}=1`)
    const cookie = [...[...browser.cookies].map((pair) => pair.join('=')), ...others].join('; ')
    expect((await browser.visit(target, { headers: { cookie } })).status).toBe(302)
  },
)
