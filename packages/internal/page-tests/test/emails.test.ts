import { accountPages, securityEmails } from '@latchkey/account'
import { createAuth } from '@latchkey/core'
import type { Mail, Mailer } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { createTheme } from '@latchkey/core/pages/theme'
import type { BrandOptions } from '@latchkey/core/pages/theme'
import { email } from '@latchkey/core/providers/email'
import { confirmation } from '@latchkey/core/confirmation'
import { passwords } from '@latchkey/passwords'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { Browser as Visitor } from '@latchkey/testing/browser'
import { HtmlValidate } from 'html-validate'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible, expectAccessibleInDark } from '../src/checks.ts'
import { languages } from '../../../../apps/demo/src/languages.ts'
import { plainHasher } from '../src/passkeys/create-service.ts'

const origin = 'https://app.example'

/**
 * Sends an email of every kind in a language: a sign-in with a code, an email address to be linked, a password, and a
 * notice about a second browser.
 */
async function sendAll(tag: string, brand?: BrandOptions): Promise<readonly Mail[]> {
  const mails: Mail[] = []
  const mailer: Mailer = { send: async (mail) => void mails.push(mail) }
  const from = 'sign-in@example.com'
  const { handle, basePath } = createAuth({
    serviceUrl: origin,
    secret: 'a secret of thirty-two bytes for these emails',
    storage: memoryStorage(),
    session: { strategy: 'storage' },
    messages: languages,
    theme: createTheme({ ...(brand && { brand }) }),
    providers: [
      email({ mailer, from, code: true }),
      passwords({ hasher: plainHasher, mailer, from }),
    ],
    use: [confirmation(), accountPages(), securityEmails({ mailer, from })],
  })
  const works: Promise<unknown>[] = []
  const browse = (): Visitor =>
    new Visitor((request) => {
      request.headers.set('accept-language', tag)
      return handle(request, { waitUntil: (work) => void works.push(work) })
    }, `${origin}${basePath}`)
  const openLink = (visitor: Visitor): Promise<Response> =>
    visitor.visit(/https:\S+/.exec(mails.at(-1)?.text ?? '')?.[0] ?? '')
  const [first, second] = [browse(), browse()]
  for (const visitor of [first, second]) {
    await visitor.submit('/signin/email', { email: 'alice@example.com' })
    await openLink(visitor)
    await Promise.all(works)
  }
  await first.submit('/signin/email', { email: 'other@example.com', link: 'true' })
  await browse().submit('/signin/passwords', { email: 'alice@example.com', action: 'forgot' })
  expect(mails).toHaveLength(5)
  return mails
}

/** The properties that Gmail, Outlook on Windows, Outlook.com and Apple Mail all know, or do without (caniemail.com, 2026). */
const properties: ReadonlySet<string> = new Set([
  'background-color',
  'color',
  'display',
  'font-family',
  'font-size',
  'font-weight',
  'letter-spacing',
  'line-height',
  'margin',
  'max-width',
  'mso-padding-alt',
  'padding',
  'text-decoration',
  'width',
  // Decoration: Outlook on Windows shows corners and breaks long words as it likes.
  'border',
  'border-radius',
  'border-top',
  'word-break',
])

/** Elements that every one of them keeps. Outlook and Gmail drop `bdi`, `main`, `button` and forms. */
const elements: ReadonlySet<string> = new Set(
  'html head meta title style body div table tr td h1 p a span br'.split(' '),
)

/** Attributes of HTML 4 are what Outlook on Windows reads, and roles what is left of elements like `article`. */
const validator = new HtmlValidate({
  extends: ['html-validate:standard', 'html-validate:a11y'],
  rules: {
    'no-trailing-whitespace': 'off',
    'no-deprecated-attr': 'off',
    'no-inline-style': 'off',
    'void-style': ['error', { style: 'selfclose' }],
    'prefer-native-element': 'off',
    'no-conditional-comment': 'off',
  },
})

/** A mail program is the page, and has the landmarks. */
const landmarks = { 'landmark-one-main': { enabled: false }, region: { enabled: false } }

