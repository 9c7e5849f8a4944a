import { describe, expect, test } from 'vitest'
import type { Auth } from '@latchkey/core'
import { getCsrfToken, signIn, signOut, updateSession } from '@latchkey/core/forms'
import type { FormOptions, FormReply } from '@latchkey/core/forms'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import type { Browser } from '@latchkey/testing/browser'
import {
  applyCookies,
  base,
  createPageRequest,
  getUser,
  idp,
  origin,
  passport,
  serve,
  signIn as signInBrowser,
  toCallbackUrl,
  toCookieHeader,
} from './support/service.ts'
import type { TestService } from './support/service.ts'

const trusted = 'https://other.app.example'
const own = { origin, 'sec-fetch-site': 'same-origin' }

const members = credentials({
  fields: { username: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
  authorize: ({ username, password }) =>
    password === 'right' ? { id: `id-of-${username}`, name: username } : null,
})

/** Starts a service whose application has forms. */
function start(): TestService<{ readonly note: unknown }> {
  return serve({
    providers: [passport(), members],
    storage: memoryStorage(),
    trustedOrigins: [trusted],
    session: { update: ({ token, data }) => ({ ...token, note: data }) },
    callbacks: {
      session: ({ session, token }) => ({ ...session, note: 'note' in token ? token.note : null }),
    },
  })
}

type Init = { readonly method?: string; readonly headers?: Readonly<Record<string, string>> }

/** Creates the request of a form action, which the page of the application has posted. */
function createAction(
  browser: Browser,
  fields?: Readonly<Record<string, string>>,
  init: Init = {},
) {
  const { method = 'POST', headers = own } = init
  const cookie = toCookieHeader(browser)
  const body = method === 'POST' && fields ? new URLSearchParams(fields) : null
  return new Request(`${origin}/page?/act`, { method, headers: { cookie, ...headers }, body })
}

/** Creates the fields of a form of this browser, whose page has read the CSRF token. */
async function prepare(auth: Auth<unknown>, browser: Browser) {
  const { csrfToken, headers } = await getCsrfToken(auth, createPageRequest(browser))
  applyCookies(browser, headers)
  return { csrfToken }
}

describe('getCsrfToken(auth, request)', () => {
  test('returns the token of the browser, with its cookie if it is new (I-18)', async () => {
    const { auth, browse } = start()
    const browser = browse()
    const { csrfToken, headers } = await getCsrfToken(auth, createPageRequest(browser))
    expect(csrfToken).toMatch(/^[\w-]{43}$/)
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^__Host-latchkey\\.csrf=${csrfToken}\\.[\\w-]{43}; Path=/; HttpOnly; Secure; SameSite=Lax$`,
        ),
      ),
    ])
    applyCookies(browser, headers)
    const again = await getCsrfToken(auth, createPageRequest(browser))
    expect([again.csrfToken, [...again.headers]]).toEqual([csrfToken, []])
    expect(await browser.csrfToken()).toBe(csrfToken)
  })
})

describe('a form action that passes the checks', () => {
  test('signs in at a provider, which the callback completes', async () => {
    const { auth, browse } = start()
    const browser = browse()
    const request = createAction(browser, await prepare(auth, browser))
    // The cookies were set after the request was created: a browser sends them.
    request.headers.set('cookie', toCookieHeader(browser))
    const options = { callbackUrl: '/account', params: { login_hint: 'alice' } }
    const reply = await signIn(auth, request, 'passport', options)
    expect(reply).toMatchObject({ ok: true, url: expect.stringContaining(`${idp}/authorize?`) })
    expect(new URL(reply.url).searchParams.get('login_hint')).toBe('alice')
    expect(reply.headers.get('cache-control')).toBe('private, no-store')
    applyCookies(browser, reply.headers)
    const returned = await browser.visit(toCallbackUrl(new URL(reply.url), 'alice'))
    expect(returned.headers.get('location')).toBe(`${origin}/account`)
    expect((await getUser(browser)).name).toBe('Person alice')
  })

  test('signs in by credentials, of a form that is read or was read already', async () => {
    const { auth, browse } = start()
    for (const isRead of [false, true]) {
      const browser = browse()
      const typed = { username: 'zoe', password: 'right', callbackUrl: '/here' }
      const fields = { ...(await prepare(auth, browser)), ...typed }
      const request = createAction(browser, fields)
      const form = isRead ? { form: await request.formData() } : {}
      const reply = await signIn(auth, request, 'credentials', form)
      expect(reply).toMatchObject({ ok: true, url: `${origin}/here` })
      applyCookies(browser, reply.headers)
      expect((await getUser(browser)).id).toBe('id-of-zoe')
    }
  })

  test('replies with the error that the route has', async () => {
    const { auth, browse } = start()
    const browser = browse()
    const typed = { username: 'zoe', password: 'wrong' }
    const request = createAction(browser, { ...(await prepare(auth, browser)), ...typed })
    expect(await signIn(auth, request, 'credentials')).toMatchObject({
      ok: false,
      error: 'CredentialsSignin',
      status: 401,
      message: expect.stringMatching(/\w/),
      url: `${base}/signin?error=CredentialsSignin`,
    })
  })

  test('signs out, without Fetch Metadata too', async () => {
    const { auth, browse } = start()
    const browser = browse()
    await signInBrowser(browser)
    const fields = await prepare(auth, browser)
    const request = createAction(browser, fields, { headers: { origin } })
    const reply = await signOut(auth, request, { callbackUrl: '/bye' })
    expect(reply).toMatchObject({ ok: true, url: `${origin}/bye` })
    applyCookies(browser, reply.headers)
    expect(await browser.json('/session')).toEqual({})
  })

  test('updates the session', async () => {
    const { auth, browse } = start()
    const browser = browse()
    await signInBrowser(browser)
    const request = createAction(browser, await prepare(auth, browser))
    const reply = await updateSession(auth, request, { data: { theme: 'dark' } })
    expect(reply).toMatchObject({ ok: true, session: { note: { theme: 'dark' } } })
    applyCookies(browser, reply.headers)
    expect((await browser.json('/session'))['note']).toEqual({ theme: 'dark' })
  })

  test('updates nothing without a session', async () => {
    const { auth, browse } = start()
    const browser = browse()
    const request = createAction(browser, await prepare(auth, browser))
    expect(await updateSession(auth, request, { data: 1 })).toMatchObject({ session: null })
  })

  test('counts for the limits of its client (I-32)', async () => {
    const { auth, browse } = serve({ limits: { startsPerClient: { times: 1, window: 60 } } })
    const browser = browse()
    const fields = await prepare(auth, browser)
    const post = (): Promise<FormReply> =>
      signIn(auth, createAction(browser, fields), 'passport', { clientIp: () => '192.0.2.1' })
    expect(await post()).toMatchObject({ ok: true })
    expect(await post()).toMatchObject({ ok: false, error: 'RateLimited', status: 429 })
  })
})

/** What differs from a form action that passes. */
interface Fault extends Init {
  readonly name: string
  readonly fields?: Readonly<Record<string, string | undefined>>
  readonly drop?: 'cookie'
}

const faults: readonly Fault[] = [
  { name: 'another origin', headers: { origin: 'https://evil.example' } },
  { name: 'the origin null', headers: { origin: 'null', 'sec-fetch-site': 'same-origin' } },
  { name: 'no origin', headers: { 'sec-fetch-site': 'same-origin' } },
  { name: 'no origin and no Fetch Metadata', headers: {} },
  { name: 'a trusted origin', headers: { origin: trusted, 'sec-fetch-site': 'same-site' } },
  { name: 'a trusted origin without Fetch Metadata', headers: { origin: trusted } },
  { name: 'the same host on another port', headers: { origin: `${origin}:444` } },
  {
    name: 'another origin that X-Forwarded-Host names',
    headers: { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
  },
  ...['cross-site', 'same-site', 'none'].map((site) => ({
    name: `Sec-Fetch-Site: ${site}`,
    headers: { origin, 'sec-fetch-site': site },
  })),
  { name: 'GET', method: 'GET' },
  { name: 'PUT', method: 'PUT' },
  { name: 'a missing field', fields: { csrfToken: undefined } },
  { name: 'an empty field', fields: { csrfToken: '' } },
  { name: 'another field', fields: { csrfToken: 'x'.repeat(43) } },
  { name: 'a missing cookie', drop: 'cookie' },
]

const noFault: Fault = { name: 'no fault' }

type Act = (auth: Auth<unknown>, request: Request, form: FormOptions) => Promise<unknown>

const acts: Readonly<Record<string, Act>> = {
  signIn: (auth, request, form) => signIn(auth, request, 'passport', form),
  'signIn with credentials': (auth, request, form) => signIn(auth, request, 'credentials', form),
  signOut,
  updateSession: (auth, request, form) =>
    updateSession(auth, request, { ...form, data: 'changed' }),
}

describe.each(Object.entries(acts))('%s is refused (I-17)', (_, act) => {
  /** Acts in a browser with a session, and returns the reply and what has changed. */
  async function attempt({ fields = {}, drop, ...init }: Fault) {
    const { auth, browse, lines } = start()
    const browser = browse()
    await signInBrowser(browser)
    const typed = { username: 'zoe', password: 'right', ...(await prepare(auth, browser)) }
    const before = await browser.json('/session')
    const sent = new URLSearchParams(typed)
    const form = new FormData()
    for (const [name, value] of Object.entries({ ...typed, ...fields })) {
      if (value !== undefined) form.append(name, value)
    }
    if (drop) browser.cookies.delete('__Host-latchkey.csrf')
    const request = createAction(browser, Object.fromEntries(sent), init)
    const reply = (await act(auth, request, { form })) as FormReply
    return { reply, lines, before, after: await browser.json('/session'), browser }
  }

  test('no fault: it succeeds', async () => {
    const { reply } = await attempt(noFault)
    expect(reply.ok).toBe(true)
    expect(reply.headers.getSetCookie()).not.toEqual([])
  })

  test.each(faults)('$name: no cookie is set, and nothing happens', async (fault) => {
    const { reply, lines, before, after } = await attempt(fault)
    expect(reply).toMatchObject({ ok: false, error: 'Csrf', status: 403 })
    expect([...reply.headers]).toEqual([])
    expect(after).toEqual(before)
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        details: expect.objectContaining({ error: 'Csrf', method: 'POST' }),
      }),
    ])
  })
})

describe('a form action', () => {
  test.each(['link', 'confirm', 'second'])('does not offer the field %s', async (name) => {
    const { auth, browse } = start()
    const browser = browse()
    await signInBrowser(browser)
    const fields = { ...(await prepare(auth, browser)), [name]: 'true' }
    const reply = await signIn(auth, createAction(browser, fields), 'passport')
    expect(reply).toMatchObject({ ok: false, error: 'Default', status: 400 })
    expect([...reply.headers]).toEqual([])
  })

  test('passes on only the fields of the provider, and no file', async () => {
    const { auth, browse } = start()
    const browser = browse()
    const form = new FormData()
    const typed = { username: 'zoe', password: 'right' }
    for (const [name, value] of Object.entries({ ...(await prepare(auth, browser)), ...typed })) {
      form.append(name, value)
    }
    // Frameworks add their own fields; a route refuses more than 100 fields (I-9).
    for (let i = 0; i < 100; i++) form.append(`$ACTION_${i}`, 'x')
    const request = createAction(browser)
    expect(await signIn(auth, request, 'credentials', { form })).toMatchObject({ ok: true })
    form.set('password', new Blob(['right']))
    expect(await signIn(auth, request, 'credentials', { form })).toMatchObject({
      ok: false,
      error: 'CredentialsSignin',
    })
  })

  test('refuses a body as the routes do (I-9)', async () => {
    const { auth, browse } = start()
    const browser = browse()
    const { csrfToken } = await prepare(auth, browser)
    const post = async (body: string, type = 'application/x-www-form-urlencoded') => {
      const headers = { ...own, cookie: toCookieHeader(browser), 'content-type': type }
      const init = { method: 'POST', headers, body }
      const reply = await signOut(auth, new Request(`${origin}/page`, init))
      return reply.ok ? 200 : reply.status
    }
    expect(await post(`csrfToken=${csrfToken}`)).toBe(200)
    expect(await post(`csrfToken=${csrfToken}&csrfToken=${csrfToken}`)).toBe(400)
    expect(await post(`csrfToken=${csrfToken}&x=${'y'.repeat(70_000)}`)).toBe(413)
    expect(await post(`csrfToken=${csrfToken}`, 'text/plain')).toBe(415)
  })

  test('refuses a field that a read form has twice (I-9)', async () => {
    const { auth, browse } = start()
    const browser = browse()
    const { csrfToken } = await prepare(auth, browser)
    const form = new FormData()
    form.append('csrfToken', csrfToken)
    expect(await signOut(auth, createAction(browser), { form })).toMatchObject({ ok: true })
    form.append('csrfToken', csrfToken)
    for (const act of [signOut, updateSession] as const) {
      const reply = await act(auth, createAction(browser), { form })
      expect(reply).toMatchObject({ ok: false, status: 400 })
    }
  })

  test('of an unknown provider is a mistake of the application', async () => {
    const { auth, browse } = start()
    const browser = browse()
    const fields = await prepare(auth, browser)
    for (const id of ['unknown', '..', '../signout', '__proto__']) {
      const request = createAction(browser, fields)
      await expect(signIn(auth, request, id)).rejects.toThrow(`signIn: no provider is "${id}"`)
    }
  })

  test('replies if the storage fails, and deletes the session cookie (I-37)', async () => {
    const storage = memoryStorage()
    let isBroken = false
    const broken = new Proxy(storage, {
      get: (target, name, receiver) => {
        const member: unknown = Reflect.get(target, name, receiver)
        if (typeof member !== 'function') return member
        return async (...args: unknown[]) => {
          if (isBroken) throw new Error('the storage is down')
          return Reflect.apply(member, target, args) as unknown
        }
      },
    })
    const { auth, browse } = serve({ storage: broken })
    const browser = browse()
    await signInBrowser(browser)
    const fields = await prepare(auth, browser)
    isBroken = true
    const reply = await signOut(auth, createAction(browser, fields))
    expect(reply).toMatchObject({ ok: false, error: 'Unavailable', status: 503 })
    applyCookies(browser, reply.headers)
    isBroken = false
    expect(await browser.json('/session')).toEqual({})
  })
})
