import { Browser } from './browser.ts'
import type { VisitOptions } from './browser.ts'
import { CODES } from './contract-codes.ts'
import { getTrustedOrigin } from './contract-config.ts'
import { createTokenVerifier } from '@latchkey/tokens/verify-token'
import { equal } from './equal.ts'
import { isList, isObject, readMember } from '@latchkey/core/capability/options'
import type { AuthConfig } from '@latchkey/core'

/** A host whose service has the configuration of {@link contractConfig}. */
export interface ContractHost {
  /** The absolute URL that the routes are relative to, e.g. `http://localhost:3000/api/auth`. */
  readonly base: string
  /** Sends a request to the host without following redirects: `fetch`, or the host's own function. */
  readonly send: (request: Request) => Promise<Response>
}

/** One requirement of a service in every host. */
export interface ServiceCase {
  /** The title of the case. */
  readonly name: string
  /** The id of the capability without which the case does not apply. */
  readonly needs?: 'secondFactor' | 'account'
  /**
   * Runs the case.
   *
   * @throws Error with the expected and the actual value
   */
  readonly run: (host: ContractHost) => Promise<void>
}

/**
 * The contract of the REST interface as plain data, for any test framework. Its cases cover what hosts,
 * servers and frameworks could change between a client and the service. {@link getServiceCases} returns the cases of
 * what a service can do.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { contractConfig } from '@latchkey/testing/contract-config'
 *   import { serviceContract } from '@latchkey/testing/service-contract'
 *
 *   const { handle } = createAuth(contractConfig({ serviceUrl: 'https://app.example' }))
 *   const host = { base: 'https://app.example/api/auth', send: handle }
 *   for (const { name, run } of serviceContract) {
 *     await run(host)
 *     console.log(`ok: ${name}`)
 *   }
 */
