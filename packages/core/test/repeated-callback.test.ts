import type { AuthConfig, Storage } from '@latchkey/core'
import { ar } from '@latchkey/core/languages/ar'
import { de } from '@latchkey/core/languages/de'
import { es } from '@latchkey/core/languages/es'
import { fr } from '@latchkey/core/languages/fr'
import { it } from '@latchkey/core/languages/it'
import { ja } from '@latchkey/core/languages/ja'
import { nl } from '@latchkey/core/languages/nl'
import { pl } from '@latchkey/core/languages/pl'
import { ptBR } from '@latchkey/core/languages/pt-BR'
import { zhHans } from '@latchkey/core/languages/zh-Hans'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { en } from '../src/pages/languages/en.ts'
import { breakableStorage } from './support/breakable.ts'
import { parseForm, requestEmail, serveMail, submitForm } from './support/mailbox.ts'
import type { MailService } from './support/mailbox.ts'
import {
  base,
  beginSignIn,
  getFlowCookies,
  getRedirect,
  getUser,
  origin,
  passport,
  serve,
  signIn,
  toCallbackUrl,
} from './support/service.ts'

const deep = `${origin}/deep/page?a=1`

/** Returns a browser with the same cookies: what a proxy sends again, or a copy of the request. */
function copyBrowser({ cookies }: Browser, to: Browser): Browser {
  for (const [name, value] of cookies) to.cookies.set(name, value)
  return to
}

/** Opens the page that a refused callback leads to. */
async function openPage(browser: Browser, response: Response): Promise<string> {
  expect(response.status).toBe(302)
  return (await browser.visit(response.headers.get('location') ?? '')).text()
}

/** Submits the only form of a page, and completes the sign-in at the provider. */
async function continueOn(browser: Browser, page: string, subject = 'alice'): Promise<Response> {
  expect(page.match(/<form/g)).toHaveLength(1)
  const begun = await submitForm(browser, page)
  const request = new URL(begun.headers.get('location') ?? '')
  return browser.visit(toCallbackUrl(request, subject))
}

describe.each<[string, () => Partial<AuthConfig>]>([
  ['without a storage', () => ({})],
  ['sessions in the storage', () => ({ storage: memoryStorage() })],
  [
    'sessions in cookies',
    () => ({ storage: memoryStorage(), session: { strategy: 'cookie', revocable: true } }),
  ],
])('a callback that is sent again, %s (I-21)', (_, config) => {
  test('is refused, and the same sign-in begins again in one step', async () => {
    let finished = 0
    const events: string[] = []
    const provider = passport({ identify: () => (finished++, {}) })
    const given = config()
    const service = serve({
      ...given,
      providers: [passport({ id: 'other' }), provider],
      events: { signIn: () => events.push('signIn'), signInFailed: () => events.push('failed') },
    })
    const browser = service.browse()
    const url = toCallbackUrl(await beginSignIn(browser, { callbackUrl: deep }), 'alice')
    const lost = copyBrowser(browser, service.browse())
    expect((await lost.visit(url)).headers.get('location')).toBe(deep)

    const repeated = await browser.visit(url)
    expect(getRedirect(repeated)).toEqual({
      path: '/api/auth/signin/passport',
      error: 'OAuthCallback',
    })
    expect(await browser.json('/session')).toEqual({})
    expect(getFlowCookies(browser)).toEqual([])
    expect([finished, events]).toEqual([1, ['signIn', 'failed']])

    const page = await openPage(browser, repeated)
    expect(parseForm(page)).toMatchObject({
      action: `${base}/signin/passport`,
      fields: { callbackUrl: deep },
    })
    expect(page).not.toContain('<script')
    expect((await continueOn(browser, page)).headers.get('location')).toBe(deep)
    expect((await getUser(browser)).email).toBe('alice@example.com')
  })

  test('finds no session, also after the first has ended', async () => {
    const service = serve(config())
    const browser = service.browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    const thief = copyBrowser(browser, service.browse())
    await browser.visit(url)
    for (const isSignedOut of [false, true]) {
      if (isSignedOut) await browser.submit('/signout')
      expect(getRedirect(await thief.visit(url)).error).toBe('OAuthCallback')
      expect(await thief.json('/session')).toEqual({})
    }
  })

  test('in another browser leads to the page of all providers', async () => {
    const service = serve(config())
    const browser = service.browse()
    const url = toCallbackUrl(await beginSignIn(browser, { callbackUrl: deep }), 'alice')
    await browser.visit(url)
    const response = await service.browse().visit(url)
    expect(getRedirect(response).path).toBe('/api/auth/signin')
    expect(response.headers.get('location')).not.toContain('deep')
  })
})

