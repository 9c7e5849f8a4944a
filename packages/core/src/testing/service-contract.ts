import { Browser } from './browser.ts'
import type { Visit } from './browser.ts'
import { equal } from './equal.ts'

/** A service under the contract: one with the configuration of `contract-config`, in some host. */
export interface ContractHost {
  /** The absolute address that the routes are relative to, e.g. `http://localhost:3000/api/auth`. */
  readonly base: string
  /** Sends a request there, without following redirects: `fetch`, or the host's own door. */
  readonly send: (request: Request) => Promise<Response>
}

/** One thing that the service has to do in every host. */
export interface ServiceCase {
  readonly name: string
  /** @throws Error that says what differed */
  readonly run: (host: ContractHost) => Promise<void>
}

/**
 * The REST interface as plain data, for any test framework: what hosts, servers and frameworks could
 * spoil on the way between a client and the service.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { contractConfig } from '@latchkey/core/testing/contract-config'
 *   import { serviceContract } from '@latchkey/core/testing/service-contract'
 *
 *   const { handle } = createAuth(contractConfig({ serviceUrl: 'https://app.example' }))
 *   const host = { base: 'https://app.example/api/auth', send: handle }
 *   for (const { name, run } of serviceContract) {
 *     await run(host)
 *     console.log(`ok: ${name}`)
 *   }
 */
