import type { AuthConfig } from '@latchkey/core'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import { Browser } from '@latchkey/testing/browser'
import { encode } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import { requestEmail, serveMail } from './support/mailbox.ts'
import type { Mailbox } from './support/mailbox.ts'
import {
  base,
  beginSignIn,
  getFlowCookies,
  getRedirect,
  getUser,
  idp,
  origin,
  setsCsrfToken,
  signIn,
  toCallbackUrl,
} from './support/service.ts'

const previous = 'a previous secret of thirty-two bytes or more'
const next = 'the next secret of thirty-two bytes or more'
/** The secrets before the rotation, and after each of its steps. */
const steps = [[previous], [previous, next], [next, previous], [next]]
/** Steps that two processes can have at the same time. */
const neighbours = [0, 1, 2].flatMap((i) => [
  [i, i + 1],
  [i + 1, i],
])

const sessionCookie = '__Host-latchkey.session'
const returnCookie = '__Host-latchkey.return.form'

/** Two processes that share a storage, and a browser whose requests go to the first until `move` is called. */
interface Deployment {
  readonly browser: Browser
  readonly mailbox: Mailbox
  /** Sends the requests that follow to the other process. */
  readonly move: () => void
}

function deploy(
  secrets: readonly (readonly string[] | undefined)[],
  session: AuthConfig['session'] = {},
): Deployment {
  const storage = memoryStorage()
  // One clock: processes that begin in different seconds would have times in the future.
  const now = Date.now()
  const processes = secrets.map((secret = []) =>
    serveMail({ secret, storage, session, runtime: { now: () => now } }, { code: true }),
  )
  let at = 0
  const browser = new Browser(async (request) => {
    const { auth } = processes[at] ?? {}
    if (!auth) throw new Error('expected two processes')
    return auth.handle(request)
  }, base)
  const [{ mailbox } = serveMail()] = processes
  return { browser, mailbox, move: () => (at = 1 - at) }
}

/** Returns whether a response deletes a cookie. */
function deletes(response: Response, name: string): boolean {
  const lines = response.headers.getSetCookie()
  return lines.some((line) => line.startsWith(`${name}=;`) && line.includes('Max-Age=0;'))
}

/** Posts the authorization response for a subject, as the page of the identity provider does. */
async function postCallback(browser: Browser, subject = 'alice'): Promise<string> {
  const url = new URL(toCallbackUrl(await beginSignIn(browser), subject))
  const form = Object.fromEntries(url.searchParams)
  const posted = await browser.post('/callback/passport', form, { crossSite: true })
  return posted.headers.get('location') ?? ''
}

describe.each([
  ['cookie', { strategy: 'cookie' }],
  ['revocable', { strategy: 'cookie', revocable: true }],
  ['storage', { strategy: 'storage' }],
] as const)('sessions: %s', (_, session) => {
  describe.each(neighbours)('from step %i of a rotation to step %i (I-13)', (from = 0, to = 0) => {
    const start = (): Deployment => deploy([steps[from], steps[to]], session)

    test('a session continues, and ends by a sign-out', async () => {
      const { browser, move } = start()
      await signIn(browser)
      for (let i = 0; i < 3; i++) {
        move()
        expect((await getUser(browser)).email).toBe('alice@example.com')
      }
      expect((await browser.submit('/signout')).status).toBe(302)
      for (let i = 0; i < 2; i++) {
        move()
        expect(await browser.json('/session')).toEqual({})
      }
    })

    test('a sign-in that began completes, also by a posted callback', async () => {
      for (const isPosted of [false, true]) {
        const { browser, move } = start()
        const url = isPosted
          ? await postCallback(browser)
          : toCallbackUrl(await beginSignIn(browser), 'alice')
        move()
        expect((await browser.visit(url)).headers.get('location')).toBe(origin)
        expect((await getUser(browser)).email).toBe('alice@example.com')
        expect(getFlowCookies(browser)).toEqual([])
      }
    })

    test('a form, a link and a code stay valid', async () => {
      const { browser, mailbox, move } = start()
      const csrfToken = await browser.csrfToken()
      move()
      const form = { csrfToken, email: 'alice@example.com' }
      expect(getRedirect(await browser.post('/signin/email', form)).error).toBeNull()
      move()
      await requestEmail(browser)
      move()
      const opened = await browser.visit(mailbox.getLink().href)
      expect(opened.headers.get('location')).toBe(origin)
      move()
      await requestEmail(browser)
      const code = mailbox.getCode()
      move()
      const typed = await browser.submit('/callback/email', { code })
      expect(typed.headers.get('location')).toBe(origin)
    })
  })
})

