import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Browser } from '@latchkey/testing/browser'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { send } from '@latchkey/test-support/connection'
import type { Program } from '@latchkey/test-support/program'
import { getPorts, runDemo, startDemo } from './support/demo.ts'

let demo: Program
let origin: string
let issuer: string
let ports: Readonly<Record<string, string>>

beforeAll(async () => {
  ;({ program: demo, origin, issuer, ports } = await startDemo())
})

afterAll(async () => {
  expect((await demo.stop()).code).toBe(0)
})

function createBrowser(): Browser {
  return new Browser(fetch, `${origin}/api/auth`)
}

async function home(browser: Browser): Promise<string> {
  return (await browser.visit(`${origin}/`)).text()
}

/** Presses the provider's button on the sign-in page, and returns the provider's page and URL. */
async function openProvider(
  browser: Browser,
  at: string = origin,
): Promise<{ page: string; url: string }> {
  const start = await browser.submit('/signin/demo', { callbackUrl: `${at}/` })
  let url = ''
  const response = await browser.follow(start, ({ href }) => {
    url = href
    return false
  })
  expect(response.status).toBe(200)
  return { page: await response.text(), url }
}

/** Presses a button of the provider's page, and follows redirects to the next page. */
async function press(
  browser: Browser,
  page: string,
  label: string,
  provider: string = issuer,
): Promise<URL> {
  const [, target] = new RegExp(`formaction="([^"]+)">${label}<`).exec(page) ?? []
  if (target === undefined) throw new Error(`expected a button ${label}`)
  let last = new URL(provider)
  const posted = await browser.post(provider + target, {})
  await browser.follow(posted, (url) => {
    last = url
    return false
  })
  return last
}

async function signIn(browser: Browser, name: string): Promise<URL> {
  return signInAt(browser, { origin, issuer }, name)
}

async function signInAt(
  browser: Browser,
  at: { readonly origin: string; readonly issuer: string },
  name: string,
): Promise<URL> {
  const { page } = await openProvider(browser, at.origin)
  return press(browser, page, `Continue as ${name}`, at.issuer)
}

/** Posts a form of the application, with the token of the browser unless another is given. */
async function submit(
  browser: Browser,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const csrfToken = await browser.csrfToken()
  return browser.post(origin + path, { csrfToken, ...fields }, { headers })
}

async function readTraffic(browser: Browser): Promise<string> {
  return (await browser.visit(`${origin}/traffic`)).text()
}

