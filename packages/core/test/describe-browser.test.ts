import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeBrowser } from '../src/lib/describe-browser.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X)'

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Firefox (Windows)',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
    'Edge (Windows)',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Chrome/140.0.0.0 Safari/537.36`,
    'Chrome (macOS)',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
    'Safari (macOS)',
  ],
  [
    `${iphone} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1`,
    'Safari (iPhone)',
  ],
  [
    `${iphone} AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1`,
    'Chrome (iPhone)',
  ],
  [
    `${iphone} AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/140.0 Mobile/15E148 Safari/605.1.15`,
    'Firefox (iPhone)',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/140.0.0.0 Mobile Safari/537.36`,
    'Chrome (Android)',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet (Android)',
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/140.0.0.0 Safari/537.36 OPR/121.0.0.0`,
    'Opera (Linux)',
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/140.0.0.0 Safari/537.36`,
    'Chrome (ChromeOS)',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
    'Safari (iPad)',
  ],
  ['MyApp/1.0 (Windows NT 10.0)', 'Windows'],
  ['Firefox/140.0', 'Firefox'],
  ['curl/8.15.0', undefined],
  ['<b>Firefox</b>', undefined],
  ['', undefined],
  [undefined, undefined],
])('%s: %s', (userAgent, description) => {
  expect(describeBrowser(userAgent)).toBe(description)
})

test('any User-Agent has a short description without control characters, or none', () => {
  const part = fc.constantFrom(
    'Firefox/1',
    'Chrome/',
    'Windows',
    '\n',
    '\u0000',
    '\u202e',
    '<',
    'X11; Linux',
  )
  const mixed = fc
    .array(fc.oneof(part, fc.string({ unit: 'binary' })))
    .map((parts) => parts.join(' '))
  fc.assert(
    fc.property(fc.oneof(mixed, fc.string({ unit: 'binary', maxLength: 2000 })), (userAgent) => {
      const description = describeBrowser(userAgent) ?? ''
      expect(description.length).toBeLessThanOrEqual(60)
      expect(description).toMatch(/^[A-Za-z ()]*$/)
    }),
  )
})
