import { Browser } from '@latchkey/core/testing/browser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Program, freePort } from './support/program.ts'

let demo: Program
let origin: string
let issuer: string

beforeAll(async () => {
  const [port, issuerPort] = [await freePort(), await freePort()]
  origin = `http://localhost:${port}`
  issuer = `http://localhost:${issuerPort}`
  demo = new Program('demo/main.ts', { PORT: String(port), IDP_PORT: String(issuerPort) })
  await demo.printed(/Ctrl\+C/)
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
async function toProvider(browser: Browser): Promise<{ page: string; address: string }> {
  const start = await browser.submit('/signin/demo', { callbackUrl: `${origin}/` })
  let address = ''
  const response = await browser.follow(start, (url) => {
    address = url.href
    return false
  })
  expect(response.status).toBe(200)
  return { page: await response.text(), address }
}

/** Presses one of its buttons, and follows until a page is shown. */
async function press(browser: Browser, page: string, label: string): Promise<URL> {
  const [, target] = new RegExp(`formaction="([^"]+)">${label}<`).exec(page) ?? []
  if (target === undefined) throw new Error(`there is no button ${label}`)
  let last = new URL(origin)
  const posted = await browser.post(issuer + target, {})
  await browser.follow(posted, (url) => {
    last = url
    return false
  })
  return last
}

async function signIn(browser: Browser, name: string): Promise<URL> {
  const { page } = await toProvider(browser)
  return press(browser, page, `Continue as ${name}`)
}

describe('the demonstration', () => {
  test('says what to open, who to be and how to stop, and nothing else', () => {
    expect(demo.stdout).toContain(`Open        ${origin}`)
    expect(demo.stdout).toContain(`Provider    ${issuer}`)
    expect(demo.stdout).toContain('Alice or Bob')
    expect(demo.stdout).toContain('made at random')
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
  test('real providers and an own secret, where their variables are set', async () => {
    const [port, issuerPort] = [String(await freePort()), String(await freePort())]
    const program = new Program('demo/main.ts', {
      PORT: port,
      IDP_PORT: issuerPort,
      AUTH_SECRET: 'a-secret-of-thirty-two-bytes-or-more',
      AUTH_GITHUB_ID: 'id',
      AUTH_GITHUB_SECRET: 'secret',
    })
    await program.printed(/Ctrl\+C/)
    const providers = await (await fetch(`http://localhost:${port}/api/auth/providers`)).json()
    const { code, stdout } = await program.stop()
    expect(Object.keys(providers as object)).toEqual(['demo', 'github'])
    expect(stdout).toContain('from AUTH_SECRET')
    expect(code).toBe(0)
  })

  test.each(['PORT', 'IDP_PORT'])('a taken %s is one line and exit code 1', async (variable) => {
    const ports = { PORT: String(await freePort()), IDP_PORT: String(await freePort()) }
    const taken = new URL(variable === 'PORT' ? origin : issuer).port
    const { code, stderr } = await new Program('demo/main.ts', { ...ports, [variable]: taken })
      .ended
    expect(code).toBe(1)
    expect(stderr).toBe(`latchkey: ${variable}: port ${taken} is taken by another program\n`)
  })

  test('a provider half configured is one line and exit code 1', async () => {
    const { code, stderr } = await new Program('demo/main.ts', { AUTH_GITHUB_ID: 'id' }).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/^latchkey: AUTH_GITHUB_SECRET: is missing[^\n]*\n$/)
  })
})
