import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { Secret, TOTP } from 'otpauth'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDemo } from './support/demo.ts'
import type { Program } from '@latchkey/test-support/program'

const root = resolve(import.meta.dirname, '../../..')
const screenshots = join(root, 'coverage/screenshots')

interface Mail {
  readonly link: string
  readonly code: string
}

describe.runIf(hasChromium())('in Chromium', () => {
  let demo: Program
  let browser: Browser
  let origin: string

  beforeAll(async () => {
    ;({ program: demo, origin } = await startDemo())
    browser = await chromium.launch(chromiumOptions)
    mkdirSync(screenshots, { recursive: true })
  })

  afterAll(async () => {
    await browser?.close()
    await demo?.stop()
  })

  /** Runs a test in a new browser context. Anything that the pages write to the console fails it. */
  async function withBrowser(
    visit: (page: Page, context: BrowserContext) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    const context = await browser.newContext({ locale: 'en-GB', ...options })
    const messages: string[] = []
    try {
      const page = await context.newPage()
      page.on('console', (message) => {
        // A test can type before Chromium has focused the field of the page.
        const expected = /favicon|Autofocus processing was blocked|status of [45]\d\d/
        if (!expected.test(message.text() + message.location().url)) messages.push(message.text())
      })
      page.on('pageerror', (error) => messages.push(error.message))
      await visit(page, context)
      expect(messages).toEqual([])
    } finally {
      await context.close()
    }
  }

  const signIn = async (page: Page, who: string): Promise<void> => {
    await page.goto(origin)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Continue with Demo provider' }).click()
    await page.getByRole('button', { name: who }).click()
  }

  test('a user adds a passkey on the account page of the service, and signs in by it', () =>
    withBrowser(async (page, context) => {
      const devtools = await context.newCDPSession(page)
      await devtools.send('WebAuthn.enable')
      const options = {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      } as const
      await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
      await signIn(page, 'Continue as Bob')
      await page.goto(`${origin}/api/auth/account`)
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByText('only on one device').waitFor()
      await page.goto(`${origin}/api/auth/signout`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.goto(`${origin}/api/auth/signin`)
      // With the virtual authenticator the passkey is picked as soon as the page offers it.
      await page.getByText('Hello, Bob').waitFor()
      await page.goto(`${origin}/api/auth/account`)
      const row = page.locator('#ways li', { hasText: 'Passkey' })
      await row.getByText('last used on').waitFor()
      await row.getByText('only on one device').waitFor()
    }))

  test('a user signs in, sees the session, and signs out', () =>
    withBrowser(async (page, context) => {
      await signIn(page, 'Continue as Alice')
      expect(page.url()).toBe(`${origin}/`)
      await page.getByText('Hello, Alice').waitFor()
      expect(await page.locator('pre').textContent()).toContain('"email": "alice@example.com"')
      const cookies = await context.cookies()
      expect(cookies.find(({ name }) => name === 'latchkey.session')).toMatchObject({
        httpOnly: true,
        sameSite: 'Lax',
        path: '/',
      })
      const flows = cookies.filter(({ name }) => name.startsWith('latchkey.flow'))
      expect(flows.filter(({ name }) => !name.endsWith('.passkey'))).toEqual([])
      await page.getByRole('link', { name: 'Sign out' }).click()
      await page.screenshot({ path: join(screenshots, 'sign-out.png') })
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('Hello, stranger').waitFor()
      expect(
        (await context.cookies()).find(({ name }) => name === 'latchkey.session'),
      ).toBeUndefined()
    }))

  test('a user who cancels at the provider sees a message, and can try again', () =>
    withBrowser(async (page) => {
      await signIn(page, 'Cancel')
      await page.getByRole('status').waitFor()
      expect(await page.getByRole('status').textContent()).toMatch(/cancelled/)
      expect(new URL(page.url()).searchParams.get('error')).toBe('Cancelled')
      await page.screenshot({ path: join(screenshots, 'cancelled.png') })
      await page.getByRole('button', { name: 'Continue with Demo provider' }).click()
      await page.getByRole('button', { name: 'Continue as Bob' }).click()
      await page.getByText('Hello, Bob').waitFor()
    }))

  test('a page whose token has expired is shown again, and then works (I-7, I-17)', () =>
    withBrowser(async (page, context) => {
      await page.goto(`${origin}/api/auth/signin`)
      await context.clearCookies()
      await page.getByRole('button', { name: 'Demo provider' }).click()
      expect(await page.getByRole('alert').textContent()).toMatch(/expired/)
      await page.getByRole('button', { name: 'Demo provider' }).click()
      await page.getByRole('button', { name: 'Continue as Alice' }).click()
      await page.getByText('Hello, Alice').waitFor()
    }))

  test('two tabs sign in at the same time (I-21)', () =>
    withBrowser(async (first, context) => {
      const second = await context.newPage()
      for (const page of [first, second]) {
        await page.goto(`${origin}/api/auth/signin`)
        await page.getByRole('button', { name: 'Demo provider' }).click()
      }
      await first.getByRole('button', { name: 'Continue as Alice' }).click()
      await first.getByText('Hello, Alice').waitFor()
      await second.getByRole('button', { name: 'Continue as Bob' }).click()
      await second.getByText('Hello, Bob').waitFor()
    }))

  test('a form of another site does not sign the user out (I-17)', () =>
    withBrowser(async (page, context) => {
      await signIn(page, 'Continue as Alice')
      const evil = await context.newPage()
      await evil.route('http://evil.test/', (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<form method="post" action="${origin}/api/auth/signout"><button>x</button></form>`,
        }),
      )
      await evil.goto('http://evil.test/')
      await evil.getByRole('button').click()
      await evil.getByRole('alert').waitFor()
      await page.goto(origin)
      await page.getByText('Hello, Alice').waitFor()
    }))

  /** Types an email address in the first step of the sign-in page. */
  const typeAddress = async (page: Page, email: string): Promise<void> => {
    await page.getByLabel('Email address').fill(email)
    await page.locator('form[action$="/signin"] button').click()
    await page.getByLabel('Password').waitFor()
  }

  const requestEmail = async (page: Page, email: string): Promise<void> => {
    await page.goto(`${origin}/api/auth/signin?callbackUrl=${origin}/`)
    await typeAddress(page, email)
    await page.getByRole('button', { name: 'Email me a sign-in link' }).click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    await page.getByText(email).waitFor()
  }

  /** Reads the newest email to an email address from the mailbox. */
  const readMail = async (context: BrowserContext, email: string): Promise<Mail> => {
    const page = await context.newPage()
    await page.goto(`${origin}/mailbox`)
    const mail = page.locator('section', { hasText: `To ${email}` }).first()
    const link = (await mail.getByRole('link').getAttribute('href')) as string
    const [code = ''] = /^\d{8}$/m.exec((await mail.locator('pre').textContent()) as string) ?? []
    await page.close()
    return { link, code }
  }

  test('email: the link signs in immediately in the browser that requested it (I-31)', () =>
    withBrowser(async (page, context) => {
      await requestEmail(page, 'erin@example.com')
      await page.screenshot({ path: join(screenshots, 'check-your-email.png') })
      const { link } = await readMail(context, 'erin@example.com')
      await page.goto(link)
      await page.getByText('Hello, erin@example.com').waitFor()
    }))

  test('email: in another browser the link needs a confirmation, and works once (I-30, I-31)', () =>
    withBrowser(async (page, context) => {
      await requestEmail(page, 'frank@example.com')
      const { link } = await readMail(context, 'frank@example.com')
      await withBrowser(async (elsewhere) => {
        await elsewhere.goto(link)
        await elsewhere.getByText('Sign in as frank@example.com?').waitFor()
        await elsewhere.screenshot({ path: join(screenshots, 'confirm.png') })
        await elsewhere.getByRole('button', { name: 'Sign in' }).click()
        await elsewhere.getByText('Hello, frank@example.com').waitFor()
      })
      await page.goto(link)
      expect(await page.getByRole('alert').textContent()).toMatch(/was used already/)
      await page.goto(origin)
      await page.getByText('Hello, stranger').waitFor()
    }))

  test('email: a scanner that sends GET, HEAD and prefetch requests does not use the link (I-31)', () =>
    withBrowser(async (page, context) => {
      await requestEmail(page, 'grace@example.com')
      const { link } = await readMail(context, 'grace@example.com')
      for (const method of ['GET', 'HEAD', 'GET']) await fetch(link, { method })
      // A prefetch of this browser, with its cookies.
      const prefetch = await context.request.get(link, { headers: { 'sec-purpose': 'prefetch' } })
      expect(prefetch.status()).toBe(200)
      await page.goto(link)
      await page.getByText('Hello, grace@example.com').waitFor()
    }))

  test('email: the code can be typed in the browser that requested it, after a wrong one too (I-31)', () =>
    withBrowser(async (page, context) => {
      await requestEmail(page, 'heidi@example.com')
      const { code } = await readMail(context, 'heidi@example.com')
      await page.getByLabel('eight-digit code').fill(code === '00000000' ? '00000001' : '00000000')
      await page.getByRole('button', { name: 'Sign in' }).click()
      expect(await page.getByRole('alert').textContent()).toMatch(/code is wrong/)
      await page.screenshot({ path: join(screenshots, 'wrong-code.png') })
      await page.getByLabel('eight-digit code').fill(code)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Hello, heidi@example.com').waitFor()
    }))

  test('the page with the browser client: a sign-out changes every tab', () =>
    withBrowser(async (first, context) => {
      const second = await context.newPage()
      for (const page of [first, second]) {
        await page.goto(`${origin}/web/client.html`)
        await page.getByText('Hello, stranger').waitFor()
      }
      await first.getByRole('button', { name: 'Sign in' }).click()
      await first.getByRole('button', { name: 'Continue with Demo provider' }).click()
      await first.getByRole('button', { name: 'Continue as Alice' }).click()
      for (const page of [first, second]) await page.getByText('Hello, Alice').waitFor()
      expect(first.url()).toBe(`${origin}/web/client.html`)
      expect(await first.getByRole('button', { name: 'Sign in' }).isVisible()).toBe(false)
      await second.getByRole('button', { name: 'Sign out' }).click()
      for (const page of [first, second]) await page.getByText('Hello, stranger').waitFor()
    }))

  test('the React page signs in and out', () =>
    withBrowser(async (page) => {
      await page.goto(`${origin}/web/react.html`)
      await page.getByRole('button', { name: 'Sign in with the demo provider' }).click()
      await page.getByRole('button', { name: 'Continue as Bob' }).click()
      await page.getByText('Hello, Bob').waitFor()
      expect(page.url()).toBe(`${origin}/web/react.html`)
      await page.screenshot({ path: join(screenshots, 'react.png') })
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('Hello, stranger').waitFor()
    }))

  test('a user registers with a password, chooses a forgotten one anew, and signs in', () =>
    withBrowser(async (page, context) => {
      const email = 'peggy@example.com'
      const submit = async (fields: Readonly<Record<string, string>>): Promise<void> => {
        const [first = ''] = Object.keys(fields)
        const form = page.locator('form', { has: page.locator(`input[name=${first}]`) }).last()
        for (const [name, value] of Object.entries(fields)) {
          await form.locator(`input[name=${name}]`).fill(value)
        }
        await form.getByRole('button').click()
      }
      const openSignIn = async (): Promise<void> => {
        await page.goto(`${origin}/api/auth/signin`)
      }
      const signOut = async (): Promise<void> => {
        await page.goto(`${origin}/api/auth/signout`)
        await page.getByRole('button', { name: 'Sign out' }).click()
      }
      await openSignIn()
      await page.getByRole('link', { name: 'Create an account' }).click()
      await submit({ email })
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
      await page.goto((await readMail(context, email)).link)
      await submit({ password: 'four words that differ' })
      await page.getByText(`Hello, ${email}`).waitFor()
      await signOut()
      await openSignIn()
      await typeAddress(page, email)
      await page.getByRole('button', { name: 'Forgot your password?' }).click()
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
      await page.goto((await readMail(context, email)).link)
      await submit({ password: 'another four good words' })
      await page.getByText(`Hello, ${email}`).waitFor()
      await signOut()
      await openSignIn()
      await typeAddress(page, email)
      await submit({ password: 'another four good words' })
      await page.getByText(`Hello, ${email}`).waitFor()
    }))

  /** Signs in with the link of an email. */
  const signInByEmail = async (
    page: Page,
    context: BrowserContext,
    email: string,
  ): Promise<void> => {
    await requestEmail(page, email)
    await page.goto((await readMail(context, email)).link)
  }

  test('a user sets up an authenticator app, and signs in with a code and a recovery code', () =>
    withBrowser(async (page, context) => {
      const email = 'judy@example.com'
      await signInByEmail(page, context, email)
      await page.goto(`${origin}/api/auth/account`)
      await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
      await page.getByRole('img', { name: 'QR code' }).waitFor()
      await page.screenshot({ path: join(screenshots, 'enrol.png'), fullPage: true })
      const key = (await page.locator('code').textContent()) ?? ''
      const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
      const code = page.getByLabel('Code from your authenticator app')
      await code.fill(app.generate())
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
      const recoveryCodes = await page.locator('code').allTextContents()
      expect(recoveryCodes).toHaveLength(10)
      await page.screenshot({ path: join(screenshots, 'recovery-codes.png'), fullPage: true })
      await page.getByLabel('I have saved these codes').check()
      await page.getByRole('link', { name: 'Continue' }).click()
      const signInAgain = async (): Promise<void> => {
        await page.goto(`${origin}/api/auth/signout`)
        await page.getByRole('button', { name: 'Sign out' }).click()
        await signInByEmail(page, context, email)
        await page.getByRole('heading', { name: 'Second step' }).waitFor()
      }
      await signInAgain()
      await page.screenshot({ path: join(screenshots, 'second-step.png'), fullPage: true })
      // The next code: the one before was used.
      await code.fill(app.generate({ timestamp: Date.now() + 30_000 }))
      const ofApp = page.locator('form', { hasText: 'authenticator app' })
      await ofApp.getByRole('button', { name: 'Continue' }).click()
      await page.getByText(`Hello, ${email}`).waitFor()

      await signInAgain()
      await page.getByRole('link', { name: 'Use a recovery code' }).click()
      await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '')
      const ofCodes = page.locator('form', { hasText: 'Recovery code' })
      await ofCodes.getByRole('button', { name: 'Continue' }).click()
      await page.getByText(`Hello, ${email}`).waitFor()
    }))

  test('on the account page of the service a user changes the name, and begins to set up an authenticator app', () =>
    withBrowser(async (page, context) => {
      await signInByEmail(page, context, 'mallory@example.com')
      await page.getByRole('link', { name: 'Your account' }).click()
      await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
      await page.getByLabel('Name').fill('Mallory Example')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('status').getByText('Your changes are saved.').waitFor()
      await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
      await page.getByRole('img', { name: 'QR code' }).waitFor()
      await page.goto(origin)
      await page.getByText('Hello, Mallory Example').waitFor()
    }))

  test.each([
    ['light', 1280],
    ['light', 375],
    ['dark', 1280],
    ['dark', 375],
  ] as const)(
    'home, account, traffic, looks and editors fit a %s window of %i pixels',
    (colorScheme, width) =>
      withBrowser(
        async (page) => {
          await signIn(page, 'Continue as Alice')
          await page.getByText('Hello, Alice').waitFor()
          for (const [name, path] of [
            ['home', '/'],
            ['account', '/api/auth/account'],
            ['traffic', '/traffic'],
            ['looks', '/looks'],
            ['editors', '/editors'],
          ] as const) {
            await page.goto(origin + path)
            await page.getByRole('heading', { level: 1 }).waitFor()
            expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
            const file = join(screenshots, `${name}-${colorScheme}-${width}.png`)
            await page.screenshot({ path: file, fullPage: true })
          }
          await page.goto(`${origin}/traffic`)
          await page.getByText('becomes an access token and an ID Token').last().waitFor()
        },
        { colorScheme, viewport: { width, height: 800 } },
      ),
  )

  test('the first window says what Latchkey is, why, and how to sign in, without scrolling', () =>
    withBrowser(
      async (page) => {
        await page.goto(origin)
        for (const part of [
          page.getByRole('heading', { level: 1, name: 'Latchkey' }),
          page.getByText('A sign-in service for the Web platform'),
          page.getByRole('list', { name: 'Why Latchkey' }),
          page.getByRole('link', { name: 'Sign in' }),
          page.getByRole('link', { name: 'Themes and languages' }),
          page.getByRole('link', { name: 'A page for editors only' }),
          page.getByRole('link', { name: 'Mailbox' }),
          page.getByRole('link', { name: 'What travels in a sign-in' }),
        ]) {
          const box = await part.boundingBox()
          expect(box && box.y + box.height).toBeLessThanOrEqual(720)
        }
      },
      { viewport: { width: 1280, height: 720 } },
    ))

  test('a user signs in on a page with a theme, in another language, and sees the page for editors', () =>
    withBrowser(async (page) => {
      await page.goto(origin)
      await page.getByRole('link', { name: 'Themes and languages' }).click()
      await page.screenshot({ path: join(screenshots, 'looks-list.png') })
      await page.getByRole('link', { name: /^Evening/ }).click()
      const picture = page.frameLocator('iframe[title="Account"]')
      await picture.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
      await page.getByRole('link', { name: 'Sign in on it' }).click()
      await page.screenshot({ path: join(screenshots, 'looks-evening.png') })
      const evening = await page.evaluate('getComputedStyle(document.body).backgroundColor')
      expect(evening).toBe('rgb(255, 247, 237)')
      await page.goto(`${origin}/looks/press/fr`)
      expect(await page.locator('html').getAttribute('lang')).toBe('fr')
      await page.getByRole('button', { name: /Demo provider/ }).click()
      await page.getByRole('button', { name: 'Continue as Alice' }).click()
      await page.getByText('Hello, Alice').waitFor()
      await page.getByRole('link', { name: 'A page for editors only' }).click()
      await page.getByText('your role is editor').waitFor()
    }))

  test('sign-in works with the keyboard only', () =>
    withBrowser(async (page) => {
      await page.goto(`${origin}/api/auth/signin`)
      const focused = page.locator('button:focus', { hasText: 'Demo provider' })
      while ((await focused.count()) === 0) await page.keyboard.press('Tab')
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
      expect(outline).toBe('solid')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Continue as Alice' }).waitFor()
    }))

  test.each([
    ['light', 'rgb(244, 245, 247)', 'en-GB', 'Continue with Demo provider'],
    ['dark', 'rgb(15, 18, 22)', 'de-DE', 'Weiter mit Demo provider'],
  ] as const)(
    'the style sheet is applied under the policy: %s',
    (colorScheme, background, locale, label) =>
      withBrowser(
        async (page) => {
          await page.goto(`${origin}/api/auth/signin`)
          expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
            background,
          )
          expect(await page.evaluate('document.styleSheets.length')).toBe(1)
          await page.getByRole('button', { name: label }).waitFor()
          await page.screenshot({ path: join(screenshots, `sign-in-${colorScheme}.png`) })
          await page.goto(`${origin}/api/auth/error?error=AccessDenied`)
          await page.screenshot({ path: join(screenshots, `error-${colorScheme}.png`) })
          await page.goto(`${origin}/api/auth/verify-request`)
          await page.screenshot({ path: join(screenshots, `verify-request-${colorScheme}.png`) })
        },
        { colorScheme, locale, viewport: { width: 720, height: 480 } },
      ),
  )

  test('a small window does not scroll horizontally', () =>
    withBrowser(
      async (page) => {
        await page.goto(`${origin}/api/auth/signin?error=Configuration`)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
      },
      { viewport: { width: 320, height: 480 } },
    ))
})