describe('a callback that is sent again', () => {
  test.each(['while the first is handled', 'after the first has failed'])('%s', async (when) => {
    let release = (): void => undefined
    const isReleased = new Promise<void>((resolve) => (release = resolve))
    let reach = (): void => undefined
    const isReached = new Promise<void>((resolve) => (reach = resolve))
    const { storage, fail } = breakableStorage()
    const waiting: Storage = {
      ...storage,
      createUser: async (...args) => {
        reach()
        await isReleased
        return storage.createUser(...args)
      },
    }
    const [service, other] = [serve({ storage: waiting }), serve({ storage: waiting })]
    const browser = service.browse()
    const url = toCallbackUrl(await beginSignIn(browser, { callbackUrl: deep }), 'alice')
    const first = copyBrowser(browser, other.browse()).visit(url)
    await isReached
    if (when.startsWith('after')) {
      fail(['createUser'])
      release()
      await first
      fail([])
    }
    const repeated = await browser.visit(url)
    expect(getRedirect(repeated).path).toBe('/api/auth/signin/passport')
    release()
    await first
    const page = await openPage(browser, repeated)
    expect((await continueOn(browser, page)).headers.get('location')).toBe(deep)
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('posts its form only with the CSRF token', async () => {
    const service = serve()
    const browser = service.browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    await copyBrowser(browser, service.browse()).visit(url)
    const page = await openPage(browser, await browser.visit(url))
    const { action, fields } = parseForm(page)
    const { csrfToken: __, ...rest } = fields
    expect((await browser.post(action, rest)).status).toBe(403)
    const headers = { origin: 'https://evil.example' }
    const body = new URLSearchParams(fields)
    expect((await browser.visit(action, { method: 'POST', headers, body })).status).toBe(403)
    expect((await submitForm(browser, page)).status).toBe(302)
  })

  test('and was posted is refused as well', async () => {
    const service = serve()
    const browser = service.browse()
    const form = new URL(toCallbackUrl(await beginSignIn(browser), 'alice')).searchParams
    const posted = await browser.post('/callback/passport', Object.fromEntries(form), {
      crossSite: true,
    })
    const location = posted.headers.get('location') ?? ''
    await copyBrowser(browser, service.browse()).visit(location)
    const repeated = await browser.visit(location)
    expect(getRedirect(repeated).path).toBe('/api/auth/signin/passport')
    expect(await browser.json('/session')).toEqual({})
  })

  test('to link an account does not sign in with it', async () => {
    const storage = memoryStorage()
    const service = serve({ storage, providers: [passport(), passport({ id: 'other' })] })
    const browser = service.browse()
    await signIn(browser)
    const request = await beginSignIn(browser, { link: 'true' }, '/signin/other')
    const url = toCallbackUrl(request, 'alice')
    await copyBrowser(browser, service.browse()).visit(url)
    expect(getRedirect(await browser.visit(url)).path).toBe('/api/auth/signin')
    const { id } = await getUser(browser)
    expect(await storage.listAccounts(id)).toHaveLength(2)
  })

  test('leads to a page of the application, with the error and the return URL', async () => {
    const service = serve({ pages: { signIn: '/welcome' } })
    const browser = service.browse()
    const url = toCallbackUrl(await beginSignIn(browser, { callbackUrl: deep }), 'alice')
    await copyBrowser(browser, service.browse()).visit(url)
    const repeated = await browser.visit(url)
    const last = await browser.visit(repeated.headers.get('location') ?? '')
    const { pathname, searchParams } = new URL(last.headers.get('location') ?? '')
    expect([pathname, Object.fromEntries(searchParams)]).toEqual([
      '/welcome',
      { error: 'OAuthCallback', callbackUrl: deep },
    ])
  })

  test('says so in each of eleven languages', async () => {
    const languages = { ar, de, es, fr, it, ja, nl, pl, 'pt-BR': ptBR, 'zh-Hans': zhHans }
    const all = Object.entries({ en, ...languages })
    expect(all).toHaveLength(11)
    const service = serve({ messages: languages })
    for (const [tag, messages] of all) {
      const browser = service.browse()
      const url = toCallbackUrl(await beginSignIn(browser, { callbackUrl: deep }), 'alice')
      await copyBrowser(browser, service.browse()).visit(url)
      const { headers } = await browser.visit(url)
      const page = await browser.visit(headers.get('location') ?? '', {
        headers: { 'accept-language': tag },
      })
      const html = await page.text()
      expect(html).toContain(`lang="${tag.toLowerCase()}"`)
      expect(html).toContain(messages.errors.OAuthCallback)
      expect(html).toContain(messages.continueWith.replace('{name}', 'Passport'))
      expect((await continueOn(browser, html)).headers.get('location')).toBe(deep)
    }
  })
})

describe('a link of an email that is opened again (I-31)', () => {
  const openTwice = async (
    service: MailService<unknown>,
  ): Promise<{ readonly browser: Browser; readonly repeated: Response }> => {
    const browser = service.browse()
    await requestEmail(browser, 'alice@example.com', { callbackUrl: deep })
    const link = service.mailbox.getLink().href
    const lost = await copyBrowser(browser, service.browse()).visit(link)
    expect(lost.headers.get('location')).toBe(deep)
    return { browser, repeated: await browser.visit(link) }
  }

  test.each([false, true])(
    'in the browser that asked, before it got an answer: another one is sent in one step, code %s',
    async (code) => {
      const service = serveMail({}, { code })
      const { browser, repeated } = await openTwice(service)
      expect(getRedirect(repeated)).toEqual({
        path: '/api/auth/signin/email',
        error: 'Verification',
      })
      expect(await browser.json('/session')).toEqual({})
      expect(repeated.headers.get('location')).not.toContain('alice')
      const page = await openPage(browser, repeated)
      expect(page).toContain(en.errors.Verification)
      expect(page).toContain('value="alice@example.com"')
      const { action, fields } = parseForm(page)
      expect(fields).toMatchObject({ callbackUrl: deep })
      const previous = service.mailbox.getLink().href
      await browser.post(action, { ...fields, email: 'alice@example.com' })
      expect(service.mailbox.mails).toHaveLength(2)
      expect(getRedirect(await browser.visit(previous)).error).toBe('Verification')
      const opened = await browser.visit(service.mailbox.getLink().href)
      expect(opened.headers.get('location')).toBe(deep)
      expect((await getUser(browser)).email).toBe('alice@example.com')
      expect(await browser.visit('/signout').then(({ status }) => status)).toBe(200)
    },
  )

  test('after it has expired: another one is sent in one step', async () => {
    const { browse, mailbox, wait } = serveMail()
    const browser = browse()
    await requestEmail(browser)
    wait(600)
    const response = await browser.visit(mailbox.getLink().href)
    expect(getRedirect(response).path).toBe('/api/auth/signin/email')
    expect(await openPage(browser, response)).toContain('value="alice@example.com"')
  })

  test('in another browser shows the error page, and no email address', async () => {
    const service = serveMail()
    await openTwice(service)
    const other = service.browse()
    const page = await (await other.visit(service.mailbox.getLink().href)).text()
    const refused = await submitForm(other, page)
    expect(getRedirect(refused)).toEqual({ path: '/api/auth/error', error: 'Verification' })
    const form = await (await other.visit('/signin/email?error=Verification')).text()
    expect(form).not.toContain('alice')
  })

  test('to link an account shows the error page', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    await signIn(browser)
    await requestEmail(browser, 'other@example.com', { link: 'true' })
    const link = mailbox.getLink().href
    await copyBrowser(browser, browse()).visit(link)
    expect(getRedirect(await browser.visit(link)).path).toBe('/api/auth/error')
  })

  test.each([{ error: '/oops' }, { signIn: '/welcome' }])(
    'with pages of the application leads to the error page: %j',
    async (pages) => {
      const { repeated } = await openTwice(serveMail({ pages }))
      expect(getRedirect(repeated)).toEqual({
        path: 'error' in pages ? '/oops' : '/api/auth/error',
        error: 'Verification',
      })
    },
  )

  test('the form shows no email address without an error', async () => {
    const { browse } = serveMail()
    const browser = browse()
    await requestEmail(browser)
    expect(await (await browser.visit('/signin/email')).text()).not.toContain('alice')
  })
})

describe('in a browser with a session, what is opened again changes nothing (I-21.10, I-31.11)', () => {
  const expectNothing = async (browser: Browser, url: string, target: string): Promise<void> => {
    const before = [...browser.cookies]
    const response = await browser.visit(url)
    expect(response.headers.get('location')).toBe(target)
    expect(response.headers.getSetCookie()).toEqual([])
    expect([...browser.cookies]).toEqual(before)
  }

  test('a callback leads to the origin', async () => {
    const { browse } = serve({ storage: memoryStorage() })
    const browser = browse()
    const url = toCallbackUrl(await beginSignIn(browser, { callbackUrl: deep }), 'alice')
    expect((await browser.visit(url)).headers.get('location')).toBe(deep)
    await expectNothing(browser, url, origin)
    expect(getRedirect(await browse().visit(url)).error).toBe('OAuthCallback')
    await browser.submit('/signout')
    expect(getRedirect(await browser.visit(url)).error).toBe('OAuthCallback')
  })

  test('a posted callback leads to the origin', async () => {
    const { browse } = serve()
    const browser = browse()
    const url = new URL(toCallbackUrl(await beginSignIn(browser), 'alice'))
    const posted = await browser.post('/callback/passport', Object.fromEntries(url.searchParams))
    const location = posted.headers.get('location') ?? ''
    expect((await browser.visit(location)).headers.get('location')).toBe(origin)
    await expectNothing(browser, location, origin)
    // Back repeats the POST of the provider's page.
    await browser.post('/callback/passport', Object.fromEntries(url.searchParams))
    expect((await browser.visit(location)).headers.get('location')).toBe(origin)
    expect(getRedirect(await browse().visit(location)).error).toBe('OAuthCallback')
  })

  test('a callback without a valid state is an error', async () => {
    const { browse } = serve()
    const browser = browse()
    await signIn(browser)
    const response = await browser.visit('/callback/passport?error=server_error&state=x')
    expect(getRedirect(response).error).toBe('OAuthCallback')
  })

  test('a callback with a flow signs in as another user', async () => {
    const { browse } = serve()
    const browser = browse()
    await signIn(browser, 'alice')
    await signIn(browser, 'bob')
    expect(await getUser(browser)).toMatchObject({ name: 'Person bob' })
  })

  test('a link leads to its return URL', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    await requestEmail(browser, 'alice@example.com', { callbackUrl: deep })
    const { href } = mailbox.getLink()
    expect((await browser.visit(href)).headers.get('location')).toBe(deep)
    await expectNothing(browser, href, deep)
    const evil = new URL(href)
    evil.searchParams.set('callbackUrl', 'https://evil.example/')
    await expectNothing(browser, evil.href, origin)
    expect((await browse().visit(href)).status).toBe(200)
    await browser.submit('/signout')
    expect((await browser.visit(href)).status).toBe(200)
  })

  test('a link leads nowhere beside a planted session, also one with its address', async () => {
    const { browse, mailbox } = serveMail({
      providers: [
        passport({
          identify: () => ({ profile: { email: 'alice@example.com', emailVerified: false } }),
        }),
      ],
    })
    const [owner, victim] = [browse(), browse()]
    await requestEmail(owner, 'alice@example.com')
    const { href } = mailbox.getLink()
    await signIn(victim, 'mallory')
    expect(await getUser(victim)).toMatchObject({ email: 'alice@example.com' })
    const page = await victim.visit(href)
    expect(page.status).toBe(200)
    await submitForm(victim, await page.text())
    expect(await getUser(victim)).toMatchObject({ email: 'alice@example.com', emailVerified: true })
    await requestEmail(owner, 'carol@example.com')
    expect((await victim.visit(mailbox.getLink().href)).status).toBe(200)
  })
})
