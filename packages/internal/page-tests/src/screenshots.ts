import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromiumOptions } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { branded } from './look.ts'
import { takeManualPictures } from './manual-pictures.ts'
import { scenes } from './scenes.ts'
import { servePages } from './serve-pages.ts'
import type { ServedPages } from './serve-pages.ts'

const root = resolve(import.meta.dirname, '../../../..')
const folder = join(root, 'coverage/screenshots/pages')
const readmePicture = join(root, '.github/sign-in.png')

/** How the pictures of all pages differ. */
const variants = ['en', 'ar'].flatMap((locale) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    [
      { width: 1280, height: 860 },
      { width: 375, height: 740 },
    ].map((viewport) => ({ locale, colorScheme, viewport })),
  ),
)

/** Takes a picture of every page: in two languages, both colour schemes and two widths. */
async function takeAll(browser: Browser, served: ServedPages): Promise<void> {
  for (const { locale, colorScheme, viewport } of variants) {
    await withPage(browser, { locale, colorScheme, viewport }, async (page) => {
      for (const { name, open } of scenes) {
        await page.context().clearCookies()
        await open(page, served)
        const file = `${name}-${locale}-${colorScheme}-${viewport.width}.png`
        await page.screenshot({ path: join(folder, file), fullPage: true })
      }
    })
  }
}

/** Puts the sign-in page in both colour schemes side by side: the picture of the README. */
async function takeReadmePicture(browser: Browser, { base }: ServedPages): Promise<void> {
  const take = (colorScheme: 'light' | 'dark'): Promise<Buffer> =>
    withPage(
      browser,
      { locale: 'en', colorScheme, viewport: { width: 500, height: 720 } },
      async (page) => {
        await page.goto(`${base}/signin`)
        return page.screenshot()
      },
    )
  const halves = [await take('light'), await take('dark')].map(
    (png) => `<img src="data:image/png;base64,${png.toString('base64')}">`,
  )
  const viewport = { width: 1000, height: 720 }
  const picture = await withPage(browser, { viewport }, async (page) => {
    await page.setContent(`<body style="margin:0;display:flex">${halves.join('')}</body>`)
    return page.screenshot()
  })
  writeFileSync(readmePicture, picture)
}

async function withPage<T>(
  browser: Browser,
  options: BrowserContextOptions,
  use: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext(options)
  try {
    return await use(await context.newPage())
  } finally {
    await context.close()
  }
}

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch(chromiumOptions)
const served = await servePages(branded)
try {
  await takeReadmePicture(browser, served)
  for (const { file, webp } of await takeManualPictures(browser, served)) writeFileSync(file, webp)
  await takeAll(browser, served)
} finally {
  await browser.close()
  await served.stop()
}
