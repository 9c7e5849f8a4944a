import { createAuth } from '@latchkey/core'
import type { AuthConfig } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { oidc } from '@latchkey/core/providers/oidc'
import { Browser, createIssuer, createMailbox, signedIn, signInAtIssuer } from '@latchkey/testing'
import { describe, expect, test, vi } from 'vitest'

const client = { clientId: 'client-id', clientSecret: 'kept secret' }
const issuer = createIssuer(client)
const secret = 'the secret of tests of applications'
const alice = { name: 'Alice', email: 'alice@example.com' }

function buildConfig(over: Partial<AuthConfig> = {}): AuthConfig {
  return {
    serviceUrl: 'https://app.example',
    secret,
    providers: [oidc({ id: 'op', name: 'Provider', issuer: issuer.issuer, ...client })],
    runtime: { fetch: issuer.fetch },
    ...over,
  }
}

const request = (cookie: string, url = 'https://app.example/'): Request =>
  new Request(url, { headers: { cookie } })

describe.each([
  { where: 'in cookies', storage: () => ({}) },
  { where: 'in the storage', storage: () => ({ storage: memoryStorage() }) },
])('signedIn, with sessions $where', ({ storage }) => {
  test('returns the cookies of a browser that is signed in', async () => {
    const auth = createAuth(buildConfig(storage()))
    const cookie = await signedIn(auth, { user: { ...alice, id: 'a1' } })
    const { session } = await auth.getSession(request(cookie))
    expect(session?.user).toMatchObject({ ...alice, emailVerified: true, image: null })
    const response = await auth.handle(request(cookie, 'https://app.example/api/auth/session'))
    expect(await response.json()).toMatchObject({ user: alice })
  })

  test('the browser can sign out', async () => {
    const auth = createAuth(buildConfig(storage()))
    const cookie = await signedIn(auth, { user: alice })
    const browser = new Browser(auth.handle, 'https://app.example/api/auth')
    for (const [name, value] of cookie.split('; ').map((pair) => pair.split(/=(.*)/s))) {
      browser.cookies.set(name ?? '', value ?? '')
    }
    await browser.submit('/signout')
    expect(await browser.json('/session')).toEqual({})
  })

  test('the same user is found again', async () => {
    const auth = createAuth(buildConfig(storage()))
    const getId = async (id: string): Promise<string | undefined> => {
      const cookie = await signedIn(auth, { user: { name: 'Alice', id } })
      return (await auth.getSession(request(cookie))).session?.user.id
    }
    const first = await getId('a1')
    expect(await getId('a1')).toBe(first)
    expect(await getId('a2')).not.toBe(first)
  })
})

test('signedIn calls the callbacks and emits the events of a sign-in', async () => {
  const signIn = vi.fn()
  const auth = createAuth({
    ...buildConfig(),
    callbacks: {
      jwt: ({ token }) => ({ ...token, role: 'admin' as const }),
      session: ({ session, token }) => ({ ...session, role: token.role }),
    },
    events: { signIn },
  })
  const cookie = await signedIn(auth, { user: alice })
  const { session } = await auth.getSession(request(cookie))
  expect(session?.role).toBe('admin')
  expect(signIn).toHaveBeenCalledOnce()
})

test('signedIn rejects if the application refuses the user', async () => {
  const refusing = createAuth(buildConfig({ callbacks: { signIn: () => false } }))
  await expect(signedIn(refusing, { user: alice })).rejects.toMatchObject({ code: 'AccessDenied' })
  const redirecting = createAuth(buildConfig({ callbacks: { signIn: () => '/welcome' } }))
  await expect(signedIn(redirecting, { user: alice })).rejects.toThrow('redirected')
})

test('signedIn names what is wrong with its arguments', async () => {
  const auth = createAuth(buildConfig())
  const options = { user: alice, provider: 'github' }
  await expect(signedIn(auth, options)).rejects.toThrow('expected one of op; found "github"')
  expect(await signedIn({ ...auth }, { user: alice })).toContain('session=')
  const { handle } = auth
  const other = signedIn({ handle }, { user: alice })
  await expect(other).rejects.toThrow('signedIn: needs the object that createAuth returned')
})

test('signedIn works without serviceUrl, and through a chosen provider', async () => {
  const { serviceUrl: _, ...config } = buildConfig()
  const mailbox = createMailbox()
  const provider = email({ mailer: mailbox, from: 'sign-in@app.example' })
  const auth = createAuth({
    ...config,
    storage: memoryStorage(),
    providers: [...config.providers, provider],
  })
  const cookie = await signedIn(auth, { user: alice, provider: 'email' })
  const { session } = await auth.getSession(request(cookie, 'http://localhost:3000/'))
  expect(session?.user.email).toBe('alice@example.com')
  expect(mailbox.mails).toEqual([])
})

test('a long session has all parts of its cookie', async () => {
  const note = crypto.randomUUID().repeat(200)
  const auth = createAuth({
    ...buildConfig(),
    callbacks: { jwt: ({ token }) => ({ ...token, note }) },
  })
  const cookie = await signedIn(auth, { user: alice })
  expect(cookie.split('; ').length).toBeGreaterThan(1)
  expect(await auth.getToken(request(cookie))).toMatchObject({ note })
})

test('the issuer and the browser of the same entry sign in', async () => {
  const { handle } = createAuth(buildConfig())
  const browser = new Browser(handle, 'https://app.example/api/auth')
  await signInAtIssuer(browser, issuer)
  expect(await browser.json('/session')).toHaveProperty('user')
})

describe('the mailbox', () => {
  const mail = (address: string, text: string) => ({
    to: { address },
    from: { address: 'sign-in@app.example' },
    subject: 'Sign in',
    text,
    html: '',
  })

  test('has the link that signs in', async () => {
    const mailbox = createMailbox()
    const provider = email({ mailer: mailbox, from: 'sign-in@app.example' })
    const storage = memoryStorage()
    const { handle } = createAuth(buildConfig({ storage, providers: [provider] }))
    const browser = new Browser(handle, 'https://app.example/api/auth')
    await browser.submit('/signin/email', { email: alice.email })
    await browser.visit(await mailbox.linkTo(alice.email))
    expect(await browser.json('/session')).toMatchObject({ user: { email: alice.email } })
  })

  test('waits for an email that is not there yet, and returns the latest', async () => {
    const mailbox = createMailbox()
    const waiting = mailbox.mailTo('bob@example.com')
    await mailbox.send(mail('alice@example.com', 'for Alice'))
    await mailbox.send(mail('bob@example.com', 'first'))
    expect((await waiting).text).toBe('first')
    await mailbox.send(mail('bob@example.com', 'second'))
    expect((await mailbox.mailTo('bob@example.com')).text).toBe('second')
    await expect(mailbox.linkTo('bob@example.com')).rejects.toThrow('expected a sign-in link')
  })

  test('gives up if none arrives', async () => {
    vi.useFakeTimers()
    const missing = createMailbox().mailTo('carol@example.com')
    const rejected = expect(missing).rejects.toThrow('expected an email to carol@example.com')
    await vi.advanceTimersByTimeAsync(5000)
    await rejected
    vi.useRealTimers()
  })
})
