import { join, resolve } from 'node:path'
import type { Browser } from 'playwright-core'
import type { ServedPages } from './serve-pages.ts'

/** The colour schemes of the pictures. */
const schemes = ['light', 'dark'] as const

/** A picture of the manual's first page. */
interface ManualPicture {
  /** The file that the manual shows. */
  readonly file: string
  readonly webp: Buffer
}

/** Runs in the browser: without a frame, Chromium on a busy machine cannot capture the page. */
const waitForFrame =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

const folder = resolve(import.meta.dirname, '../../../../apps/docs/public')

/** Takes pictures of the sign-in page as the first page of the manual shows it: 400 by 664 CSS pixels, two pixels for each. */
export async function takeManualPictures(
  browser: Browser,
  { base }: ServedPages,
): Promise<readonly ManualPicture[]> {
  const pictures: ManualPicture[] = []
  for (const colorScheme of schemes) {
    const viewport = { width: 400, height: 664 }
    const context = await browser.newContext({ locale: 'en', colorScheme, viewport })
    try {
      const page = await context.newPage()
      await page.goto(`${base}/signin`)
      await page.evaluate(waitForFrame)
      const devTools = await context.newCDPSession(page)
      // WebP has half the bytes of PNG; playwright-core takes PNG and JPEG only.
      const clip = { x: 0, y: 0, ...viewport, scale: 2 }
      const options = { format: 'webp', quality: 85, clip } as const
      const { data } = await devTools.send('Page.captureScreenshot', options)
      const file = join(folder, `sign-in-${colorScheme}.webp`)
      pictures.push({ file, webp: Buffer.from(data, 'base64') })
    } finally {
      await context.close()
    }
  }
  return pictures
}