describe('the demonstration', () => {
  test('prints its URLs, its people and how to stop it, and nothing else', () => {
    expect(demo.stdout).toContain(`Open        ${origin}`)
    expect(demo.stdout).toContain(`Provider    ${issuer}`)
    expect(demo.stdout).toContain('Alice or Bob')
    expect(demo.stdout).toContain(`${origin}/mailbox`)
    expect(demo.stdout).toContain('SQLite in :memory:')
    expect(demo.stdout).not.toMatch(/warning|notice/i)
    expect(demo.stderr).toBe('')
  })

  test('without a session the page shows an empty session and a link to sign in', async () => {
    const page = await home(createBrowser())
    expect(page).toContain('Hello, stranger')
    expect(page).toContain('>{}</pre>')
    expect(page).toContain(`href="/api/auth/signin"`)
  })

  test('Alice signs in, sees her session, and signs out', async () => {
    const browser = createBrowser()
    expect((await signIn(browser, 'Alice')).href).toBe(`${origin}/`)

    const session = await browser.json('/session')
    expect(session['user']).toMatchObject({ name: 'Alice Example', email: 'alice@example.com' })
    const page = await home(browser)
    expect(page).toContain('Hello, Alice Example')
    expect(page).toContain('&quot;email&quot;: &quot;alice@example.com&quot;')
    expect(page).toContain(`href="/api/auth/signout"`)

    const signedOut = await browser.submit('/signout', { callbackUrl: `${origin}/` })
    expect(signedOut.headers.get('location')).toBe(`${origin}/`)
    expect(await browser.json('/session')).toEqual({})
    expect(await home(browser)).toContain('Hello, stranger')
  })

  test('the provider keeps no session: after Alice, Bob signs in in the same browser', async () => {
    const browser = createBrowser()
    await signIn(browser, 'Alice')
    await browser.submit('/signout')
    await signIn(browser, 'Bob')
    expect((await browser.json('/session'))['user']).toMatchObject({ name: 'Bob Example' })
    await signIn(browser, 'Alice')
    expect((await browser.json('/session'))['user']).toMatchObject({ name: 'Alice Example' })
  })

  test('sign-in by email: the link is in the mailbox, and the user is the same', async () => {
    const browser = createBrowser()
    await signIn(browser, 'Alice')
    const { user } = await browser.json('/session')
    await browser.submit('/signout')
    await browser.submit('/signin/email', { email: 'alice@example.com' })
    const mailbox = await (await browser.visit(`${origin}/mailbox`)).text()
    expect(mailbox).toContain('To alice@example.com')
    const [, link = ''] = /href="(http[^"]+callback[^"]+)"/.exec(mailbox) ?? []
    const response = await browser.visit(link.replaceAll('&amp;', '&'))
    expect(response.headers.get('location')).toBe(origin)
    expect((await browser.json('/session'))['user']).toEqual(user)
  })

  test('links to the mailbox, the clients and the traffic stay when a user is signed in', async () => {
    const browser = createBrowser()
    const links = ['/mailbox', '/traffic', '/web/client.html', '/web/react.html']
    const hasLinks = (page: string): boolean =>
      links.every((link) => page.includes(`class="button" href="${link}"`))
    expect(hasLinks(await home(browser))).toBe(true)
    await signIn(browser, 'Alice')
    expect(hasLinks(await home(browser))).toBe(true)
  })

  test('the first page says what Latchkey is and why, before anything else', async () => {
    const page = await home(createBrowser())
    const [what = ''] = page.split('Hello, stranger')
    expect(what).toContain('<h1>Latchkey</h1>')
    expect(what).toContain('A sign-in service for the Web platform')
    expect(what).toContain('aria-label="Why Latchkey"')
    for (const link of ['/looks', '/editors']) {
      expect(page).toContain(`class="button" href="${link}"`)
    }
  })

  test('the page for editors: Alice sees it, Bob is refused, a stranger signs in first', async () => {
    const [alice, bob, stranger] = [createBrowser(), createBrowser(), createBrowser()]
    await signIn(alice, 'Alice')
    const allowed = await alice.visit(`${origin}/editors`)
    expect([allowed.status, await allowed.text()]).toEqual([
      200,
      expect.stringContaining('your role is editor'),
    ])
    await signIn(bob, 'Bob')
    const refused = await bob.visit(`${origin}/editors`)
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('Your role is reader'),
    ])
    await bob.submit('/signout')
    const sent = await stranger.visit(`${origin}/editors`)
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      '/api/auth/signin?callbackUrl=%2Feditors',
    ])
  })

  test('an email address that is typed gives the role of its owner only once it is proven', async () => {
    const browser = createBrowser()
    await browser.submit('/signin/email', { email: 'alice@example.com' })
    expect((await browser.visit(`${origin}/editors`)).status).toBe(303)
    const mailbox = await (await browser.visit(`${origin}/mailbox`)).text()
    const [, link = ''] = /href="(http[^"]+callback[^"]+)"/.exec(mailbox) ?? []
    await browser.visit(link.replaceAll('&amp;', '&'))
    expect((await browser.visit(`${origin}/editors`)).status).toBe(200)
  })

  const listLinks = async (path: string, pattern: RegExp): Promise<readonly string[]> => {
    const page = await (await fetch(origin + path)).text()
    return [...page.matchAll(pattern)].map(([, link = '']) => link)
  }

  test('every language is a sign-in page that works, in a document of that language', async () => {
    const links = await listLinks('/looks', /href="(\/looks\/plain\/[^"]+)"/g)
    expect(links).toHaveLength(11)
    for (const link of links) {
      const response = await fetch(origin + link)
      const shown = await response.text()
      expect([link, response.status]).toEqual([link, 200])
      expect(shown.toLowerCase()).toContain(`lang="${link.split('/').at(-1)?.toLowerCase()}"`)
      expect(shown).toContain('action="')
    }
  })

  test('every theme has pictures of all scenes, in which nothing can be sent', async () => {
    const themes = await listLinks('/looks', /href="(\/looks\/\w+)"/g)
    expect(themes).toHaveLength(13)
    const all: string[] = []
    for (const theme of themes) {
      const scenes = await listLinks(theme, /<iframe src="([^"]+)"/g)
      expect(scenes).toHaveLength(17)
      all.push(...scenes)
    }
    const shown = all.filter((url, i) => url.startsWith('/looks/color/') || i % 10 === 0)
    for (const url of shown) {
      const response = await fetch(origin + url)
      const policy = response.headers.get('content-security-policy')
      expect([url, policy]).toEqual([
        url,
        expect.stringMatching(/frame-ancestors 'self'; sandbox$/),
      ])
      expect([url, response.headers.getSetCookie()]).toEqual([url, []])
      expect(await response.text(), url).toMatch(/<h1[^>]*>[^<]/)
    }
  })

  test('the pictures show the theme, the language and the state', async () => {
    const read = async (path: string): Promise<string> => (await fetch(origin + path)).text()
    expect(await read('/looks/evening/en/email')).toContain('>Evening</td>')
    expect(await read('/looks/color/de/sign-out')).toContain('--button:#ffd400')
    expect(await read('/looks/plain/de/sign-out')).toContain('<html lang="de"')
    expect((await read('/looks/plain/en/recovery-codes')).match(/\w{4}(-\w{4}){5}/g)).not.toBeNull()
    expect(await read('/looks.css')).toContain('main {')
    expect(await read('/looks/stylesheet/en/account')).toContain('href="/looks.css"')
  })

  test.each([
    '/looks/none',
    '/looks/none/en',
    '/looks/__proto__',
    '/looks/__proto__/en',
    '/looks/constructor/en/sign-in',
    '/looks/plain/xx/sign-in',
    '/looks/plain/en/none',
    '/looks/plain/en/constructor',
  ])('%s is not there', async (path) => {
    expect((await fetch(`${origin}/looks/plain/en/sign-in`)).status).toBe(200)
    expect((await fetch(origin + path)).status).toBe(404)
  })

  test('the account page of the service changes the name and sets up an authenticator app, and the traffic explains it', async () => {
    const own = await startDemo()
    onTestFinished(async () => void (await own.program.stop()))
    const browser = new Browser(fetch, `${own.origin}/api/auth`)
    const read = async (path: string): Promise<string> =>
      (await browser.visit(own.origin + path)).text()
    await signInAt(browser, own, 'Bob')
    const page = '/api/auth/account'
    expect(await read('/')).toContain(`href="${page}"`)
    expect(await read(page)).toContain('value="Bob Example"')

    const saved = await browser.submit('/account', { action: 'changeName', name: 'Robert' })
    expect(saved.headers.get('location')).toBe(`${own.origin + page}?saved=true`)
    expect(await (await browser.follow(saved)).text()).toContain('Your changes are saved.')
    expect(await read('/')).toContain('Hello, Robert')

    const form = { link: 'true', callbackUrl: own.origin + page }
    const begun = await browser.submit('/signin/totp', form)
    const enrolment = await (await browser.follow(begun)).text()
    const [, key = ''] = /<bdi>([A-Z2-7 ]+)<\/bdi>/.exec(enrolment) ?? []
    const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
    await browser.submit('/signin/totp', { code: app.generate() })
    expect(await read(page)).toContain('Authenticator app')
    await signInAt(browser, own, 'Bob')
    const traffic = await read('/traffic')
    expect(traffic).toContain('A form of the account page is stored')
    expect(traffic).toContain('The first factor is proven')
  })

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['without a token', { csrfToken: '' }, {}],
    ['with another token', { csrfToken: 'x'.repeat(43) }, {}],
    ['of another origin', {}, { origin: 'https://evil.example' }],
    ['of a sandboxed page', {}, { origin: 'null' }],
    ['of another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['of another port', {}, { 'sec-fetch-site': 'same-site' }],
  ])('a form %s does nothing (I-17)', async (_, fields, headers) => {
    const browser = createBrowser()
    await signIn(browser, 'Alice')
    const response = await submit(browser, '/traffic/clear', fields, headers)
    expect(response.status).toBe(403)
    expect(await readTraffic(browser)).toContain('/callback/demo')
  })

  test('the token of another browser is refused', async () => {
    const [alice, mallory] = [createBrowser(), createBrowser()]
    const fields = { csrfToken: await mallory.csrfToken() }
    expect((await submit(alice, '/traffic/clear', fields)).status).toBe(403)
    expect((await submit(mallory, '/traffic/clear', fields)).status).toBe(303)
  })

  test('the page of the traffic explains a sign-in, and has no secret', async () => {
    const browser = createBrowser()
    await submit(browser, '/traffic/clear', {})
    expect(await readTraffic(browser)).toContain('Nothing has travelled yet.')
    const secrets = new Set<string>()
    const collect = (): void => {
      for (const value of browser.cookies.values()) {
        for (const part of [value, ...value.split('.')]) secrets.add(part)
      }
    }
    const start = await browser.submit('/signin/demo', { callbackUrl: `${origin}/` })
    collect()
    const { searchParams } = new URL(start.headers.get('location') ?? '')
    for (const name of ['state', 'nonce', 'code_challenge']) {
      secrets.add(searchParams.get(name) ?? '')
    }
    const choice = await browser.follow(start, () => false)
    const [, target = ''] =
      /formaction="([^"]+)">Continue as Alice</.exec(await choice.text()) ?? []
    await browser.follow(await browser.post(issuer + target, {}), (url) => {
      secrets.add(url.searchParams.get('code') ?? '')
      return false
    })
    collect()
    const traffic = await readTraffic(browser)
    for (const text of [
      '<b>POST</b> /api/auth/signin/demo',
      'the hash of a PKCE verifier',
      `${issuer}/token`,
      'becomes an access token and an ID Token',
      '<b>GET</b> /api/auth/callback/demo?code=',
      'Set-Cookie',
      'HttpOnly; SameSite=Lax',
      'of which the database has the hash only',
      'deleted: what this sign-in began with',
    ]) {
      expect(traffic).toContain(text)
    }
    secrets.add(await browser.csrfToken())
    const long = [...secrets].filter((secret) => secret.length > 12)
    expect(long.length).toBeGreaterThan(5)
    const shownText = traffic.replaceAll(/<input [^>]+>/g, '') // its own form has a token
    expect(long.filter((secret) => shownText.includes(secret))).toEqual([])
  })

  test('a sign-in that is cancelled at the provider returns to the sign-in page, signed out', async () => {
    const browser = createBrowser()
    const { page } = await openProvider(browser)
    const last = await press(browser, page, 'Cancel')
    expect(last.pathname).toBe('/api/auth/signin')
    expect(last.searchParams.get('error')).toBe('Cancelled')
    expect(await (await browser.visit(last.href)).text()).toContain('You cancelled the sign-in')
    expect(await browser.json('/session')).toEqual({})
  })

  test('the provider’s page works only in the browser that began, and only by its buttons', async () => {
    const browser = createBrowser()
    const { url } = await openProvider(browser)
    const other = await createBrowser().visit(url)
    expect(other.status).toBe(400)
    expect(await other.text()).toContain('has expired')
    expect((await createBrowser().post(`${url}/alice`, {})).status).toBe(400)
    expect((await browser.visit(`${url}/alice`)).status).toBe(405)
  })

  test('an invalid authorization request shows the provider’s error page, escaped', async () => {
    const response = await fetch(`${issuer}/auth?client_id=%3Cscript%3E`)
    expect(response.status).toBe(400)
    const page = await response.text()
    expect(page).toContain('<h1>Something went wrong</h1>')
    expect(page).not.toContain('<script>')
  })

  test.each(['//', 'http://['])('the provider answers the target %s with 400', async (target) => {
    const request = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
    expect(await send(issuer, request)).toMatch(/^HTTP\/1.1 400 /)
    expect((await fetch(`${issuer}/jwks`)).status).toBe(200)
  })

  test('every page has a language, a title and one heading, and runs and loads nothing', async () => {
    const { page: choice } = await openProvider(createBrowser())
    const alice = createBrowser()
    await signIn(alice, 'Alice')
    const own = [
      await home(alice),
      await readTraffic(alice),
      await home(createBrowser()),
      await (await alice.visit(`${origin}/editors`)).text(),
      await (await alice.visit(`${origin}/looks`)).text(),
    ]
    for (const page of [...own, choice]) {
      expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
      expect(page).toMatch(/<title>[^<]+<\/title>/)
      expect(page.match(/<h1>/g)).toHaveLength(1)
      expect(page).not.toMatch(/<script|<link (?!rel="icon" href="data:,")|<img|undefined|\[object/)
    }
    const { headers } = await fetch(`${origin}/`)
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    )
    expect(headers.get('cache-control')).toBe('private, no-store')
  })

  test('prints nothing after its welcome', () => {
    expect(demo.stdout).not.toMatch(/oidc-provider/)
    expect(demo.stderr).not.toMatch(/oidc-provider|^\s+at /m)
  })
})

