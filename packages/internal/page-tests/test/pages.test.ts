import { readFile } from 'node:fs/promises'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions, Page, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { expectAccessible, expectAccessibleInDark, expectValid } from '../src/checks.ts'
import { branded } from '../src/look.ts'
import { askForConsent } from '../src/password-scenes.ts'
import { createAddress, openLink, signInByEmail } from '../src/scene.ts'
import { openEnrolment, readApp, scenes } from '../src/scenes.ts'
import { languages } from '../../../../apps/demo/src/languages.ts'
import { servePages } from '../src/serve-pages.ts'
import type { ServedPages } from '../src/serve-pages.ts'

/** Scenes in languages whose elements other languages have too. */
const samples = named('sign-in', 'every-way-second', 'second-step')

/** Scenes that together have every element of the pages, in every state, colour and size. */
const kinds = named(
  'sign-in',
  'sign-in-error',
  'sign-out',
  'check-email-again',
  'wrong-code',
  'access-denied',
  'enrol',
  'enrol-wrong-code',
  'recovery-codes',
  'second-step',
  'second-step-wrong-code',
  'account',
  'every-way-last-used',
  'every-way-wrong',
  'account-change',
  'account-remove',
  'password-sign-in',
  'password-wrong',
  'password-account',
  'password-other-ways',
  'passkey-account-none',
  'passkey-create-registered',
)

function named(...names: readonly string[]): typeof scenes {
  const found = scenes.filter(({ name }) => names.includes(name))
  expect(found).toHaveLength(names.length)
  return found
}

/** What users press. The label of a box ticks it too. */
const targets =
  'a, button, summary, input:not([type=hidden], [type=checkbox]), label:has([type=checkbox])'

/** What Tab leads to. */
const focusable = 'a, button, summary, input:not([type=hidden], :disabled)'

/** The most presses of Tab to a control that a user needs. */
const MOST_TABS = 7

/** Returns the texts of elements, the labels of boxes, and the names of fields. */
function listNames(elements: readonly Element[]): readonly string[] {
  return elements.map((element) => {
    const text = element.textContent.trim()
    return text || element.getAttribute('name') || element.parentElement?.textContent.trim() || '?'
  })
}

