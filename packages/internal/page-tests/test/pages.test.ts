import { brand } from '@latchkey/core/pages/brand'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions, Page, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible, expectAccessibleInDark, expectValid } from '../src/checks.ts'
import { branded } from '../src/look.ts'
import { signInByEmail } from '../src/scene.ts'
import { openEnrolment, readApp, scenes } from '../src/scenes.ts'
import { languages, servePages } from '../src/serve-pages.ts'
import type { ServedPages } from '../src/serve-pages.ts'

/** Scenes in languages whose elements other languages have too. */
const samples = named('sign-in', 'second-step')

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
    const context = await browser.newContext({ locale: 'en', bypassCSP: true, ...options })
    const page = await context.newPage()
    const messages: string[] = []
    page.on('console', (message) => {
      if (!/favicon|status of [45]\d\d/.test(message.text() + message.location().url))
        messages.push(message.text())
    })
    let shown: Response | undefined
    page.on('response', (response) => {
      if (response.request().isNavigationRequest()) shown = response
    })
    for (const { name, open } of visited) {
      await context.clearCookies()
      await open(page, served)
      await check(page, name, (await shown?.text()) ?? '')
      expect(messages, name).toEqual([])
    }
    await context.close()
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
    120_000,
  )

  test(
    'nor in the unbranded pages, light and dark',
    () =>
      visitAll(
        plain,
        {},
        async (page, name, html) => {
          await expectAccessible(page, name)
          await expectValid(html, name)
          await expectAccessibleInDark(page, name)
        },
        kinds,
      ),
    120_000,
  )

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
    120_000,
  )

  test('the layout is mirrored from right to left', async () => {
    const getMarkSide = async (locale: string): Promise<number> => {
      const context = await browser.newContext({ locale, viewport: { width: 800, height: 800 } })
      const page = await context.newPage()
      await page.goto(`${full.base}/signin`)
      const mark = await page.locator('button svg').first().boundingBox()
      const label = await page
        .locator('label')
        .first()
        .evaluate((element) => getComputedStyle(element).textAlign)
      expect(label).toBe('start')
      await context.close()
      return (mark?.x ?? 0) - 400
    }
    expect(await getMarkSide('en')).toBeLessThan(-100)
    expect(await getMarkSide('ar')).toBeGreaterThan(100)
  })

  test('the policy of the pages allows them: nothing is blocked, and the logo is shown', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    await page.goto(`${full.base}/signin`)
    expect(await page.locator('header svg').boundingBox()).toMatchObject({ width: 40, height: 40 })
    expect(messages.filter((text) => !text.includes('favicon'))).toEqual([])
    await context.close()
  })

  test('the policy allows a logo that is a data URI', async () => {
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"></svg>'
    const logo = `data:image/svg+xml;base64,${btoa(drawing)}`
    const served = await servePages({ brand: brand({ name: 'Meridian', logo }) })
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      await page.goto(`${served.base}/signin`)
      const image = page.getByRole('img', { name: 'Meridian' })
      expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(120)
      expect(await image.boundingBox()).toMatchObject({ width: 80, height: 40 })
    } finally {
      await context.close()
      await served.stop()
    }
  })

  /** Presses Tab until an element has the focus; every one on the way must show that it has it. */
  async function tabToElement(page: Page, name: string): Promise<void> {
    for (let presses = 0; presses < 12; presses++) {
      await page.keyboard.press('Tab')
      const element = await page.evaluate<string>(`(() => {
        const { activeElement: element } = document
        const { outlineStyle, outlineWidth } = getComputedStyle(element)
        return [element.name || element.textContent.trim(), outlineStyle, outlineWidth].join(' ')
      })()`)
      expect(element).toMatch(/ solid 3px$/)
      if (element.startsWith(name)) return
    }
    throw new Error(`expected ${name} within 12 elements`)
  }

  test('a user signs in and out with only the keyboard', async () => {
    const context = await browser.newContext({ locale: 'en' })
    const page = await context.newPage()
    const tabTo = (name: string): Promise<void> => tabToElement(page, name)
    await page.goto(`${full.base}/signin`)
    await tabTo('email')
    await page.keyboard.type('alice@example')
    await page.keyboard.type('.com')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    await tabTo('code')
    await page.keyboard.type(/^\d{8}$/m.exec(full.mails.at(-1)?.text ?? '')?.[0] ?? '')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${full.origin}/`)
    await page.goto(`${full.base}/signin`)
    await page.getByText('You are signed in as alice@example.com.').waitFor()
    await tabTo('Continue')
    await page.goto(`${full.base}/signout`)
    await tabTo('Sign out')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${full.origin}/`)
    await page.goto(`${full.base}/signout`)
    await page.getByText('You are not signed in.').waitFor()
    await context.close()
  })

  test('a user sets up a second factor, and proves it, with only the keyboard', async () => {
    const context = await browser.newContext({ locale: 'en' })
    const page = await context.newPage()
    await openEnrolment(page, full)
    const app = await readApp(page)
    await tabToElement(page, 'code')
    await page.keyboard.type(app.generate())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    await tabToElement(page, 'Continue')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${full.origin}/`)
    await context.clearCookies()
    await signInByEmail(page, full, full.mails.at(-1)?.to.address)
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
    await tabToElement(page, 'code')
    await page.keyboard.type(app.generate({ timestamp: Date.now() + 30_000 }))
    await tabToElement(page, 'remember')
    await page.keyboard.press('Space')
    expect(await page.locator('input[name=remember]').first().isChecked()).toBe(true)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${full.origin}/`)
    await context.close()
  })

  test('keys and codes read from left to right in every language', async () => {
    const context = await browser.newContext({ locale: 'ar' })
    const page = await context.newPage()
    await openEnrolment(page, full)
    const getDirections = (): Promise<unknown> =>
      page.evaluate(
        `[...new Set([...document.querySelectorAll('code')].map((code) => getComputedStyle(code).direction))]`,
      )
    expect(await getDirections()).toEqual(['ltr'])
    await page.locator('input[name=code]').fill((await readApp(page)).generate())
    await page.locator('form button').click()
    expect(await page.locator('li code').count()).toBe(10)
    expect(await getDirections()).toEqual(['ltr'])
    await context.close()
  })

  test('the focus moves in the order of the page', async () => {
    const context = await browser.newContext({ locale: 'en' })
    const page = await context.newPage()
    await page.goto(`${full.base}/signin`)
    const order: unknown[] = []
    for (let presses = 0; presses < 7; presses++) {
      await page.keyboard.press('Tab')
      order.push(
        await page.evaluate(
          'document.activeElement.name || document.activeElement.textContent.trim()',
        ),
      )
    }
    expect(order).toEqual([
      'email',
      'Continue with email',
      'Continue with Google',
      'Continue with GitHub',
      'Continue with Microsoft',
      'Terms',
      'Privacy',
    ])
    await context.close()
  })
})
