/** Runs the recipes of the manual as they are printed there. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NativeClient } from '@latchkey/client/native'
import type { Auth, SessionToken } from '@latchkey/core'
import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { Browser, createMailbox, signedIn } from '@latchkey/testing'
import type { TestUser } from '@latchkey/testing'
import { Secret, TOTP } from 'otpauth'
import { createServer as createViteServer } from 'vite'
import type { InlineConfig } from 'vite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { contractConfig } from '@latchkey/testing/contract-config'
import { createListener, listen } from '@latchkey/node'
import { getFreePort } from '@latchkey/test-support/servers'
import { startRangeServer } from '@latchkey/test-support/range-server'
import type { RangeServer } from '@latchkey/test-support/range-server'
import { startAuthorizationServer } from '../../../client/test/support/authorization-server.ts'
import { printFiles } from './support/manual.ts'
import type { PrintedFiles } from './support/manual.ts'

const origin = 'http://localhost:3000'
const alice = { name: 'Alice', email: 'alice@example.com' }

interface Fetcher {
  readonly fetch: (request: Request) => Response | Promise<Response>
}

/** A module `auth.ts` of a page. */
interface AuthModule<Session = { readonly user: { readonly id: string } }> {
  readonly auth: Auth<Session, SessionToken, { readonly role: string }>
}

const variables = {
  AUTH_SECRET: 'the secret of the recipes of the manual',
  AUTH_GITHUB_ID: 'Iv1.abc',
  AUTH_GITHUB_SECRET: 'kept secret',
}

// For all tests: a stub of vitest ends with the first.
beforeAll(() => void Object.assign(process.env, variables))
afterAll(() => Object.keys(variables).forEach((name) => Reflect.deleteProperty(process.env, name)))

/** A page of the manual, whose `app.ts` answers the requests of browsers. */
interface Page extends AuthModule {
  readonly browse: () => Browser
  /** Returns a browser in which the user has signed in. */
  readonly signIn: (user?: TestUser) => Promise<Browser>
  readonly files: PrintedFiles
}

async function openPage(path: string): Promise<Page> {
  const files = await printFiles(path)
  const { app, ...auth } = await files.load<{ app: Fetcher } & AuthModule>('app.ts', 'auth.ts')
  const browse = (): Browser =>
    new Browser(async (request) => app.fetch(request), `${origin}/api/auth`)
  const signIn: Page['signIn'] = async (user = alice) => {
    const browser = browse()
    const cookie = await signedIn(auth.auth, { user })
    for (const pair of cookie.split('; ')) {
      const [name = '', value = ''] = pair.split(/=(.*)/)
      browser.cookies.set(name, value)
    }
    return browser
  }
  return { ...auth, browse, signIn, files }
}

/** Describes a page of the manual; `printed` are the emails that the mailer for development prints. */
function describePage(
  path: string,
  describeTests: (page: () => Page, printed: string[]) => void,
): void {
  describe(path, () => {
    const printed: string[] = []
    let page: Page
    beforeAll(async () => {
      vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
      page = await openPage(path)
    })
    afterAll(async () => {
      vi.restoreAllMocks()
      await page.files[Symbol.asyncDispose]()
    })
    describeTests(() => page, printed)
  })
}

async function getUserId(browser: Browser): Promise<string> {
  const session = (await browser.json('/session')) as { readonly user: { readonly id: string } }
  return session.user.id
}

