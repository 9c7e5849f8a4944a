import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Resvg, initWasm } from '@resvg/resvg-wasm'
import { totp } from '@latchkey/second-factor'
import * as fc from 'fast-check'
import jsQR from 'jsqr'
import { TOTP, URI } from 'otpauth'
import { beforeAll, describe, expect, test } from 'vitest'
import { random } from './support/factors.ts'

const method = totp()
const secret = method.enrolment.begin(random)

beforeAll(async () => {
  const path = createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')
  await initWasm(await readFile(path))
})

/** Reads a picture as a camera would, at the given width. */
function scan(svg: string, width: number): string | undefined {
  const fitTo = { mode: 'width', value: width } as const
  const picture = new Resvg(svg, { fitTo, background: 'black' }).render()
  return jsQR.default(Uint8ClampedArray.from(picture.pixels), picture.width, picture.height)?.data
}

/** Reads a key URI as an app does. */
function parse(url: string): TOTP {
  const parsed = URI.parse(url)
  if (!(parsed instanceof TOTP)) throw new Error('expected a key for TOTP')
  return parsed
}

test('the URI has the key and how its codes are computed', () => {
  const { url } = method.enrolment.show(secret, 'Example', 'alice@example.com')
  expect(url).toBe(
    `otpauth://totp/Example:alice%40example.com?secret=${secret}&issuer=Example&algorithm=SHA1&digits=6&period=30`,
  )
  const { issuer, label, algorithm, digits, period, secret: key } = parse(url)
  expect({ issuer, label, algorithm, digits, period, key: key.base32 }).toEqual({
    issuer: 'Example',
    label: 'alice@example.com',
    algorithm: 'SHA1',
    digits: 6,
    period: 30,
    key: secret,
  })
})

test('the text is the key in groups of four', () => {
  const { text } = method.enrolment.show(secret, 'Example', 'alice')
  expect(text).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/)
  expect(text.replaceAll(' ', '')).toBe(secret)
})

test('the option issuer replaces what the pages call the service', () => {
  const { url } = totp({ issuer: 'Example (staging)' }).enrolment.show(secret, 'Example', 'alice')
  expect(parse(url).issuer).toBe('Example (staging)')
})

describe('names', () => {
  test.each([
    ['localhost:3000', 'a:b', 'localhost 3000', 'a b'],
    ['A & B?', 'c#d/e', 'A & B?', 'c#d/e'],
    ['100%', '+1=2', '100%', '+1=2'],
    ['ACME Co', 'o\'brien"<x>', 'ACME Co', 'o\'brien"<x>'],
    ['例え', 'アリス', '例え', 'アリス'],
    ['a\n\u{7f}b', 'c\u{d800}d', 'a b', 'c d'],
    [' a ', ' b ', 'a', 'b'],
  ])('%j and %j are %j and %j in an app', (issuer, account, shownIssuer, shownAccount) => {
    const { url } = method.enrolment.show(secret, issuer, account)
    const parsed = parse(url)
    expect([parsed.issuer, parsed.label]).toEqual([shownIssuer, shownAccount])
  })

  test('that are empty are left out', () => {
    const getUrl = (issuer: string, account: string): string =>
      method.enrolment.show(secret, issuer, account).url
    expect(getUrl('', 'alice')).toContain(`otpauth://totp/alice?secret=${secret}&algorithm`)
    expect(getUrl('Example', ':')).toContain('otpauth://totp/Example?secret=')
    expect(getUrl('', '')).toContain('otpauth://totp/account?secret=')
  })

  test('that are long are cut between two characters', () => {
    const { url } = method.enrolment.show(secret, '🔑'.repeat(1000), `${'a'.repeat(127)} b`)
    expect([parse(url).issuer, parse(url).label]).toEqual(['🔑'.repeat(8), 'a'.repeat(127)])
  })

  test('of any kind give a URI that an app can parse, and a picture of at most 97 squares', () => {
    const name = fc.string({ unit: 'binary', maxLength: 300 })
    fc.assert(
      fc.property(name, name, (issuer, account) => {
        const { url, svg } = method.enrolment.show(secret, issuer, account)
        expect(url).toMatch(/^otpauth:\/\/totp\/[\w!%'()*.:~-]*\?[\w!%&'()*.=~-]+$/)
        expect(url.split('?')[0]?.split(':').length).toBeLessThanOrEqual(3)
        const [, size] = /viewBox="0 0 (\d+) \1"/.exec(svg) ?? []
        expect(Number(size)).toBeLessThanOrEqual(97)
        expect(parse(url).secret.base32).toBe(secret)
      }),
    )
  })
})

describe('the picture', () => {
  test.each([
    ['usual names', 'Example', 'alice@example.com'],
    ['the longest names', '例'.repeat(99), '🔑'.repeat(99)],
    ['no names', '', ''],
  ])('with %s is read back to the URI, at several sizes', (_name, issuer, account) => {
    const { svg, url } = method.enrolment.show(secret, issuer, account)
    for (const width of [300, 333, 512]) expect([width, scan(svg, width)]).toEqual([width, url])
  })

  test('is black on white with its quiet zone, on a black page too', () => {
    const { svg } = method.enrolment.show(secret, 'Example', 'alice')
    const picture = new Resvg(svg, { background: 'black' }).render()
    const { width, pixels } = picture
    const isWhite = (x: number, y: number): boolean => pixels[(y * width + x) * 4] === 255
    const edge = Array.from({ length: width }, (_, i) => i)
    for (const i of edge) {
      for (const near of [0, 3, width - 4, width - 1]) {
        expect([isWhite(i, near), isWhite(near, i)]).toEqual([true, true])
      }
    }
    expect(isWhite(4, 4)).toBe(false)
  })

  test('has only shapes and their attributes, which no policy refuses', () => {
    const { svg } = method.enrolment.show(secret, '<script>"', "'--></svg>")
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 (\d+) \1"><rect fill="white" width="\1" height="\1"\/><path fill="black" d="[Mhvz\d,-]+"\/><\/svg>$/,
    )
  })
})
