/**
 * Opens every page of the built manual in Chromium, 1280 pixels wide: no code needs scrolling, and the first page shows
 * its picture in both colour schemes. Part of `pnpm manual`; pictures of the first page
 * are left in `coverage/screenshots`.
 */
import { once } from 'node:events'
import { globSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { extname, join, resolve } from 'node:path'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

const folder = resolve(import.meta.dirname, '..')
const site = join(folder, 'dist')
const screenshots = resolve(folder, '../../coverage/screenshots')
const viewport = { width: 1280, height: 800 }
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** The widths of every block of code: of its content, and of what is visible of it. */
const widths =
  "[...document.querySelectorAll('pre')].map((code) => [code.scrollWidth, code.clientWidth])"

if (hasChromium()) await checkPages()

async function checkPages(): Promise<void> {
  const pages = globSync('**/*.html', { cwd: site }).filter((page) => page !== '404.html')
  if (pages.length === 0) throw new Error(`${site} has no pages: run pnpm manual`)
  const files = new Set(globSync('**/*.*', { cwd: site }))
  const server = await serve(files)
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('expected a port')
  const origin = `http://127.0.0.1:${bound.port}`
  const browser = await chromium.launch(chromiumOptions)
  try {
    const problems = [
      ...(await checkWidths(browser, origin, pages)),
      ...(await checkFirstPage(browser, origin)),
    ]
    for (const problem of problems) console.error(problem)
    console.log(`${pages.length} pages in Chromium, ${problems.length} problems`)
    process.exitCode = problems.length === 0 ? 0 : 1
  } finally {
    await browser.close()
    server.closeAllConnections()
    server.close()
  }
}

/** Serves the built site on a free port: only files that were listed. */
async function serve(files: ReadonlySet<string>): Promise<Server> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname).slice(1)
    const found = [path, `${path}.html`, `${path}index.html`].find((file) => files.has(file))
    if (found === undefined) return void response.writeHead(404).end()
    response.setHeader('content-type', types[extname(found)] ?? 'application/octet-stream')
    response.end(readFileSync(join(site, found)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Code that is wider than its block, by page. Widths need no scripts, which would take most of the time. */
async function checkWidths(
  browser: Browser,
  origin: string,
  pages: readonly string[],
): Promise<string[]> {
  const context = await browser.newContext({ viewport, javaScriptEnabled: false })
  const page = await context.newPage()
  const problems: string[] = []
  for (const file of pages) {
    await page.goto(`${origin}/${file}`)
    for (const [content = 0, block = 0] of await page.evaluate<number[][]>(widths)) {
      if (content > block)
        problems.push(`${file}: code of ${content} pixels in a block of ${block}`)
    }
  }
  await context.close()
  return problems
}

/** Checks that title, code and picture are in the first window, in both colour schemes. */
async function checkFirstPage(browser: Browser, origin: string): Promise<string[]> {
  const problems: string[] = []
  mkdirSync(screenshots, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport, colorScheme })
    const page = await context.newPage()
    await page.goto(origin, { waitUntil: 'networkidle' })
    const selector = `.first img.in-${colorScheme}`
    const picture = page.locator(selector)
    const parts = { title: page.locator('h1'), code: page.locator('.first pre'), picture }
    for (const [name, part] of Object.entries(parts)) {
      const box = await part.boundingBox()
      const isVisible = box !== null && box.width > 100 && box.y + box.height <= viewport.height
      if (!isVisible)
        problems.push(`index.html, ${colorScheme}: the ${name} is not in the first window`)
    }
    if (!(await page.evaluate(`document.querySelector('${selector}').naturalWidth > 0`))) {
      problems.push(`index.html, ${colorScheme}: the picture is not loaded`)
    }
    await page.screenshot({ path: join(screenshots, `manual-${colorScheme}.png`) })
    await context.close()
  }
  return problems
}