describePage('guide/roles.md', (getPage) => {
  const setRole = (browser: Browser, id: string, role: unknown): Promise<Response> =>
    browser.visit(`${origin}/admin/users/${id}/role`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ role }),
    })

  test('a visitor is led to the sign-in page, and a member is refused', async () => {
    const visitor = await getPage().browse().visit(`${origin}/account`)
    expect([visitor.status, visitor.headers.get('location')]).toEqual([
      302,
      '/api/auth/signin?callbackUrl=%2Faccount',
    ])
    const member = await getPage().signIn()
    expect(await (await member.visit(`${origin}/account`)).text()).toBe('You are a member.')
    const id = await getUserId(member)
    expect((await setRole(member, id, 'admin')).status).toBe(403)
  })

  test('a role takes effect at the next request, and so does its withdrawal', async () => {
    const admin = await getPage().signIn({ email: 'admin@example.com' })
    const member = await getPage().signIn({ email: 'bob@example.com' })
    await getPage().auth.users.update(await getUserId(admin), { role: 'admin' })
    const id = await getUserId(member)
    expect((await setRole(admin, id, 'root')).status).toBe(400)
    expect((await setRole(admin, 'unknown', 'admin')).status).toBe(404)
    expect(await (await setRole(admin, id, 'admin')).json()).toEqual({ id, role: 'admin' })
    expect(await member.json('/session')).toMatchObject({ role: 'admin' })
    expect((await setRole(admin, id, 'member')).status).toBe(200)
    expect((await setRole(member, id, 'admin')).status).toBe(403)
  })
})

describePage('guide/account.md', (getPage, printed) => {
  const readPage = async (browser: Browser): Promise<string> =>
    (await browser.visit(`${origin}/settings`)).text()

  /** Presses a button of the page, in the first form that has it. */
  const press = async (
    browser: Browser,
    label: string,
    typed: Record<string, string> = {},
    headers = { origin, 'sec-fetch-site': 'same-origin' },
  ): Promise<Response> => {
    const forms = (await readPage(browser)).matchAll(/<form .*? action="(.*?)">([^]*?)<\/form>/g)
    const [, action = '', form = ''] =
      [...forms].find(([text]) => text.includes(`${label}</button>`)) ?? []
    const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, ...pair]) => pair)
    const body = new URLSearchParams({ ...Object.fromEntries(fields), ...typed })
    return browser.visit(origin + action, { method: 'POST', headers, body })
  }

  test('shows sessions, and changes the name', async () => {
    const browser = await getPage().signIn()
    const saved = await press(browser, 'Save', { name: 'Alice Example' })
    expect([saved.status, saved.headers.get('location')]).toEqual([303, `${origin}/settings`])
    const text = await readPage(browser)
    expect(text).toContain('value="Alice Example"')
    expect(text).toContain('unknown browser (this one)')
  })

  test('a form of another site changes nothing', async () => {
    const browser = await getPage().signIn({ name: 'Mallory', email: 'mallory@example.com' })
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await press(browser, 'Save', { name: 'Eve' }, headers)).status).toBe(403)
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Mallory' } })
  })

  test('a session that is ended here is over there', async () => {
    const user = { email: 'dave@example.com' }
    const [here, there] = [await getPage().signIn(user), await getPage().signIn(user)]
    await press(here, 'End')
    expect([await here.json('/session'), await there.json('/session')]).toContainEqual({})
  })

  test('another email address replaces the first by the email that was sent to it', async () => {
    const browser = await getPage().signIn({ email: 'erin@example.com' })
    await press(browser, 'Change the email address', { email: 'erin@new.example' })
    await browser.visit(readLink([printed]))
    const { email: changed, emailVerified } =
      (await getPage().auth.users.get(await getUserId(browser))) ?? {}
    expect([changed, emailVerified]).toEqual(['erin@new.example', true])
  })
})

/** Returns the link of an email that the mailer for development has printed. */
function readLink(calls: readonly (readonly unknown[])[]): string {
  const [link] = /http\S+callback\S+/.exec(calls.flat().join('\n')) ?? []
  if (link === undefined) throw new Error(`expected a link, found: ${calls.join('\n')}`)
  return link
}