export const serviceContract: readonly ServiceCase[] = [
  contract('GET /session is {} when nobody is signed in', async ({ browser }) => {
    const response = await browser.visit('/session')
    equal([response.status, await response.json()], [200, {}], 'the answer')
    equal(response.headers.get('content-type'), 'application/json; charset=utf-8', 'its type')
    equal(response.headers.getSetCookie(), [], 'cookies')
  }),
  contract('every answer is private and not to be sniffed (I-10)', async ({ browser }) => {
    const paths = ['/session', '/csrf', '/providers', '/signin', '/signout', '/error', '/nowhere']
    for (const path of paths) {
      const { headers } = await browser.visit(path)
      equal(headers.get('cache-control'), 'private, no-store', `cache-control of ${path}`)
      equal(headers.get('x-content-type-options'), 'nosniff', `nosniff of ${path}`)
    }
  }),
  contract('pages come with their policy (I-10)', async ({ browser }) => {
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
    'GET /csrf gives a token and its cookie, and then the same again (I-18)',
    async ({ browser }) => {
      const response = await browser.visit('/csrf')
      const { csrfToken } = (await response.json()) as { csrfToken: string }
      equal(/^[\w-]{43}$/.test(csrfToken), true, 'the token')
      const [line = '', ...others] = response.headers.getSetCookie()
      equal(others, [], 'further cookies')
      equal(/; Path=\/; HttpOnly; (Secure; )?SameSite=Lax$/.test(line), true, line)
      equal(await browser.csrfToken(), csrfToken, 'the second token')
    },
  ),
  contract('GET /providers has absolute addresses', async ({ browser, host }) => {
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
      },
      'the providers',
    )
  }),
  contract('a whole sign-in, with all its cookies', async ({ browser, host }) => {
    const { origin } = new URL(host.base)
    const away = await browser.submit('/signin/passport', { callbackUrl: `${origin}/here?a=1` })
    equal(away.status, 302, 'POST /signin/passport')
    equal(names(browser, 'flow').length, 1, 'flow cookies')
    const back = await browser.visit(away.headers.get('location') ?? '')
    equal(back.status, 302, 'the callback')
    equal(back.headers.get('location'), `${origin}/here?a=1`, 'where it leads')
    // One reply sets the session and deletes the flow: neither line may be lost, nor both be joined.
    equal(back.headers.getSetCookie().length, 2, 'cookies of the callback')
    equal([names(browser, 'flow').length, names(browser, 'session').length], [0, 1], 'cookies kept')
    const session = await browser.json('/session')
    equal((session['user'] as { name: string }).name, 'Person alice', 'the session')
  }),
  contract('query parameters of POST /signin reach the provider', async ({ browser }) => {
    await signIn(browser, 'Zo%C3%AB%26%3D')
    const { user } = (await browser.json('/session')) as { user: { name: string } }
    equal(user.name, 'Person Zoë&=', 'whose session it is')
  }),
  contract('in JSON mode redirects are 200 with their address (I-6)', async ({ browser, host }) => {
    const response = await browser.submit('/signin/passport', { json: 'true' })
    const { url } = (await response.json()) as { url: string }
    equal([response.status, response.headers.get('location')], [200, null], 'the answer')
    equal(url.startsWith(`${host.base}/callback/passport?`), true, url)
    const accept = { headers: { accept: 'application/json' } }
    const accepting = await browser.submit('/signin/passport', {}, accept)
    equal(accepting.status, 200, 'by Accept')
  }),
  contract(
    'sign-out ends the session, and a second one is harmless (I-37)',
    async ({ browser, host }) => {
      const { origin } = new URL(host.base)
      await signIn(browser)
      for (const turn of ['first', 'second']) {
        const response = await browser.submit('/signout', { callbackUrl: `${origin}/bye` })
        equal([response.status, response.headers.get('location')], [302, `${origin}/bye`], turn)
        equal(await browser.json('/session'), {}, `after the ${turn}`)
      }
    },
  ),
  contract('POST /session updates, by form and by JSON', async ({ browser }) => {
    await signIn(browser)
    const data = { text: 'Grüße 😀', list: [1, null, true] }
    const body = JSON.stringify({ csrfToken: await browser.csrfToken(), data })
    const updated = await browser.visit('/session', { ...json, body })
    equal(((await updated.json()) as { note: unknown }).note, data, 'the answer')
    equal((await browser.json('/session'))['note'], data, 'the session')
    const form = await browser.submit('/session')
    equal(((await form.json()) as { note: unknown }).note, null, 'by form, without data')
  }),
  contract(
    'a POST without token, or with another one, does nothing (I-17)',
    async ({ browser }) => {
      await signIn(browser)
      for (const fields of [{}, { csrfToken: 'x'.repeat(43) }]) {
        equal((await browser.post('/signout', fields)).status, 403, 'POST /signout')
      }
      const body = JSON.stringify({ data: 'x' })
      equal((await browser.visit('/session', { ...json, body })).status, 403, 'POST /session')
      equal('user' in (await browser.json('/session')), true, 'still signed in')
    },
  ),
  contract(
    'a POST of another origin does nothing, though its token is right (I-17)',
    async ({ browser }) => {
      const elsewhere: Visit[] = [
        { headers: { origin: 'https://evil.example' } },
        { headers: { origin: 'null' } },
        { headers: { 'sec-fetch-site': 'cross-site' } },
        { headers: { 'sec-fetch-site': 'same-site' } },
      ]
      for (const visit of elsewhere) {
        const { status } = await browser.submit('/signin/passport', {}, visit)
        equal(status, 403, JSON.stringify(visit.headers))
      }
      const { origin } = new URL(browser.base)
      const own = { headers: { origin, 'sec-fetch-site': 'same-origin' } }
      equal((await browser.submit('/signin/passport', {}, own)).status, 302, 'its own origin')
    },
  ),
  contract('a return of nobody’s sign-in is refused', async ({ browser }) => {
    const state = 'x'.repeat(43)
    const response = await browser.visit(`/callback/passport?code=alice&state=${state}`)
    const location = new URL(response.headers.get('location') ?? browser.base)
    equal([response.status, location.searchParams.get('error')], [302, 'OAuthCallback'], 'answer')
    equal(await browser.json('/session'), {}, 'the session')
  }),
  contract('a return works once (I-21)', async ({ browser, host }) => {
    const away = await browser.submit('/signin/passport')
    const back = away.headers.get('location') ?? ''
    const copy = new Browser(host.send, host.base)
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    await browser.visit(back)
    await copy.visit(back)
    equal(await copy.json('/session'), {}, 'the copy')
  }),
  contract(
    'a posted return is sealed into the browser, and its GET acts (I-28)',
    async ({ browser, host }) => {
      const away = await browser.submit('/signin/passport')
      const { searchParams } = new URL(away.headers.get('location') ?? '')
      const posted = await browser.post('/callback/passport', Object.fromEntries(searchParams), {
        crossSite: true,
        headers: { origin: 'https://idp.example', 'sec-fetch-site': 'cross-site' },
      })
      equal(posted.status, 303, 'the POST')
      equal(
        posted.headers.get('location'),
        `${host.base}/callback/passport?return=form`,
        'leads to',
      )
      equal('user' in (await browser.json('/session')), false, 'not yet signed in')
      await browser.visit(posted.headers.get('location') ?? '')
      equal('user' in (await browser.json('/session')), true, 'signed in')
    },
  ),
  contract('a new sign-in ends the session of before (I-34)', async ({ browser, host }) => {
    await signIn(browser, 'alice')
    const copy = new Browser(host.send, host.base)
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    await signIn(browser, 'bob')
    const { user } = (await browser.json('/session')) as { user: { name: string } }
    equal(user.name, 'Person bob', 'whose session it is')
    equal(await copy.json('/session'), {}, 'the session of before')
  }),
  contract(
    'paths are compared raw, exactly, with one trailing slash allowed (I-3)',
    async ({ browser, host }) => {
      const statusOf = async (path: string): Promise<number> =>
        (await browser.visit(host.base + path)).status
      equal(await statusOf('/session/'), 200, 'one trailing slash')
      const others = [
        '',
        '/',
        '//session',
        '/session//',
        '/Session',
        '/%73ession',
        '/session/x',
        '/sessio',
        '/signin/nobody',
        '/signin/passport/x',
        '/signin/__proto__',
      ]
      for (const path of others) equal(await statusOf(path), 404, path || 'the base path itself')
    },
  ),
  contract(
    'other methods of a path are 405 with Allow, CORS is granted to nobody (I-5)',
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
        equal(granted, [], 'CORS')
      }
    },
  ),
  contract('HEAD answers as GET, without body or effect (I-5)', async ({ browser }) => {
    for (const path of ['/session', '/csrf', '/signin', '/providers']) {
      const response = await browser.visit(path, { method: 'HEAD' })
      equal([response.status, await response.text()], [200, ''], path)
      equal(response.headers.getSetCookie(), [], `cookies of ${path}`)
    }
    const away = await browser.submit('/signin/passport')
    const back = away.headers.get('location') ?? ''
    equal((await browser.visit(back, { method: 'HEAD' })).status, 200, 'the callback')
    await browser.visit(back)
    equal('user' in (await browser.json('/session')), true, 'the return still works')
  }),
  contract(
    'bodies of another type are 415, too large ones 413, broken ones 400 (I-9)',
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
      equal(await post(`csrfToken=${csrfToken}&csrfToken=${csrfToken}`, form), 400, 'given twice')
      equal(await post(`csrfToken=${csrfToken}&x=%FF`, form), 400, 'no UTF-8')
      equal(await post('{', 'application/json'), 400, 'no JSON')
      equal(await post(`csrfToken=${csrfToken}`, `${form}; charset=utf-8`), 302, 'as it should be')
    },
  ),
  contract(
    'a session that is too long for one cookie line arrives whole (I-12)',
    async ({ browser }) => {
      await signIn(browser)
      const data = 'x'.repeat(9000)
      const body = JSON.stringify({ csrfToken: await browser.csrfToken(), data })
      equal((await browser.visit('/session', { ...json, body })).status, 200, 'the update')
      equal((await browser.json('/session'))['note'], data, 'what is read')
    },
  ),
  contract('a foreign return address becomes the origin (I-41)', async ({ browser, host }) => {
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
  contract('headers of proxies change nothing (I-2)', async ({ browser, host }) => {
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/evil',
      forwarded: 'host=evil.example;proto=https',
    }
    const { passport } = (await browser.json('/providers', { headers })) as {
      passport?: { signinUrl: string }
    }
    equal(passport?.signinUrl, `${host.base}/signin/passport`, 'the addresses')
  }),
  contract('twenty at once each get their own session', async ({ host }) => {
    const people = Array.from({ length: 20 }, (_, i) => `person-${i}`)
    const seen = await Promise.all(
      people.map(async (person) => {
        const browser = new Browser(host.send, host.base)
        await signIn(browser, person)
        return ((await browser.json('/session'))['user'] as { name: string }).name
      }),
    )
    equal(
      seen,
      people.map((person) => `Person ${person}`),
      'the sessions',
    )
  }),
]

const json: Visit = { method: 'POST', headers: { 'content-type': 'application/json' } }

interface Setting {
  readonly host: ContractHost
  /** A new person's browser. */
  readonly browser: Browser
}

function contract(name: string, run: (setting: Setting) => Promise<void>): ServiceCase {
  return {
    name,
    run: (host) => run({ host, browser: new Browser(host.send, host.base) }),
  }
}

/** @param hint Who signs in, encoded for a query */
async function signIn(browser: Browser, hint = 'alice'): Promise<void> {
  const away = await browser.submit(`/signin/passport?login_hint=${hint}`)
  await browser.visit(away.headers.get('location') ?? '')
}

/** The names of the service's cookies of one kind. */
function names(browser: Browser, kind: string): string[] {
  return [...browser.cookies.keys()].filter((name) => name.includes(`latchkey.${kind}`))
}
