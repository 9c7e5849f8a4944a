import { readFileSync } from 'node:fs'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branded } from '../src/look.ts'
import { takeManualPictures } from '../src/manual-pictures.ts'
import { servePages } from '../src/serve-pages.ts'
import type { ServedPages } from '../src/serve-pages.ts'

/** The size of two pictures, and how much their pixels differ on average, from 0 to 255. Runs in the browser. */
const comparePictures = `async (sources) => {
  const draw = async (source) => {
    const image = new Image()
    image.src = source
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.naturalWidth
    canvas.height = image.naturalHeight
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    return context.getImageData(0, 0, canvas.width, canvas.height)
  }
  const [stored, taken] = await Promise.all(sources.map(draw))
  const sum = stored.data.reduce((all, value, i) => all + Math.abs(value - taken.data[i]), 0)
  return { size: [stored.width, stored.height], difference: sum / stored.data.length }
}`

describe.runIf(hasChromium())('the pictures of the manual’s first page', () => {
  let browser: Browser
  let served: ServedPages

  beforeAll(async () => {
    browser = await chromium.launch(chromiumOptions)
    served = await servePages(branded)
  })

  afterAll(async () => {
    await browser?.close()
    await served?.stop()
  })

  test('show the sign-in page as it is now, and are small: otherwise run the script screenshots', async () => {
    const page = await browser.newPage()
    const toUrl = (webp: Buffer): string => `data:image/webp;base64,${webp.toString('base64')}`
    for (const { file, webp } of await takeManualPictures(browser, served)) {
      const stored = readFileSync(file)
      expect([file, stored.byteLength < 40_000]).toEqual([file, true])
      const urls = JSON.stringify([toUrl(stored), toUrl(webp)])
      const compared = await page.evaluate(`(${comparePictures})(${urls})`)
      // Fonts of another machine draw other pixels, but on the same places.
      expect(compared).toMatchObject({ size: [800, 1328] })
      expect([file, (compared as { difference: number }).difference < 6]).toEqual([file, true])
    }
  })
})