describePage('guide/second-factor.md', (getPage, printed) => {
  const path = '/keys'

  /** Signs in by the link of an email, and returns where it leads. */
  const signInByEmail = async (browser: Browser, address: string): Promise<string | null> => {
    await browser.submit('/signin/email', { email: address, callbackUrl: path })
    return (await browser.visit(readLink([printed.splice(0)]))).headers.get('location')
  }

  const enrol = async (browser: Browser): Promise<TOTP> => {
    await browser.submit('/signin/totp', { link: 'true', callbackUrl: path })
    const html = await (await browser.visit('/signin?second=true')).text()
    const [, key = ''] = /<bdi>([A-Z2-7 ]+)<\/bdi>/.exec(html) ?? []
    const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
    const codes = await browser.submit('/signin/totp', { code: app.generate() })
    expect((await codes.text()).match(/<code>/g)).toHaveLength(10)
    return app
  }

  test('a user enrols an app, and only a sign-in with it has both factors', async () => {
    const [here, there] = [getPage().browse(), getPage().browse()]
    expect(await signInByEmail(here, 'grace@example.com')).toBe(origin + path)
    const asked = await here.visit(origin + path)
    expect(asked.headers.get('location')).toMatch(/enrol=true/)
    const app = await enrol(here)
    const again = await here.visit(origin + path)
    expect(again.headers.get('location')).toMatch(/confirm=true/)
    expect(await signInByEmail(there, 'grace@example.com')).toMatch(/\?second=true$/)
    expect(await there.json('/session')).toEqual({})
    await there.submit('/signin/totp', { code: app.generate({ timestamp: Date.now() + 30_000 }) })
    const cookie = [...there.cookies].map((pair) => pair.join('=')).join('; ')
    const request = new Request(origin, { headers: { cookie } })
    const { authentication } = await getPage().auth.getSession(request)
    expect(authentication?.methods).toEqual(['email', 'otp', 'mfa'])
    expect(await (await there.visit(origin + path)).text()).toBe('The keys')
  })
})

describePage('guide/passwords.md', (getPage, printed) => {
  const password = 'correct horse battery'
  const breached = 'correct horse battery staple'
  let ranges: RangeServer
  beforeAll(async () => {
    ranges = await startRangeServer([breached])
    vi.stubGlobal('fetch', ranges.fetch)
  })
  afterAll(async () => {
    vi.unstubAllGlobals()
    await ranges[Symbol.asyncDispose]()
  })

  const ask = async (browser: Browser, action: string, address: string): Promise<string> => {
    await browser.submit('/signin/passwords', { action, email: address })
    return readLink([printed.splice(0)])
  }
  const choose = (browser: Browser, link: string, typed: string): Promise<Response> => {
    const fields = Object.fromEntries(new URL(link).searchParams)
    return browser.submit('/callback/passwords', { ...fields, password: typed })
  }
  const enter = (browser: Browser, address: string, typed: string): Promise<Response> =>
    browser.submit('/callback/passwords', { email: address, password: typed, json: 'true' })

  test('a user registers, and signs in as next-auth clients do', async () => {
    const browser = getPage().browse()
    const link = await ask(browser, 'register', alice.email)
    expect((await choose(browser, link, breached)).status).toBe(400)
    expect((await choose(browser, link, password)).status).toBe(302)
    const other = getPage().browse()
    expect((await enter(other, ' Alice@example.com', password)).status).toBe(200)
    expect(await getUserId(other)).toBe(await getUserId(browser))
    expect((await enter(getPage().browse(), alice.email, `${password}!`)).status).toBe(401)
    expect((await enter(getPage().browse(), 'unknown@example.com', password)).status).toBe(401)
  })

  test('the URL of password managers leads to the form, which ends other sessions', async () => {
    const [here, there] = [getPage().browse(), getPage().browse()]
    await choose(here, await ask(here, 'register', 'bob@example.com'), password)
    await enter(there, 'bob@example.com', password)
    const moved = await here.visit(`${origin}/.well-known/change-password`)
    const form = await here.follow(moved)
    expect(await form.text()).toContain('autocomplete="new-password"')
    const fields = { action: 'change', password: 'another horse battery' }
    expect((await here.submit('/signin/passwords', fields)).status).toBe(303)
    expect(await there.json('/session')).toEqual({})
    expect(await getUserId(here)).toBeDefined()
  })
})