describe.runIf(hasChromium())('the built-in pages in Chromium', () => {
  let browser: Browser
  let plain: ServedPages
  let full: ServedPages

  beforeAll(async () => {
    browser = await chromium.launch(chromiumOptions)
    plain = await servePages()
    full = await servePages(branded)
  })

  afterAll(async () => {
    await browser?.close()
    await plain?.stop()
    await full?.stop()
  })

  async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'en', ...options })
    onTestFinished(() => context.close())
    return context.newPage()
  }

  /**
   * Opens every scene without cookies. Whatever a page writes to the console fails the test.
   *
   * @param check Receives the page, and the HTML as the service sent it
   * @param visited Default: all
   */
  async function visitAll(
    served: ServedPages,
    options: BrowserContextOptions,
    check: (page: Page, name: string, html: string) => Promise<void>,
    visited: typeof scenes = scenes,
  ): Promise<void> {
    // axe-core is a script, which the policy of the pages forbids; what is served stays the same.
    const page = await openPage({ bypassCSP: true, ...options })
    const messages: string[] = []
    page.on('console', (message) => {
      // A scene can type before Chromium has focused the field of the page.
      const expected = /favicon|Autofocus processing was blocked|status of [45]\d\d/
      if (!expected.test(message.text() + message.location().url)) messages.push(message.text())
    })
    let shown: Response | undefined
    page.on('response', (response) => {
      if (response.request().isNavigationRequest()) shown = response
    })
    for (const { name, open } of visited) {
      await page.context().clearCookies()
      await open(page, served)
      await check(page, name, (await shown?.text()) ?? '')
      expect(messages, name).toEqual([])
    }
  }

  // All scenes in one language: the others have the same elements.
  test.each(
    ['en', ...Object.keys(languages)].map(
      (locale) => [locale, locale === 'ar' ? 'light and dark' : 'light'] as const,
    ),
  )(
    'axe and html-validate find nothing in %s, %s, with brand, marks and links',
    (locale, colours) =>
      visitAll(
        full,
        { locale },
        async (page, name, html) => {
          await expectAccessible(page, name)
          await expectValid(html, name)
          if (colours === 'light and dark') await expectAccessibleInDark(page, name)
          expect(await page.locator('html').getAttribute('lang')).toBe(locale.toLowerCase())
        },
        { en: scenes, ar: kinds }[locale] ?? samples,
      ),
    360_000,
  )

  test('nor in the unbranded pages, light and dark', () =>
    visitAll(
      plain,
      {},
      async (page, name, html) => {
        await expectAccessible(page, name)
        await expectValid(html, name)
        await expectAccessibleInDark(page, name)
      },
      kinds,
    ))

  // German has the longest words.
  test.each([
    ['ar', kinds],
    ['de', scenes],
  ] as const)(
    'in %s every target is 44 pixels high, nothing scrolls sideways, and text is not cut off',
    (locale, visited) =>
      visitAll(
        full,
        { locale, viewport: { width: 320, height: 640 } },
        async (page, name) => {
          const shown = page.locator(targets).filter({ visible: true })
          const sizes = await shown.evaluateAll((elements) =>
            elements.map((element) => {
              const { width, height } = element.getBoundingClientRect()
              return Math.min(width, height)
            }),
          )
          expect(sizes.length, name).toBeGreaterThan(0)
          expect(Math.min(...sizes), name).toBeGreaterThanOrEqual(44)
          expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(320)
        },
        visited,
      ),
  )

  test('the layout is mirrored from right to left', async () => {
    const getMarkSide = async (locale: string): Promise<number> => {
      const page = await openPage({ locale, viewport: { width: 800, height: 800 } })
      await page.goto(`${full.base}/signin`)
      const mark = await page.locator('button svg').first().boundingBox()
      const label = await page
        .locator('label')
        .first()
        .evaluate((element) => getComputedStyle(element).textAlign)
      expect(label).toBe('start')
      return (mark?.x ?? 0) - 400
    }
    expect(await getMarkSide('en')).toBeLessThan(-100)
    expect(await getMarkSide('ar')).toBeGreaterThan(100)
  })

  test('the policy of the pages allows them: nothing is blocked, and the logo is shown', async () => {
    const page = await openPage()
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    await page.goto(`${full.base}/signin`)
    expect(await page.locator('header svg').boundingBox()).toMatchObject({ width: 40, height: 40 })
    expect(messages.filter((text) => !text.includes('favicon'))).toEqual([])
  })

  test('the policy allows a logo that is a data URI', async () => {
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"></svg>'
    const logo = `data:image/svg+xml;base64,${btoa(drawing)}`
    const served = await servePages({ brand: { name: 'Meridian', logo } })
    onTestFinished(served.stop)
    const page = await openPage()
    await page.goto(`${served.base}/signin`)
    const image = page.getByRole('img', { name: 'Meridian' })
    expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(120)
    expect(await image.boundingBox()).toMatchObject({ width: 80, height: 40 })
  })

  /** Returns the name of what has the focus, which it must show; without one, an empty text. */
  async function readFocused(page: Page): Promise<string> {
    const focused = page.locator(':focus')
    const [name = ''] = await focused.evaluateAll(listNames)
    const outlines = await focused.evaluateAll((elements) =>
      elements.map((element) => getComputedStyle(element).outline),
    )
    expect(outlines, name).toEqual(name === '' ? [] : [expect.stringContaining('solid 3px')])
    return name
  }

  /** Expects that Tab leads through all controls of a page, in their order, and begins anew. */
  async function expectTabOrder(page: Page, title: string): Promise<void> {
    const order: string[] = []
    do {
      await page.keyboard.press('Tab')
      order.push(await readFocused(page))
    } while (order.filter((name) => name === '').length < 2)
    const controls = page.locator(focusable).filter({ visible: true })
    const expected = await controls.evaluateAll(listNames)
    expect(order.slice(order.indexOf('') + 1, -1), title).toEqual(expected)
  }

  test('Tab leads through the controls of a page in their order, and each shows that it has the focus', () =>
    visitAll(full, {}, expectTabOrder, kinds))

  /** Opens a browser without JavaScript whose user has only a keyboard, and counts what the user needs. */
  async function openKeyboard() {
    const page = await openPage({ javaScriptEnabled: false })
    const used = { pages: 0, presses: 0 }
    /** @param first The field that has the focus without a key. Default: none */
    const arrive = async (heading: string, first = ''): Promise<void> => {
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
      await expect.poll(() => readFocused(page)).toBe(first)
      await expectTabOrder(page, heading)
      if (first) await page.locator(`[name=${first}]`).focus()
      used.pages++
    }
    const tabTo = async (control: string): Promise<void> => {
      for (let tabs = 0; (await readFocused(page)) !== control; tabs++) {
        expect(tabs, `Tabs to ${control}`).toBeLessThan(MOST_TABS)
        await page.keyboard.press('Tab')
      }
    }
    const follow = async (link: string): Promise<void> => {
      await tabTo(link)
      await page.keyboard.press('Enter')
    }
    const submit = async (control: string, text = ''): Promise<void> => {
      await tabTo(control)
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
      used.presses++
    }
    return { page, used, arrive, tabTo, follow, submit }
  }

  test('a user signs in by the code of an email, changes the name, and deletes the account, with only the keyboard', async () => {
    const { page, arrive, follow, submit } = await openKeyboard()
    await page.goto(`${full.base}/signin`)
    await arrive('Sign in', 'email')
    await submit('email', createAddress('alice'))
    await arrive('Check your email', 'code')
    await submit('code', /^\d{8}$/m.exec(full.mails.at(-1)?.text ?? '')?.[0])
    await page.waitForURL(`${full.origin}/`)
    await page.goto(`${full.base}/account`)
    await arrive('Your account')
    await submit('name', 'Alice Example')
    await page.getByText('Your changes are saved.').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Alice Example')
    // The link to the section, and then the one in it.
    await follow('Delete the account')
    await follow('Delete the account')
    await arrive('Delete the account')
    await submit('Delete the account')
    await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor()
  })

  test('a new user allows an application, sets up a second factor, and signs in again, with only the keyboard', async () => {
    const { page, used, arrive, tabTo, follow, submit } = await openKeyboard()
    const [address, password] = [createAddress('member'), 'four words that differ']
    await askForConsent(page, full)
    await arrive('Sign in', 'email')
    await follow('Create an account')
    await arrive('Create an account', 'email')
    await submit('email', address)
    await arrive('Check your email')
    await openLink(page, full)
    await arrive('Choose a password', 'password')
    await submit('password', password)
    await arrive('Notes asks for access to your account')
    await submit('Allow')
    await page.waitForURL(/code=/)

    await page.goto(`${full.passwordsBase}/account`)
    await arrive('Your account')
    await follow('Second step')
    await submit('Set up an authenticator app')
    await arrive('Set up an authenticator app', 'code')
    const app = await readApp(page)
    await submit('code', app.generate())
    await arrive('Your recovery codes')
    const [saved] = await Promise.all([page.waitForEvent('download'), follow('Download as text')])
    expect(saved.suggestedFilename()).toBe('recovery-codes.txt')
    const stored = await readFile(await saved.path(), 'utf8')
    expect(stored.split('\r\n')).toEqual(await page.locator('.codes code').allTextContents())
    // The page goes on once the user says that the codes are saved.
    await tabTo('I have saved these codes')
    await page.keyboard.press('Space')
    await submit('Continue')

    await arrive('Your account')
    await follow('Sign out')
    await arrive('Sign out')
    await submit('Sign out')
    await page.waitForURL(`${full.origin}/`)
    await page.goto(`${full.passwordsBase}/signin`)
    await arrive('Sign in', 'email')
    await page.keyboard.type(address)
    await submit('password', password)
    await arrive('Second step', 'code')
    await page.keyboard.type(app.generate({ timestamp: Date.now() + 30_000 }))
    await tabTo('remember')
    await page.keyboard.press('Space')
    expect(await page.locator('input[name=remember]').isChecked()).toBe(true)
    await submit('remember')
    await page.waitForURL(`${full.origin}/`)
    expect(used.pages).toBeLessThanOrEqual(14)
    expect(used.presses).toBeLessThanOrEqual(11)
  })

  test('a user resets a password, and changes it, with only the keyboard', async () => {
    const { page, arrive, follow, submit } = await openKeyboard()
    const signOut = async (): Promise<void> => {
      await page.goto(`${full.passwordsBase}/signout`)
      await submit('Sign out')
      await page.waitForURL(`${full.origin}/`)
      await page.goto(`${full.passwordsBase}/signin`)
      await arrive('Sign in', 'email')
    }
    await named('password-account')[0]?.open(page, full)
    const address = full.mails.at(-1)?.to.address ?? ''
    await signOut()
    await page.keyboard.type(address)
    await submit('password', 'a wrong password here')
    await page.getByRole('alert').waitFor()
    await arrive('Sign in', 'password')
    await follow('Forgot your password?')
    await arrive('Forgot your password?', 'email')
    await submit('email', address)
    await arrive('Check your email')
    await openLink(page, full)
    await arrive('Choose a password', 'password')
    await submit('password', 'another four good words')
    await page.waitForURL(`${full.origin}/`)
    await page.goto(`${full.passwordsBase}/account`)
    await follow('Ways to sign in')
    await follow('Change your password')
    await arrive('Change your password', 'password')
    // The browser sends no password that is too short.
    await submit('password', 'yet another')
    await submit('password', ' four words')
    await page.getByText('Your changes are saved.').waitFor()
    await signOut()
    await page.keyboard.type(address)
    await submit('password', 'yet another four words')
    await page.waitForURL(`${full.origin}/`)
  })

  test.each([
    [1280, true],
    [640, false],
  ])('in a window of %i pixels the account has two columns: %s', async (width, isWide) => {
    const page = await openPage({ viewport: { width, height: 800 } })
    await signInByEmail(page, full)
    await page.goto(`${full.base}/account`)
    const links = await page.locator('nav').boundingBox()
    const sections = await page.locator('#profile').boundingBox()
    const end = (links?.x ?? 0) + (links?.width ?? 0)
    expect(end < (sections?.x ?? 0)).toBe(isWide)
  })

  test('keys and codes read from left to right in every language', async () => {
    const page = await openPage({ locale: 'ar' })
    await openEnrolment(page, full)
    const getDirections = (): Promise<unknown> =>
      page.evaluate(
        `[...new Set([...document.querySelectorAll('code')].map((code) => getComputedStyle(code).direction))]`,
      )
    expect(await getDirections()).toEqual(['ltr'])
    await page.locator('input[name=code]').fill((await readApp(page)).generate())
    await page.locator('form button').click()
    expect(await page.locator('.codes code').count()).toBe(10)
    expect(await getDirections()).toEqual(['ltr'])
  })
})