export const serviceContract: readonly ServiceCase[] = [
  contract('GET /session is {} without a session', async ({ browser }) => {
    const response = await browser.visit('/session')
    equal([response.status, await response.json()], [200, {}], 'the response')
    equal(
      response.headers.get('content-type'),
      'application/json; charset=utf-8',
      'the content type',
    )
    equal(response.headers.getSetCookie(), [], 'cookies')
  }),
  contract(
    'every response has Cache-Control and X-Content-Type-Options (I-10)',
    async ({ browser }) => {
      const paths = ['/session', '/csrf', '/providers', '/signin', '/signout', '/error', '/unknown']
      for (const path of paths) {
        const { headers } = await browser.visit(path)
        equal(headers.get('cache-control'), 'private, no-store', `cache-control of ${path}`)
        equal(headers.get('x-content-type-options'), 'nosniff', `nosniff of ${path}`)
      }
    },
  ),
  contract('pages have a Content-Security-Policy (I-10)', async ({ browser }) => {
    for (const path of ['/signin', '/signout', '/error', '/verify-request']) {
      const response = await browser.visit(path)
      equal(response.headers.get('content-type'), 'text/html; charset=utf-8', `type of ${path}`)
      const policy = response.headers.get('content-security-policy') ?? ''
      equal(policy.includes("default-src 'none'"), true, `policy of ${path}`)
      equal(response.headers.get('referrer-policy'), 'same-origin', `referrer policy of ${path}`)
      equal((await response.text()).startsWith('<!doctype html>'), true, `body of ${path}`)
    }
  }),
  contract(
    'GET /csrf returns a token with its cookie, and the same token again (I-18)',
    async ({ browser }) => {
      const response = await browser.visit('/csrf')
      const csrfToken = String(readMember(await response.json(), 'csrfToken'))
      equal(/^[\w-]{43}$/.test(csrfToken), true, 'the token')
      const [line = '', ...others] = response.headers.getSetCookie()
      equal(others, [], 'additional cookies')
      equal(/; Path=\/; HttpOnly; (Secure; )?SameSite=Lax$/.test(line), true, line)
      equal(await browser.csrfToken(), csrfToken, 'the second token')
    },
  ),
  contract('GET /providers returns absolute URLs', async ({ browser, host }) => {
    equal(
      await browser.json('/providers'),
      {
        passport: {
          id: 'passport',
          name: 'Passport',
          type: 'oauth',
          signinUrl: `${host.base}/signin/passport`,
          callbackUrl: `${host.base}/callback/passport`,
        },
        credentials: {
          id: 'credentials',
          name: 'Credentials',
          type: 'credentials',
          signinUrl: `${host.base}/signin/credentials`,
          callbackUrl: `${host.base}/callback/credentials`,
        },
      },
      'the providers',
    )
  }),
  contract('a sign-in sets a flow cookie, then the session cookie', async ({ browser, host }) => {
    const { origin } = new URL(host.base)
    const began = await browser.submit('/signin/passport', { callbackUrl: `${origin}/here?a=1` })
    equal(began.status, 302, 'POST /signin/passport')
    equal(getCookieNames(browser, 'flow').length, 1, 'flow cookies')
    const finished = await browser.visit(began.headers.get('location') ?? '')
    equal(finished.status, 302, 'the callback')
    equal(finished.headers.get('location'), `${origin}/here?a=1`, 'the return URL')
    // One response sets the session and deletes the flow: two Set-Cookie lines, not one joined line.
    const lines = finished.headers.getSetCookie().filter((line) => /flow|session/.test(line))
    equal(lines.length, 2, 'Set-Cookie of the callback')
    const kinds = ['flow', 'session'].map((kind) => getCookieNames(browser, kind).length)
    equal(kinds, [0, 1], 'flow and session cookies')
    const session = await browser.json('/session')
    const { user } = session
    equal(readMember(user, 'name'), 'Person alice', 'the session')
    equal(typeof readMember(user, 'emailVerified'), 'boolean', 'the type of emailVerified (I-33)')
  }),
  contract('POST /signin passes query parameters to the provider', async ({ browser }) => {
    await signIn(browser, 'Zo%C3%AB%26%3D')
    const { user } = await browser.json('/session')
    equal(readMember(user, 'name'), 'Person Zoë&=', 'the name of the user')
  }),
  contract('JSON mode returns redirects as 200 with the URL (I-6)', async ({ browser, host }) => {
    const response = await browser.submit('/signin/passport', { json: 'true' })
    const url = String(readMember(await response.json(), 'url'))
    equal([response.status, response.headers.get('location')], [200, null], 'the response')
    equal(url.startsWith(`${host.base}/callback/passport?`), true, url)
    const accept = { headers: { accept: 'application/json' } }
    const byHeader = await browser.submit('/signin/passport', {}, accept)
    equal(byHeader.status, 200, 'by Accept')
  }),
  contract('sign-out ends the session and is idempotent (I-37)', async ({ browser, host }) => {
    const { origin } = new URL(host.base)
    await signIn(browser)
    for (const turn of ['first', 'second']) {
      const response = await browser.submit('/signout', { callbackUrl: `${origin}/bye` })
      equal([response.status, response.headers.get('location')], [302, `${origin}/bye`], turn)
      equal(await browser.json('/session'), {}, `the session after the ${turn}`)
    }
  }),
  contract('a session cookie that a late reply restores is invalid (I-37)', async ({ browser }) => {
    await signIn(browser)
    const before = new Map(browser.cookies)
    await browser.submit('/signout')
    for (const [name, value] of before) {
      if (name.endsWith('session')) browser.cookies.set(name, value)
    }
    equal(browser.cookies.size > 2, true, 'the session cookie is back')
    equal(await browser.json('/session'), {}, 'the session')
  }),
  contract('POST /session updates the session, by form and by JSON', async ({ browser }) => {
    await signIn(browser)
    const data = { text: 'Grüße 😀', list: [1, null, true] }
    const body = JSON.stringify({ csrfToken: await browser.csrfToken(), data })
    const updated = await browser.visit('/session', { ...json, body })
    equal(readMember(await updated.json(), 'note'), data, 'the response')
    equal((await browser.json('/session'))['note'], data, 'the session')
    const form = await browser.submit('/session')
    equal(readMember(await form.json(), 'note'), null, 'by form, without data')
  }),
  contract('a POST without the CSRF token is refused (I-17)', async ({ browser }) => {
    await signIn(browser)
    for (const fields of [{}, { csrfToken: 'x'.repeat(43) }]) {
      equal((await browser.post('/signout', fields)).status, 403, 'POST /signout')
    }
    const body = JSON.stringify({ data: 'x' })
    equal((await browser.visit('/session', { ...json, body })).status, 403, 'POST /session')
    equal('user' in (await browser.json('/session')), true, 'signed in')
    equal((await browser.submit('/session', { json: 'true' })).status, 200, 'with its token')
    equal((await browser.submit('/signout')).status, 302, 'POST /signout with its token')
  }),
  contract(
    'a POST from another origin is refused even with the CSRF token (I-17)',
    async ({ browser }) => {
      const foreign: VisitOptions[] = [
        { headers: { origin: 'https://evil.example' } },
        { headers: { origin: 'null' } },
        { headers: { 'sec-fetch-site': 'cross-site' } },
        { headers: { 'sec-fetch-site': 'same-site' } },
      ]
      for (const options of foreign) {
        const { status } = await browser.submit('/signin/passport', {}, options)
        equal(status, 403, JSON.stringify(options.headers))
      }
      const { origin } = new URL(browser.base)
      const own = { headers: { origin, 'sec-fetch-site': 'same-origin' } }
      equal((await browser.submit('/signin/passport', {}, own)).status, 302, "the service's origin")
    },
  ),
  contract(
    'a trusted origin may read, sign in and sign out, and be returned to (I-42)',
    async ({ browser, host }) => {
      const trusted = getTrustedOrigin(host.base)
      const headers = { origin: trusted, 'sec-fetch-site': 'same-site' }
      const granted = [trusted, 'true', 'Origin']
      for (const path of ['/session', '/csrf', '/providers']) {
        equal(getGrant(await browser.visit(path, { headers })), granted, path)
      }
      const fields = { username: 'Zoë', password: 'open sesame', callbackUrl: `${trusted}/here` }
      const fetched = { ...headers, 'sec-fetch-dest': 'empty', 'x-auth-return-redirect': '1' }
      const signed = await browser.submit('/callback/credentials', fields, { headers: fetched })
      equal([signed.status, ...getGrant(signed)], [200, ...granted], 'POST /callback/credentials')
      equal(await signed.json(), { url: `${trusted}/here` }, 'the return URL')
      equal('user' in (await browser.json('/session')), true, 'signed in')
      const linked = await browser.submit('/signin/passport', { link: 'true' }, { headers })
      equal(linked.status, 403, 'link=true')
      const ended = await browser.submit('/signout', { json: 'true' }, { headers })
      equal([ended.status, ...getGrant(ended)], [200, ...granted], 'POST /signout')
      equal(await browser.json('/session'), {}, 'signed out')
    },
  ),
  contract(
    'a preflight is answered only for a trusted origin (I-42)',
    async ({ browser, host }) => {
      const trusted = getTrustedOrigin(host.base)
      const ask = (path: string, headers: Record<string, string>): Promise<Response> => {
        const asked = { 'access-control-request-method': 'POST', ...headers }
        return browser.visit(path, { method: 'OPTIONS', headers: asked })
      }
      for (const path of ['/session', '/signin/passport', '/callback/credentials', '/signout']) {
        const response = await ask(path, { origin: trusted, 'sec-fetch-site': 'same-site' })
        equal([response.status, ...getGrant(response)], [204, trusted, 'true', 'Origin'], path)
        const allowed = response.headers.get('access-control-allow-headers')
        equal(allowed, 'content-type, x-auth-return-redirect', `headers of ${path}`)
        const methods = response.headers.get('access-control-allow-methods') ?? ''
        equal(methods.split(', ').includes('POST'), true, `methods of ${path}`)
      }
      const others = [
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        { origin: 'null' },
        { origin: trusted, 'sec-fetch-site': 'cross-site' },
        { origin: trusted.replace(':4444', ':4445'), 'sec-fetch-site': 'same-site' },
      ]
      for (const headers of others) {
        const response = await ask('/session', headers)
        const refused = [405, null, null, 'Origin']
        equal([response.status, ...getGrant(response)], refused, JSON.stringify(headers))
      }
      equal((await ask('/error', { origin: trusted })).status, 405, 'a page')
      equal((await ask('/callback/passport', { origin: trusted })).status, 405, 'a callback')
    },
  ),
  contract(
    'POST /token issues a token that GET /jwks verifies (I-47)',
    async ({ browser, host }) => {
      equal((await browser.submit('/token')).status, 401, 'without a session')
      await signIn(browser)
      equal((await browser.post('/token', {})).status, 403, 'without the CSRF token')
      equal((await browser.visit('/token')).status, 405, 'GET')
      const issued: unknown = await (await browser.submit('/token')).json()
      const [token = '', expires = ''] = [
        readMember(issued, 'token'),
        readMember(issued, 'expires'),
      ].map(String)
      const published = await browser.visit('/jwks')
      equal(published.headers.get('cache-control'), 'public, max-age=600', 'Cache-Control of /jwks')
      equal(published.headers.getSetCookie(), [], 'cookies of /jwks')
      const keys = readMember(await published.json(), 'keys')
      const jwks = { keys: isList(keys) ? keys.filter(isObject) : [] }
      const members = jwks.keys.map((key) => Object.keys(key).toSorted().join(' '))
      equal(members, ['alg crv kid kty use x', 'alg crv kid kty use x y'], 'the keys')
      const audience = 'https://api.example'
      const verify = createTokenVerifier({ issuer: host.base, audience, jwks })
      const claims = await verify(token)
      equal([claims.aud, claims['name']], [audience, 'Person alice'], 'the claims')
      const { user } = await browser.json('/session')
      equal(claims.sub, readMember(user, 'id'), 'the subject')
      equal([claims.exp * 1000, claims.exp - claims.iat], [Date.parse(expires), 300], 'the times')
    },
  ),
  contract('a callback without a flow is refused', async ({ browser: other, host }) => {
    const began = await other.submit('/signin/passport')
    const callback = began.headers.get('location') ?? ''
    const browser = new Browser(host.send, host.base)
    const response = await browser.visit(callback)
    const location = new URL(response.headers.get('location') ?? browser.base)
    equal(
      [response.status, location.searchParams.get('error')],
      [302, 'OAuthCallback'],
      'the response',
    )
    equal(await browser.json('/session'), {}, 'the session')
    await other.visit(callback)
    equal('user' in (await other.json('/session')), true, 'signed in with the flow')
  }),
  contract('a callback works once (I-21)', async ({ browser, host }) => {
    const began = await browser.submit('/signin/passport')
    const callback = began.headers.get('location') ?? ''
    const copy = copyBrowser(browser, host)
    await browser.visit(callback)
    equal('user' in (await browser.json('/session')), true, 'signed in by the first callback')
    await copy.visit(callback)
    equal(await copy.json('/session'), {}, 'the session of the second callback')
  }),
  contract(
    'a form post is sealed into a cookie, and a GET completes it (I-28)',
    async ({ browser, host }) => {
      const began = await browser.submit('/signin/passport')
      const { searchParams } = new URL(began.headers.get('location') ?? '')
      const posted = await browser.post('/callback/passport', Object.fromEntries(searchParams), {
        crossSite: true,
        headers: { origin: 'https://idp.example', 'sec-fetch-site': 'cross-site' },
      })
      equal(posted.status, 303, 'the POST')
      equal(
        posted.headers.get('location'),
        `${host.base}/callback/passport?return=form`,
        'the redirect',
      )
      equal('user' in (await browser.json('/session')), false, 'signed in by the POST')
      await browser.visit(posted.headers.get('location') ?? '')
      equal('user' in (await browser.json('/session')), true, 'signed in by the GET')
    },
  ),
  contract(
    'credentials sign in by POST /callback/credentials, only with the CSRF token (I-43)',
    async ({ browser, host }) => {
      const { origin } = new URL(host.base)
      const fields = { username: 'Zoë & co', password: 'open sesame', json: 'true' }
      const post = async (given: Record<string, string>): Promise<readonly unknown[]> => {
        const response = await browser.submit('/callback/credentials', given)
        const body: unknown = await response.json()
        return [response.status, readMember(body, 'error'), readMember(body, 'url')]
      }
      const refused = `${host.base}/signin?error=CredentialsSignin`
      const wrong = { ...fields, password: 'open sesam' }
      equal(await post(wrong), [401, 'CredentialsSignin', refused], 'a wrong password')
      const bare = await browser.post('/callback/credentials', fields)
      equal(bare.status, 403, 'without the CSRF token')
      equal(await browser.json('/session'), {}, 'the session after refusals')
      const callbackUrl = `${origin}/here?a=1`
      equal(await post({ ...fields, callbackUrl }), [200, undefined, callbackUrl], 'the sign-in')
      const { user } = await browser.json('/session')
      equal(
        [readMember(user, 'id'), readMember(user, 'name')],
        ['id-of-Zoë & co', 'Person Zoë & co'],
        'the user',
      )
    },
  ),
  contract('a new sign-in ends the previous session (I-34)', async ({ browser, host }) => {
    await signIn(browser, 'alice')
    const copy = copyBrowser(browser, host)
    await signIn(browser, 'bob')
    const { user } = await browser.json('/session')
    equal(readMember(user, 'name'), 'Person bob', 'the name of the user')
    equal(await copy.json('/session'), {}, 'the previous session')
  }),
  contract(
    'paths are compared raw, exactly, with one trailing slash allowed (I-3)',
    async ({ browser, host }) => {
      const getStatus = async (path: string): Promise<number> =>
        (await browser.visit(host.base + path)).status
      equal(await getStatus('/session/'), 200, 'one trailing slash')
      const others = [
        '',
        '/',
        '//session',
        '/session//',
        '/Session',
        '/%73ession',
        '/session/x',
        '/sessio',
        '/signin/unknown',
        '/signin/passport/x',
        '/signin/__proto__',
      ]
      for (const path of others) equal(await getStatus(path), 404, path || 'the base path itself')
    },
  ),
  contract(
    'other methods are 405 with Allow, and no CORS header is sent (I-5)',
    async ({ browser }) => {
      const rows = [
        ['/session', 'DELETE', 'GET, HEAD, POST'],
        ['/csrf', 'POST', 'GET, HEAD'],
        ['/signin/passport', 'PUT', 'GET, HEAD, POST'],
        ['/signout', 'OPTIONS', 'GET, HEAD, POST'],
      ] as const
      for (const [path, method, allow] of rows) {
        const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
        const response = await browser.visit(path, { method, headers })
        equal([response.status, response.headers.get('allow')], [405, allow], `${method} ${path}`)
        const granted = [...response.headers.keys()].filter((name) =>
          name.startsWith('access-control'),
        )
        equal(granted, [], `CORS headers of ${method} ${path}`)
      }
    },
  ),
  contract('HEAD responds like GET, without body or effect (I-5)', async ({ browser }) => {
    for (const path of ['/session', '/csrf', '/signin', '/providers']) {
      const response = await browser.visit(path, { method: 'HEAD' })
      equal([response.status, await response.text()], [200, ''], path)
      equal(response.headers.getSetCookie(), [], `cookies of ${path}`)
    }
    const began = await browser.submit('/signin/passport')
    const callback = began.headers.get('location') ?? ''
    equal((await browser.visit(callback, { method: 'HEAD' })).status, 200, 'the callback')
    await browser.visit(callback)
    equal('user' in (await browser.json('/session')), true, 'signed in after HEAD and GET')
  }),
  contract(
    'a body of another type is 415, a large one 413, an invalid one 400 (I-9)',
    async ({ browser }) => {
      const csrfToken = await browser.csrfToken()
      const post = async (body: BodyInit, type: string): Promise<number> => {
        const headers = { 'content-type': type }
        return (await browser.visit('/signout', { method: 'POST', headers, body })).status
      }
      const form = 'application/x-www-form-urlencoded'
      equal(await post('x', 'text/plain'), 415, 'text/plain')
      equal(
        await post(`csrfToken=${csrfToken}`, 'multipart/form-data; boundary=x'),
        415,
        'multipart',
      )
      equal(await post(`csrfToken=${csrfToken}&x=${'y'.repeat(70_000)}`, form), 413, 'too large')
      equal(
        await post(`csrfToken=${csrfToken}&csrfToken=${csrfToken}`, form),
        400,
        'a repeated field',
      )
      equal(await post(`csrfToken=${csrfToken}&x=%FF`, form), 400, 'not UTF-8')
      equal(await post('{', 'application/json'), 400, 'not JSON')
      equal(await post(`csrfToken=${csrfToken}`, `${form}; charset=utf-8`), 302, 'a valid body')
    },
  ),
  contract('a session larger than one cookie is split (I-12)', async ({ browser }) => {
    await signIn(browser)
    const data = 'x'.repeat(6000)
    const body = JSON.stringify({ csrfToken: await browser.csrfToken(), data })
    equal((await browser.visit('/session', { ...json, body })).status, 200, 'the update')
    equal((await browser.json('/session'))['note'], data, 'the session')
  }),
  contract('a foreign return URL becomes the origin (I-41)', async ({ browser, host }) => {
    const { origin } = new URL(host.base)
    const foreign = [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
    ]
    for (const callbackUrl of foreign) {
      const response = await browser.submit('/signout', { callbackUrl })
      equal(response.headers.get('location')?.replace(/\/$/, ''), origin, callbackUrl)
    }
    const own = await browser.submit('/signout', { callbackUrl: '/settings' })
    equal(own.headers.get('location'), `${origin}/settings`, 'a path')
  }),
  contract('proxy headers are ignored (I-2)', async ({ browser, host }) => {
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/evil',
      forwarded: 'host=evil.example;proto=https',
    }
    const { passport } = await browser.json('/providers', { headers })
    equal(readMember(passport, 'signinUrl'), `${host.base}/signin/passport`, 'signinUrl')
  }),
  contract('twenty concurrent sign-ins each get their own session', async ({ host }) => {
    const users = Array.from({ length: 20 }, (_, i) => `user-${i}`)
    const seen = await Promise.all(
      users.map(async (user) => {
        const browser = new Browser(host.send, host.base)
        await signIn(browser, user)
        return readMember((await browser.json('/session'))['user'], 'name')
      }),
    )
    equal(
      seen,
      users.map((user) => `Person ${user}`),
      'the sessions',
    )
  }),
  {
    ...contract(
      'a user with a second factor is asked, and signs in with a code (I-52)',
      async ({ browser, host }) => {
        const fields = { username: crypto.randomUUID(), password: 'open sesame' }
        await browser.submit('/callback/credentials', fields)
        const secret = await enrolCodes(browser)

        const other = new Browser(host.send, host.base)
        const callbackUrl = `${new URL(host.base).origin}/here?a=1`
        const asked = await other.submit('/callback/credentials', { ...fields, callbackUrl })
        const page = `${host.base}/signin?second=true`
        equal([asked.status, asked.headers.get('location')], [302, page], 'the first factor')
        equal(await other.json('/session'), {}, 'the session before the code')
        const used = await other.submit(`/signin/${CODES}`, { code: `${secret}-1` })
        equal(used.status, 401, 'a code that was used')
        const proven = await other.submit(`/signin/${CODES}`, { code: `${secret}-2` })
        const led = [proven.status, proven.headers.get('location')]
        equal(led, [302, callbackUrl], 'the second factor')
        const { user } = await other.json('/session')
        equal(readMember(user, 'id'), `id-of-${fields.username}`, 'the user')
      },
    ),
    needs: 'secondFactor',
  },
  {
    ...contract('the account page changes the name of its user (I-54)', async ({ browser }) => {
      await signIn(browser, crypto.randomUUID())
      const changed = await browser.submit('/account', { action: 'changeName', name: 'Ada' })
      equal(changed.status, 303, 'the form')
      const shown = await browser.visit(changed.headers.get('location') ?? '')
      equal([shown.status, shown.headers.get('content-type')], [200, HTML], 'the page')
      const account = await browser.json('/account', { headers: { accept: 'application/json' } })
      equal(readMember(account['user'], 'name'), 'Ada', 'the name')
    }),
    needs: 'account',
  },
]