describe('a browser that keeps its CSRF token for longer than sessions last (I-16.3)', () => {
  const [, , both, last] = steps

  /** Shows the token, or not, while both secrets are configured, and signs in after the old one is removed. */
  const signInAfter = async (isShown: boolean): Promise<Response> => {
    const before = deploy([steps[0], both], { strategy: 'cookie' })
    const csrfToken = await before.browser.csrfToken()
    before.move()
    if (isShown) expect(await before.browser.csrfToken()).toBe(csrfToken)
    const after = deploy([last, both], { strategy: 'cookie' })
    for (const [name, value] of before.browser.cookies) after.browser.cookies.set(name, value)
    return after.browser.post('/signin/passport', { csrfToken })
  }

  test('signs in with it after the secret is removed, if it was shown while both opened', async () => {
    expect((await signInAfter(true)).status).toBe(302)
    expect((await signInAfter(false)).status).toBe(403)
  })

  test('gets the cookie of the first secret when a sign-in begins', async () => {
    const { browser, move } = deploy([steps[0], both])
    const csrfToken = await browser.csrfToken()
    const setsToken = async (): Promise<boolean> => {
      const begun = await browser.post('/signin/passport', { csrfToken })
      expect(new URL(begun.headers.get('location') ?? '').origin).toBe(idp)
      return setsCsrfToken(begun)
    }
    expect(await setsToken()).toBe(false)
    move()
    expect(await setsToken()).toBe(true)
  })

  test('completes a sign-in at a process without the secret, begun at one that has it', async () => {
    const old = deploy([steps[0], steps[0]], { strategy: 'cookie' })
    await old.browser.csrfToken()
    const { browser, move } = deploy([both, last], { strategy: 'cookie' })
    for (const [name, value] of old.browser.cookies) browser.cookies.set(name, value)
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    move()
    expect((await browser.visit(url)).headers.get('location')).toBe(origin)
  })

  test('gets no cookie for a token that the first secret has signed', async () => {
    const { browser } = deploy([both, both])
    await browser.csrfToken()
    expect((await browser.visit('/csrf')).headers.getSetCookie()).toEqual([])
  })
})