describe('the settings of the demonstration', () => {
  test('further providers are offered if their variables are set', async () => {
    const github = { AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' }
    const { program, origin: own } = await startDemo(github)
    const providers = await (await fetch(`${own}/api/auth/providers`)).json()
    expect(Object.keys(providers as object)).toEqual([
      'demo',
      'passkey',
      'passwords',
      'email',
      'github',
    ])
    expect((await program.stop()).code).toBe(0)
  })

  test('users and sessions are kept in the file that AUTH_DATABASE names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-demo-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const env = { AUTH_DATABASE: join(folder, 'demo.sqlite') }
    const first = await startDemo(env)
    const browser = new Browser(fetch, `${first.origin}/api/auth`)
    await signInAt(browser, first, 'Alice')
    const session = await browser.json('/session')
    expect(session).toHaveProperty('user')
    expect((await first.program.stop()).code).toBe(0)
    const second = await startDemo(env)
    const later = new Browser(fetch, `${second.origin}/api/auth`)
    for (const [name, value] of browser.cookies) later.cookies.set(name, value)
    expect(await later.json('/session')).toEqual(session)
    await second.program.stop()
  })

  test.each(['PORT', 'IDP_PORT', 'MAIL_PORT'])(
    'a taken %s: one line and exit code 1',
    async (variable) => {
      const taken = ports[variable] as string
      const env = { ...(await getPorts()), AUTH_DATABASE: ':memory:', [variable]: taken }
      const { code, stderr } = await runDemo(env).ended
      expect(code).toBe(1)
      expect(stderr).toBe(`latchkey: ${variable}: port ${taken} is taken by another program\n`)
    },
  )

  test('a missing variable of a provider: one line and exit code 1', async () => {
    const { code, stderr } = await runDemo({ AUTH_GITHUB_ID: 'id' }).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/^latchkey: AUTH_GITHUB_SECRET: is missing[^\n]*\n$/)
  })
})
