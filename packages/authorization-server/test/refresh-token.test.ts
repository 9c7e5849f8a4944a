import fc from 'fast-check'
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { advance, canAdvance, judgeToken } from '../src/tokens/advance.ts'
import type { Advances } from '../src/tokens/advance.ts'
import { formatCode, parseCode } from '../src/tokens/code.ts'
import { formatRefreshToken, parseRefreshToken } from '../src/tokens/refresh-token.ts'
import type { TokenMac } from '../src/tokens/refresh-token.ts'

const hmac = (text: string): string => createHmac('sha256', 'key').update(text).digest('base64url')
const mac: TokenMac = {
  sign: async (text) => hmac(text),
  verify: async (text, given) => hmac(text) === given,
}
const base64url = (length: number): fc.Arbitrary<string> =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes) => Buffer.from(bytes).toString('base64url'))
const tokens = fc.record({
  grantId: base64url(16),
  counter: fc.integer({ min: 1, max: 999_999_999_999_999 }),
  mark: base64url(8),
})

describe('the text of a refresh token (I-66.3)', () => {
  test('is read as it was written, and any change of a character is refused', async () => {
    await fc.assert(
      fc.asyncProperty(tokens, fc.nat(), fc.string({ maxLength: 2 }), async (token, at, put) => {
        const text = await formatRefreshToken(mac, token)
        expect(await parseRefreshToken(mac, text)).toEqual(token)
        const i = at % text.length
        const changed = text.slice(0, i) + put + text.slice(i + 1)
        if (changed !== text) expect(await parseRefreshToken(mac, changed)).toBe(undefined)
      }),
    )
  })

  test('any other text is refused, and a code is no refresh token', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        expect(await parseRefreshToken(mac, text)).toBe(undefined)
        expect(await parseCode(mac, text)).toBe(undefined)
      }),
    )
    const id = 'A'.repeat(22)
    expect(await parseCode(mac, await formatCode(mac, id))).toBe(id)
    expect(await parseRefreshToken(mac, await formatCode(mac, id))).toBe(undefined)
    const other = `${id}.${hmac(`refresh ${id}`)}`
    expect(await parseCode(mac, other)).toBe(undefined)
  })
})

/** A grant after advances at given times: the marks are the numbers. */
function advanceAt(...times: readonly number[]): Advances {
  let held: Advances = { counter: 0, advances: [] }
  for (const at of times) held = advance(held, [String(held.counter + 1), at])
  return held
}

const judge = (held: Advances, counter: number, now: number, mark = String(counter)): string =>
  judgeToken(held, { counter, mark }, { now, reuseSeconds: 60 })

describe('what a refresh token is worth (I-66.3)', () => {
  test('the current one advances, whatever its age', () => {
    expect(judge(advanceAt(0), 1, 0)).toBe('current')
    expect(judge(advanceAt(0), 1, 86_400)).toBe('current')
    expect(judge(advanceAt(0, 9), 2, 86_400)).toBe('current')
  })

  test.each([
    [10, 'superseded'],
    [59, 'superseded'],
    [60, 'reused'],
    [61, 'reused'],
    [86_400, 'reused'],
  ])('%i seconds after it was superseded', (after, worth) => {
    expect(judge(advanceAt(0, 1000), 1, 1000 + after)).toBe(worth)
    expect(judge(advanceAt(0, 1000, 1000), 1, 1000 + after)).toBe(worth)
  })

  test('after three advances within the window nothing is known of it', () => {
    const held = advanceAt(0, 1000, 1000, 1000)
    expect(judge(held, 1, 1010)).toBe('unknown')
    expect(judge(held, 1, 1061)).toBe('reused')
  })

  test('a token that was superseded before the oldest that is kept was reused', () => {
    expect(judge(advanceAt(0, 100, 200, 300, 400), 1, 500)).toBe('reused')
    expect(judge(advanceAt(0, 100, 480, 490, 495), 1, 500)).toBe('reused')
    expect(judge(advanceAt(0, 100, 430, 490, 495), 1, 500)).toBe('reused')
  })

  test('a fourth advance within the window is none, so that what it would push out is older', () => {
    const [held, reuseSeconds] = [advanceAt(0, 10, 20), 60]
    expect(canAdvance(advanceAt(0, 10), { now: 10, reuseSeconds })).toBe(true)
    expect(canAdvance(held, { now: 59, reuseSeconds })).toBe(false)
    expect(canAdvance(held, { now: 60, reuseSeconds })).toBe(true)
    expect(canAdvance(held, { now: 20, reuseSeconds: 0 })).toBe(true)
  })

  test('a token of another time line ends nothing: ahead of the grant, or with another mark', () => {
    const held = advanceAt(0, 10, 20)
    for (const counter of [4, 5, 50]) expect(judge(held, counter, 5000)).toBe('other')
    for (const counter of [1, 2, 3]) expect(judge(held, counter, 5000, 'other')).toBe('other')
    expect(judge(held, 3, 5000)).toBe('current')
  })

  test('with reuseSeconds 0 a token is never answered again', () => {
    const options = { now: 10, reuseSeconds: 0 }
    expect(judgeToken(advanceAt(0, 10), { counter: 1, mark: '1' }, options)).toBe('reused')
  })

  test('exactly one token of a grant is current, whatever has happened', () => {
    const times = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(times, fc.nat({ max: 200 }), (steps, later) => {
        let now = 0
        const held = advanceAt(...steps.map((step) => (now += step)))
        const worths = steps.map((_, i) => judge(held, i + 1, now + later))
        expect(worths.filter((worth) => worth === 'current')).toEqual(['current'])
        expect(worths.at(-1)).toBe('current')
        expect(worths).not.toContain('other')
        expect(held.advances.length).toBeLessThanOrEqual(3)
      }),
    )
  })
})