const HTML = 'text/html; charset=utf-8'

/**
 * Returns the cases of what the service of a configuration can do.
 *
 * @param config What {@link contractConfig} returned
 */
export function getServiceCases(config: Pick<AuthConfig, 'use'>): readonly ServiceCase[] {
  const ids = config.use?.map(({ id }) => id)
  return serviceContract.filter(({ needs }) => needs === undefined || ids?.includes(needs))
}

const json: VisitOptions = { method: 'POST', headers: { 'content-type': 'application/json' } }

interface CaseContext {
  readonly host: ContractHost
  /** A browser without cookies. */
  readonly browser: Browser
}

function contract(name: string, run: (context: CaseContext) => Promise<void>): ServiceCase {
  return {
    name,
    run: (host) => run({ host, browser: new Browser(host.send, host.base) }),
  }
}

/**
 * Signs a user in.
 *
 * @param hint The user's name, percent-encoded
 */
async function signIn(browser: Browser, hint = 'alice'): Promise<void> {
  const began = await browser.submit(`/signin/passport?login_hint=${hint}`)
  await browser.visit(began.headers.get('location') ?? '')
}

/** Enrols the second factor of the contract in a session, with its first code, and returns the secret of its codes. */
async function enrolCodes(browser: Browser): Promise<string> {
  await browser.submit(`/signin/${CODES}`, { link: 'true' })
  const html = await (await browser.visit('/signin?second=true')).text()
  const [, secret = ''] = /secret=(\d+)/.exec(html) ?? []
  const enrolled = await browser.submit(`/signin/${CODES}`, { code: `${secret}-1` })
  equal(enrolled.status, 302, 'the enrolment')
  return secret
}

/** Returns a second browser with the same cookies. */
function copyBrowser(browser: Browser, host: ContractHost): Browser {
  const copy = new Browser(host.send, host.base)
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
  return copy
}

/** Returns the headers of a CORS grant. Frameworks add their own names to `Vary`. */
function getGrant({ headers }: Response): readonly (string | null)[] {
  const names = ['access-control-allow-origin', 'access-control-allow-credentials']
  const vary = headers.get('vary')?.split(/, */) ?? []
  return [...names.map((name) => headers.get(name)), vary.find((name) => name === 'Origin') ?? null]
}

/** Returns the names of the service's cookies of one kind. */
function getCookieNames(browser: Browser, kind: string): string[] {
  return [...browser.cookies.keys()].filter((name) => name.includes(`latchkey.${kind}`))
}