describe('guide/email-template.md', () => {
  test('writes both parts of the email, and escapes the link', async () => {
    await using files = await printFiles('guide/email-template.md')
    type Write = NonNullable<Parameters<typeof email>[0]['write']>
    const { writeMail } = await files.load<{ writeMail: Write }>('mail.ts')
    const mailbox = createMailbox()
    const { handle } = createAuth({
      serviceUrl: origin,
      secret: 'the secret of the recipes of the manual',
      storage: memoryStorage(),
      providers: [email({ mailer: mailbox, from: 'a@example.com', code: true, write: writeMail })],
    })
    const browser = new Browser(handle, `${origin}/api/auth`)
    await browser.submit('/signin/email', { email: alice.email })
    const { subject, text, html } = await mailbox.mailTo(alice.email)
    expect(subject).toBe('Sign in to Example')
    const [link = '', code] = [/http\S+/.exec(text)?.[0], /\d{8}$/m.exec(text)?.[0]]
    expect(html).toContain(`href="${link.replaceAll('&', '&amp;')}"`)
    expect(html).toContain(`<b>${code}</b>`)
    await browser.visit(link)
    expect(await browser.json('/session')).toMatchObject({ user: { email: alice.email } })
  })
})

describe('guide/mobile.md', () => {
  interface Tool {
    readonly openTool: (issuer: string, home: string) => NativeClient
    readonly logIn: (tool: NativeClient) => Promise<void>
    readonly callApi: (tool: NativeClient, url: string) => Promise<Response>
  }

  test('a command line signs in with the browser of the system, calls, and signs out', async () => {
    await using files = await printFiles('guide/mobile.md')
    const { openTool, logIn, callApi } = await files.load<Tool>('tool.ts')
    const server = await startAuthorizationServer()
    const home = await mkdtemp(join(tmpdir(), 'latchkey-tool-'))
    const tokens: string[] = []
    // The browser, and an API that refuses its first request.
    const peer = await listen(
      createListener(async ({ url, headers }) => {
        const target = new URL(url).searchParams.get('open')
        if (target !== null) return fetch(await server.follow(target))
        const token = headers.get('authorization') ?? ''
        tokens.push(token)
        return new Response(null, { status: token === tokens[0] ? 401 : 204 })
      }),
      { host: 'localhost', port: await getFreePort('localhost') },
    )
    const opener = `fetch('${peer.url}/?open=' + encodeURIComponent(process.argv[2]))`
    await writeFile(join(home, 'xdg-open'), `#!${process.execPath}\n${opener}`, { mode: 0o755 })
    vi.stubEnv('PATH', `${home}:${process.env['PATH']}`)
    vi.stubEnv('SSH_CONNECTION', undefined)
    const tool = openTool(server.issuer, home)
    await expect(callApi(tool, peer.url)).rejects.toThrow('Sign in first')
    await logIn(tool)
    expect((await tool.getSession())?.claims).toMatchObject({ sub: 'alice' })
    // The server gives a refresh token only after a consent.
    await tool.signIn({ params: { prompt: 'consent' } })
    expect((await callApi(tool, peer.url)).status).toBe(204)
    expect(tokens[0]).toMatch(/^Bearer eyJ/)
    expect(tokens).toHaveLength(2)
    expect(await tool.signOut()).toEqual({ isRevoked: true })
    await expect(callApi(openTool(server.issuer, home), peer.url)).rejects.toThrow('Sign in first')
    vi.unstubAllEnvs()
    await Promise.all([peer.stop(1000), server.stop()])
    await rm(home, { recursive: true })
  })
})

describe('guide/origins.md', () => {
  test('Vite passes the service through, with the host of the page', async () => {
    await using files = await printFiles('guide/origins.md')
    const { default: config } = await files.load<{ default: InlineConfig }>('vite.config.ts')
    const [pagePort, port] = [await getFreePort('localhost'), await getFreePort('localhost')]
    const page = `http://localhost:${pagePort}`
    const { handle } = createAuth(contractConfig({ serviceUrl: page }))
    const server = await listen(createListener(handle), { host: 'localhost', port })
    const proxy = { '/api': { ...Object(config.server?.proxy)['/api'], target: server.url } }
    const vite = await createViteServer({
      configFile: false,
      logLevel: 'silent',
      server: { ...config.server, proxy, host: 'localhost', port: pagePort, strictPort: true },
    })
    await vite.listen()
    const browser = new Browser((request) => fetch(request), `${page}/api/auth`)
    const begun = await browser.submit('/signin/passport')
    await browser.visit(begun.headers.get('location') ?? '')
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
    await vite.close()
    await server.stop(1000)
  })
})