describe.each(['en', ...Object.keys(languages)])('the emails in %s', (tag) => {
  test('are HTML of mail programs: small, without anything to load, with known elements and properties', async () => {
    for (const { html, text, subject } of await sendAll(tag)) {
      // Gmail clips an email after 102 kB, and drops a style sheet of more than 8 kB.
      expect(html.length).toBeLessThan(10_000)
      expect(/<style>([^]*?)<\/style>/.exec(html)?.[1]?.length).toBeLessThan(1_000)
      expect(html).not.toMatch(/\ssrc=|\son\w+=|url\(|@import|<link|javascript:|var\(|flex|grid/)
      const used = [...html.matchAll(/<([a-z][\w]*)/g)].map(([, name = '']) => name)
      expect(used.filter((name) => !elements.has(name))).toEqual([])
      const styles = [...html.matchAll(/ style="([^"]*)"/g)].flatMap(([, style = '']) =>
        style.split(';').map((rule) => rule.split(':')[0] ?? ''),
      )
      expect(styles.filter((name) => !properties.has(name))).toEqual([])
      const tables = [...html.matchAll(/<table ([^>]*)>/g)].map(([, attributes = '']) => attributes)
      expect(tables).toHaveLength(3)
      for (const each of tables) expect(each).toMatch(/^role="presentation" border="0" cell/)
      const report = await validator.validateString(html)
      expect(report.results.flatMap(({ messages }) => messages)).toEqual([])
      expect(html).toContain(`<title>${subject}</title>`)
      // Without HTML nothing is missing.
      const [link = ''] = /https:\S+/.exec(text) ?? []
      expect(html.split(` href="${link.replaceAll('&', '&amp;')}"`)).toHaveLength(2)
    }
  })

  test('repeat language and direction inside of the body, and keep codes and URLs from left to right', async () => {
    const direction = tag === 'ar' ? 'rtl' : 'ltr'
    const side = tag === 'ar' ? 'right' : 'left'
    for (const { html, text } of await sendAll(tag)) {
      expect(html).toContain(`<div lang="${tag.toLowerCase()}" dir="${direction}" role="article"`)
      expect(html.match(/<td align="(left|right)"/g)).toEqual(Array(2).fill(`<td align="${side}"`))
      const [code] = /^\d{8}$/m.exec(text) ?? []
      if (code !== undefined) expect(html).toContain(`<span dir="ltr">${code}</span>`)
      expect(html).toMatch(/<span dir="ltr">https:/)
    }
  })
})

describe('the brand of emails', () => {
  const brand = { name: 'Tom & <Jerry>', color: '#ffd400' }

  test('is their name, and the colour of the button', async () => {
    for (const { html, subject, text } of await sendAll('en', brand)) {
      expect(html).toContain('>Tom &amp; &lt;Jerry&gt;</td>')
      expect(html).toContain('<td bgcolor="#ffd400"')
      expect(html).toMatch(/<a href="[^"]*" style="[^"]*;color:#000000"/)
      expect(subject).toContain('Tom & <Jerry>')
      expect(text).not.toMatch(/ app\.example[^/]/)
    }
  })

  test('is without one the host, in the colour of the pages', async () => {
    for (const { html, subject } of await sendAll('en')) {
      expect(html).toContain('>app.example</td>')
      expect(html).toContain('<td bgcolor="#1d5bb8"')
      expect(subject).toContain('app.example')
    }
  })
})

describe.runIf(hasChromium())('the emails in Chromium', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await chromium.launch(chromiumOptions)
  })

  afterAll(() => browser?.close())

  test.each(['en', 'ar', 'de'])(
    'in %s load nothing, scroll nowhere, and axe finds nothing, light and dark',
    async (tag) => {
      const context = await browser.newContext({ viewport: { width: 320, height: 640 } })
      const page = await context.newPage()
      const requests: string[] = []
      page.on('request', (request) => requests.push(request.url()))
      for (const { html, subject } of await sendAll(tag)) {
        await page.setContent(html)
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        expect(width, subject).toBe(320)
        await expectAccessible(page, subject, { rules: landmarks })
        await expectAccessibleInDark(page, subject)
      }
      expect(requests).toEqual([])
      await context.close()
    },
  )
})
