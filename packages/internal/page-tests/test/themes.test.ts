import { createAuth } from '@latchkey/core'
import { createTheme } from '@latchkey/core/pages/theme'
import { github } from '@latchkey/core/providers/github'
import { google } from '@latchkey/core/providers/google'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { serveHandler } from '@latchkey/test-support/listen'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { expectAccessible, expectAccessibleInDark } from '../src/checks.ts'
import { scenes } from '../src/scenes.ts'
import { servePages } from '../src/serve-pages.ts'

/** A CSS file that also tries to load what the policy of the pages forbids. */
const css = `@import '/imported.css';
@font-face { font-family: Own; src: url('/own.woff2'); }
main { outline: 3px solid rgb(1, 2, 3); font-family: Own; }
input[name='csrfToken'] { background: url('/token.png'); }
body { background-image: url('/picture.png'); }
`

/** A request that a server received. */
interface Received {
  readonly path: string
  readonly referrer: string | null
}

/** Serves a service and its CSS file, and keeps what is requested. */
async function serveStyled(): Promise<{ readonly origin: string; readonly received: Received[] }> {
  const received: Received[] = []
  const { origin, stop } = await serveHandler((request) => answer(request), { host: 'localhost' })
  onTestFinished(stop)
  const { handle, basePath } = createAuth({
    serviceUrl: origin,
    secret: 'a secret of thirty-two bytes for these pages',
    providers: [github({ clientId: 'id', clientSecret: 'kept secret' })],
    theme: createTheme({ stylesheet: '/brand.css' }),
  })
  const answer = (request: Request): Response | Promise<Response> => {
    const path = new URL(request.url).pathname
    received.push({ path, referrer: request.headers.get('referer') })
    return path.startsWith(basePath)
      ? handle(request)
      : new Response(css, { headers: { 'content-type': 'text/css' } })
  }
  return { origin, received }
}

describe.runIf(hasChromium())('themes in Chromium', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await chromium.launch(chromiumOptions)
  })

  afterAll(() => browser?.close())

  test('the CSS file of the application styles the page, learns no URL of it and loads nothing (I-10.3)', async () => {
    const { origin, received } = await serveStyled()
    const page = await browser.newPage()
    await page.goto(`${origin}/api/auth/signin?callbackUrl=/inbox`, { waitUntil: 'networkidle' })
    const outline = await page
      .locator('main')
      .evaluate((element) => getComputedStyle(element).outlineColor)
    expect(outline).toBe('rgb(1, 2, 3)')
    expect(received).toEqual([
      { path: '/api/auth/signin', referrer: null },
      { path: '/brand.css', referrer: null },
    ])
    await page.close()
  })

  test.each(['#ffd400', '#0b6e4f', '#111111', '#ffffff', '#e11d48'])(
    'with the brand colour %s axe finds nothing, light and dark',
    async (color) => {
      const served = await servePages({ brand: { name: 'Meridian', color } })
      onTestFinished(served.stop)
      const context = await browser.newContext({ locale: 'en', bypassCSP: true })
      const page = await context.newPage()
      for (const { name, open } of scenes) {
        if (!['sign-in', 'sign-in-one', 'wrong-code', 'account'].includes(name)) continue
        await context.clearCookies()
        await open(page, served)
        await expectAccessible(page, name)
        await expectAccessibleInDark(page, name)
      }
      await context.close()
    },
  )

  test('coloured marks lie on white where a button has the brand colour', async () => {
    const { handle, basePath } = createAuth({
      serviceUrl: 'http://localhost',
      secret: 'a secret of thirty-two bytes for these pages',
      providers: [google({ clientId: 'id', clientSecret: 'kept secret' })],
    })
    const response = await handle(new Request(`http://localhost${basePath}/signin`))
    const page = await browser.newPage()
    await page.setContent(await response.text())
    const mark = page.locator('button.primary svg')
    expect(await mark.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      'rgb(255, 255, 255)',
    )
    await page.close()
  })
})