describe('with an unknown key (I-36)', () => {
  const inCookie = { strategy: 'cookie' } as const

  describe.each([
    ['the old secret only', steps[0], steps[2]],
    ['the new secret only', steps[3], steps[1]],
  ])('at a process with %s', (_, own, other) => {
    /** Signs in at the other process, and moves to this one. */
    const signInElsewhere = async (session: AuthConfig['session']): Promise<Deployment> => {
      const deployment = deploy([other, own], session)
      await signIn(deployment.browser)
      deployment.move()
      return deployment
    }

    test.each([
      ['in its cookie', inCookie],
      ['revocable', { ...inCookie, revocable: true }],
    ])('a session %s counts as no session, and stays', async (__, session) => {
      const { browser, move } = await signInElsewhere(session)
      for (const path of ['/session', '/csrf', '/signin', '/signout']) {
        const response = await browser.visit(path)
        expect([path, response.status, deletes(response, sessionCookie)]).toEqual([
          path,
          200,
          false,
        ])
      }
      expect(await browser.json('/session')).toEqual({})
      move()
      expect((await getUser(browser)).email).toBe('alice@example.com')
    })

    test('a long session in parts stays', async () => {
      const { browser, move } = deploy([other, own], inCookie)
      await signIn(browser, 'alice')
      const value = browser.cookies.get(sessionCookie) ?? ''
      browser.cookies.delete(sessionCookie)
      browser.cookies.set(`${sessionCookie}.0`, value.slice(0, 100))
      browser.cookies.set(`${sessionCookie}.1`, value.slice(100))
      move()
      expect((await browser.visit('/session')).headers.getSetCookie()).toEqual([])
      move()
      expect((await getUser(browser)).email).toBe('alice@example.com')
    })

    test('a session is deleted by a sign-out, and replaced by a sign-in', async () => {
      const { browser, move } = await signInElsewhere(inCookie)
      expect(deletes(await browser.submit('/signout'), sessionCookie)).toBe(true)
      move()
      expect(await browser.json('/session')).toEqual({})
      await signIn(browser)
      move()
      await signIn(browser, 'bob')
      expect((await getUser(browser)).email).toBe('bob@example.com')
    })

    test('a session that is stored names no key: it continues', async () => {
      const { browser } = await signInElsewhere({ strategy: 'storage' })
      expect((await getUser(browser)).email).toBe('alice@example.com')
    })

    test('a session does not keep a session of a previous service from being imported (I-45)', async () => {
      const secret = 'the NEXTAUTH_SECRET of the application'
      const until = new Date(Date.now() + 86_400_000)
      const session = { ...inCookie, importFrom: [nextAuthV4({ secret, until })] }
      const cookie = '__Secure-next-auth.session-token'
      const { browser, move } = deploy([other, own], session)
      await signIn(browser)
      const { id } = await getUser(browser)
      browser.cookies.set(cookie, await encode({ token: { sub: id, name: 'Ada' }, secret }))
      // At the process that has the key, our session counts.
      expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
      const value = browser.cookies.get(sessionCookie)
      move()
      expect(await getUser(browser)).toMatchObject({ id, name: 'Ada' })
      expect(browser.cookies.has(cookie)).toBe(false)
      expect(browser.cookies.get(sessionCookie)).not.toBe(value)
    })

    test('a sign-in is refused, and completes at the process that began it', async () => {
      for (const isPosted of [false, true]) {
        const { browser, move } = deploy([other, own], inCookie)
        const url = isPosted
          ? await postCallback(browser)
          : toCallbackUrl(await beginSignIn(browser), 'alice')
        move()
        expect(getRedirect(await browser.visit(url)).error).toBe('OAuthCallback')
        expect(getFlowCookies(browser)).toHaveLength(1)
        expect(browser.cookies.has(returnCookie)).toBe(isPosted)
        move()
        expect((await browser.visit(url)).headers.get('location')).toBe(origin)
      }
    })

    test('five sign-ins are kept at most, those with an unknown key dropped first (I-21)', async () => {
      const { browser, move } = deploy([other, own], inCookie)
      for (let i = 0; i < 5; i++) await beginSignIn(browser)
      const foreign = getFlowCookies(browser)
      move()
      const url = toCallbackUrl(await beginSignIn(browser), 'alice')
      expect(getFlowCookies(browser)).toHaveLength(5)
      expect(getFlowCookies(browser).filter((name) => foreign.includes(name))).toHaveLength(4)
      expect((await browser.visit(url)).headers.get('location')).toBe(origin)
    })
  })
})

describe('a cookie that no process can open (I-36)', () => {
  test.each<[string, (value: string) => string]>([
    ['of a known key, altered', (value) => value.slice(0, -1) + (value.endsWith('A') ? 'Q' : 'A')],
    ['of a known key, cut off', (value) => value.slice(0, 80)],
    ['that only resembles one', (value) => value.replace('..', '.')],
    ['whose header has another member', (value) => value.replace(/^[^.]+/, '$&AAAA')],
    ['whose header has another algorithm', (value) => `eyJhbGciOiJub25l${value.slice(16)}`],
    ['that is not a JWE', () => 'garbage'],
    ['that is empty', () => ''],
  ])('counts as no session, and stays: one %s', async (_, alter) => {
    const { browser } = deploy([steps[1], steps[1]], { strategy: 'cookie' })
    await signIn(browser)
    const value = browser.cookies.get(sessionCookie) ?? ''
    expect((await getUser(browser)).email).toBe('alice@example.com')
    browser.cookies.set(sessionCookie, alter(value))
    expect(await browser.json('/session')).toEqual({})
    expect(browser.cookies.get(sessionCookie)).toBe(alter(value))
  })

  test.each<[string, (value: string) => string, number]>([
    ['of an unknown key stays', (value) => value.replace(/^(.{48}).{8}/, '$1AAAAAAAA'), 1],
    ['of another format is deleted', () => 'garbage', 0],
    ['whose header has another member is deleted', (value) => value.replace(/^[^.]+/, '$&AAAA'), 0],
  ])('the cookie of a sign-in: one %s', async (_, alter, kept) => {
    const { browser } = deploy([steps[1], steps[1]], { strategy: 'cookie' })
    const finish = async (change: (value: string) => string): Promise<string | null> => {
      const url = toCallbackUrl(await beginSignIn(browser), 'alice')
      const [name = ''] = getFlowCookies(browser)
      browser.cookies.set(name, change(browser.cookies.get(name) ?? ''))
      return getRedirect(await browser.visit(url)).error
    }
    expect(await finish((value) => value)).toBeNull()
    expect(await finish(alter)).toBe('OAuthCallback')
    expect(getFlowCookies(browser)).toHaveLength(kept)
  })
})
