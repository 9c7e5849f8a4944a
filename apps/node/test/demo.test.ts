import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Browser } from '@latchkey/core/testing/browser'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startDemo } from './support/demo.ts'
import { Program } from './support/program.ts'

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

function newBrowser(): Browser {
  return new Browser(fetch, `${origin}/api/auth`)
}

async function home(browser: Browser): Promise<string> {
  return (await browser.visit(`${origin}/`)).text()
}

/** Presses the provider's button on our page, and comes to the provider's own page. */
async function toProvider(
  browser: Browser,
  at: string = origin,
): Promise<{ page: string; address: string }> {
  const start = await browser.submit('/signin/demo', { callbackUrl: `${at}/` })
  let address = ''
  const response = await browser.follow(start, (url) => {
    address = url.href
    return false
  })
  expect(response.status).toBe(200)
  return { page: await response.text(), address }
}

/** Presses one of its buttons, and follows until a page is shown. */
async function press(
  browser: Browser,
  page: string,
  label: string,
  provider: string = issuer,
): Promise<URL> {
  const [, target] = new RegExp(`formaction="([^"]+)">${label}<`).exec(page) ?? []
  if (target === undefined) throw new Error(`there is no button ${label}`)
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
  const { page } = await toProvider(browser, at.origin)
  return press(browser, page, `Continue as ${name}`, at.issuer)
}

describe('the demonstration', () => {
  test('says what to open, who to be and how to stop, and nothing else', () => {
    expect(demo.stdout).toContain(`Open        ${origin}`)
    expect(demo.stdout).toContain(`Provider    ${issuer}`)
    expect(demo.stdout).toContain('Alice or Bob')
    expect(demo.stdout).toContain(`${origin}/mailbox`)
    expect(demo.stdout).toContain('SQLite in :memory:')
    expect(demo.stdout).not.toMatch(/warning|notice/i)
    expect(demo.stderr).toBe('')
  })

  test('a stranger sees an empty session, and where to sign in', async () => {
    const page = await home(newBrowser())
    expect(page).toContain('Hello, stranger')
    expect(page).toContain('>{}</pre>')
    expect(page).toContain(`href="/api/auth/signin"`)
  })

  test('Alice signs in, sees her session, and signs out', async () => {
    const browser = newBrowser()
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

  test('the provider remembers nobody: after Alice comes Bob, in the same browser', async () => {
    const browser = newBrowser()
    await signIn(browser, 'Alice')
    await browser.submit('/signout')
    await signIn(browser, 'Bob')
    expect((await browser.json('/session'))['user']).toMatchObject({ name: 'Bob Example' })
    await signIn(browser, 'Alice')
    expect((await browser.json('/session'))['user']).toMatchObject({ name: 'Alice Example' })
  })

  test('who signs in by e-mail finds the link in the mailbox, and is the same user', async () => {
    const browser = newBrowser()
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
    const page = await home(browser)
    expect(page).toContain('demo: alice')
    expect(page).toContain('email: alice@example.com')
    expect(page).toContain('Where you are signed in')
  })

  test('who cancels at the provider comes back to the sign-in page, signed out', async () => {
    const browser = newBrowser()
    const { page } = await toProvider(browser)
    const last = await press(browser, page, 'Cancel')
    expect(last.pathname).toBe('/api/auth/signin')
    expect(last.searchParams.get('error')).toBe('Cancelled')
    expect(await (await browser.visit(last.href)).text()).toContain('You cancelled the sign-in')
    expect(await browser.json('/session')).toEqual({})
  })

  test('the provider’s page is for the browser that began, and for its buttons alone', async () => {
    const browser = newBrowser()
    const { address } = await toProvider(browser)
    const other = await newBrowser().visit(address)
    expect(other.status).toBe(400)
    expect(await other.text()).toContain('has expired')
    expect((await newBrowser().post(`${address}/alice`, {})).status).toBe(400)
    expect((await browser.visit(`${address}/alice`)).status).toBe(405)
  })

  test('a bad authorization request shows the provider’s error page, escaped', async () => {
    const response = await fetch(`${issuer}/auth?client_id=%3Cscript%3E`)
    expect(response.status).toBe(400)
    const page = await response.text()
    expect(page).toContain('<h1>Something went wrong</h1>')
    expect(page).not.toContain('<script>')
  })

  test('every page has a language, a title, one heading, and runs and loads nothing', async () => {
    const { page: choice } = await toProvider(newBrowser())
    for (const page of [await home(newBrowser()), choice]) {
      expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
      expect(page).toMatch(/<title>[^<]+<\/title>/)
      expect(page.match(/<h1>/g)).toHaveLength(1)
      expect(page).not.toMatch(/<script|<link|<img|undefined|\[object/)
    }
    const { headers } = await fetch(`${origin}/`)
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    )
    expect(headers.get('cache-control')).toBe('private, no-store')
  })

  test('writes nothing but its welcome, whatever has happened', () => {
    expect(demo.stdout).not.toMatch(/oidc-provider/)
    expect(demo.stderr).not.toMatch(/oidc-provider|^\s+at /m)
  })
})

describe('its settings', () => {
  test('real providers, where their variables are set', async () => {
    const github = { AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' }
    const { program, origin: own } = await startDemo(github)
    const providers = await (await fetch(`${own}/api/auth/providers`)).json()
    expect(Object.keys(providers as object)).toEqual(['demo', 'email', 'github'])
    expect((await program.stop()).code).toBe(0)
  })

  test('users and sessions outlive the process, in the file that AUTH_DATABASE names', async () => {
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
    'a taken %s is one line and exit code 1',
    async (variable) => {
      const { program, ports: own } = await startDemo()
      await program.stop()
      const taken = ports[variable] as string
      const env = { ...own, AUTH_DATABASE: ':memory:', [variable]: taken }
      const { code, stderr } = await new Program('demo/main.ts', env).ended
      expect(code).toBe(1)
      expect(stderr).toBe(`latchkey: ${variable}: port ${taken} is taken by another program\n`)
    },
  )

  test('a provider half configured is one line and exit code 1', async () => {
    const { code, stderr } = await new Program('demo/main.ts', { AUTH_GITHUB_ID: 'id' }).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/^latchkey: AUTH_GITHUB_SECRET: is missing[^\n]*\n$/)
  })
})
