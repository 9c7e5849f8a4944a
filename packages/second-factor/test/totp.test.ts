import type { Factor } from '@latchkey/core'
import { totp } from '@latchkey/second-factor'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { buildFactor, buildInput, random, sealer, storeFactor } from './support/factors.ts'
import { createSealer } from './support/sealer.ts'

const NOW = 1_800_000_000
const method = totp()

/** Returns the code that an app shows. */
function getCode(secret: string, now: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now * 1000 })
}

/** Enrols an app long before {@link NOW}. */
async function enrol(): Promise<{ readonly secret: string; readonly factor: Factor }> {
  const secret = method.enrolment.begin(random)
  const then = NOW - 3600
  const data = await method.enrolment.finish(secret, buildInput(getCode(secret, then), then))
  if (data === undefined) throw new Error('expected the code to be accepted')
  return { secret, factor: buildFactor('totp', data) }
}

test('a code is accepted in its step, the next and the previous one', async () => {
  const { secret, factor } = await enrol()
  const code = getCode(secret, NOW)
  const start = NOW - (NOW % 30)
  const isAccepted = async (now: number): Promise<boolean> =>
    (await method.verify(factor, buildInput(code, now))) !== undefined
  for (const now of [start - 30, start - 1, start, start + 29, start + 59]) {
    expect([now - start, await isAccepted(now)]).toEqual([now - start, true])
  }
  for (const now of [start - 31, start + 60]) {
    expect([now - start, await isAccepted(now)]).toEqual([now - start, false])
  }
})

test('the code of another key is refused', async () => {
  const { secret, factor } = await enrol()
  expect(await method.verify(factor, buildInput(getCode(secret, NOW), NOW))).toBeDefined()
  const other = await enrol()
  expect(await method.verify(other.factor, buildInput(getCode(secret, NOW), NOW))).toBeUndefined()
})

describe('a code works once:', () => {
  test('it is refused with the new data, in its step and in the next', async () => {
    const { secret, factor } = await enrol()
    const code = getCode(secret, NOW)
    const data = (await method.verify(factor, buildInput(code, NOW))) ?? ''
    const used = { ...factor, data }
    expect(await method.verify(used, buildInput(code, NOW))).toBeUndefined()
    expect(await method.verify(used, buildInput(code, NOW + 30))).toBeUndefined()
    const next = buildInput(getCode(secret, NOW + 30), NOW + 30)
    expect(await method.verify(used, next)).toBeDefined()
  })

  test('the code of an earlier step is refused after a later one', async () => {
    const { secret, factor } = await enrol()
    const earlier = buildInput(getCode(secret, NOW - 30), NOW)
    expect(await method.verify(factor, earlier)).toBeDefined()
    const data = (await method.verify(factor, buildInput(getCode(secret, NOW), NOW))) ?? ''
    expect(await method.verify({ ...factor, data }, earlier)).toBeUndefined()
  })

  test('the code that confirmed an enrolment is used', async () => {
    const secret = method.enrolment.begin(random)
    const input = buildInput(getCode(secret, NOW), NOW)
    const data = (await method.enrolment.finish(secret, input)) ?? ''
    const factor = buildFactor('totp', data)
    expect(await method.verify(factor, input)).toBeUndefined()
    const next = buildInput(getCode(secret, NOW + 30), NOW)
    expect(await method.verify(factor, next)).toBeDefined()
  })

  test('a code that two steps have in common is not accepted again in the later one', async () => {
    // The key of RFC 6238, appendix B.
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    const now = 61_331_809 * 30
    const code = getCode(secret, now)
    expect(getCode(secret, now + 60)).toBe(code)
    const factor = buildFactor('totp', JSON.stringify({ key: await sealer.seal(secret), step: 0 }))
    const input = buildInput(code, now + 30)
    const data = (await method.verify(factor, input)) ?? ''
    expect(data).not.toBe('')
    const later = buildInput(code, now + 60)
    expect(await method.verify(factor, later)).toBeDefined()
    expect(await method.verify({ ...factor, data }, later)).toBeUndefined()
  })

  test('of 200 concurrent uses the storage keeps one', async () => {
    const { secret, factor } = await enrol()
    const use = await storeFactor(factor, method)
    const input = buildInput(getCode(secret, NOW), NOW)
    const results = await Promise.all(Array.from({ length: 200 }, () => use(input)))
    expect(results.filter(Boolean)).toHaveLength(1)
    expect(await use(input)).toBe(false)
    expect(await use(buildInput(getCode(secret, NOW + 30), NOW))).toBe(true)
  })
})

describe('what is typed', () => {
  test.each([
    ['groups', (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ['a hyphen', (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`],
    ['a dash of a phone', (code: string) => `${code.slice(0, 3)}–${code.slice(3)}`],
    ['other white space', (code: string) => `\u{a0}${code}\t\n`],
    ['full-width digits', (code: string) => toFullWidth(code)],
    ['a full-width space', (code: string) => `${code.slice(0, 3)}\u{3000}${code.slice(3)}`],
  ])('may have %s', async (_name, change) => {
    const { secret, factor } = await enrol()
    const input = buildInput(change(getCode(secret, NOW)), NOW)
    expect(await method.verify(factor, input)).toBeDefined()
  })

  test.each([
    ['a digit too many', (code: string) => `${code}0`],
    ['a digit in front', (code: string) => `0${code}`],
    ['a digit too few', (code: string) => code.slice(0, 5)],
    ['a letter', (code: string) => `${code}a`],
    ['a point', (code: string) => `${code.slice(0, 3)}.${code.slice(3)}`],
    ['NUL', (code: string) => `${code}\0`],
    ['a lone surrogate', (code: string) => `${code}\u{d800}`],
    ['nothing', () => ''],
  ])('must not have %s', async (_name, change) => {
    const { secret, factor } = await enrol()
    const code = getCode(secret, NOW)
    expect(await method.verify(factor, buildInput(code, NOW))).toBeDefined()
    expect(await method.verify(factor, buildInput(change(code), NOW))).toBeUndefined()
  })

  test('must be there', async () => {
    const { secret, factor } = await enrol()
    const input = buildInput(getCode(secret, NOW), NOW)
    expect(await method.verify(factor, input)).toBeDefined()
    expect(await method.verify(factor, { ...input, fields: new Map() })).toBeUndefined()
    expect(await method.enrolment.finish(secret, input)).toBeDefined()
    expect(await method.enrolment.finish(secret, { ...input, fields: new Map() })).toBeUndefined()
  })
})

function toFullWidth(digits: string): string {
  return digits.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
}

test('a wrong code does not confirm an enrolment', async () => {
  const secret = method.enrolment.begin(random)
  const code = getCode(secret, NOW)
  expect(await method.enrolment.finish(secret, buildInput(code, NOW))).toBeDefined()
  const wrong = code.slice(0, 5) + ((Number(code[5]) + 1) % 10)
  expect(await method.enrolment.finish(secret, buildInput(wrong, NOW))).toBeUndefined()
})

describe('the data of a factor', () => {
  test('has the key sealed, and the step', async () => {
    const { secret, factor } = await enrol()
    expect(factor.data).not.toContain(secret)
    const { key, step, ...others }: Record<string, unknown> = JSON.parse(factor.data)
    expect(await sealer.open(String(key))).toBe(secret)
    expect(step).toBe((NOW - 3600) / 30)
    expect(others).toEqual({})
  })

  test('has the key under the first secret after each use', async () => {
    const { secret, factor } = await enrol()
    const [before, after] = ['the first secret', 'a newer secret']
    const rotated = createSealer([after, before], factor.userId)
    const input = buildInput(getCode(secret, NOW), NOW, { sealer: rotated })
    const data = (await method.verify(factor, input)) ?? ''
    const newOnly = { sealer: createSealer([after], factor.userId) }
    const later = buildInput(getCode(secret, NOW + 60), NOW + 60, newOnly)
    await expect(method.verify(factor, later)).rejects.toThrow('cannot be opened')
    expect(await method.verify({ ...factor, data }, later)).toBeDefined()
  })

  test('is not accepted for another user', async () => {
    const { secret, factor } = await enrol()
    const input = buildInput(getCode(secret, NOW), NOW)
    expect(await method.verify(factor, input)).toBeDefined()
    const other = createSealer(['the first secret'], 'another-user')
    await expect(method.verify(factor, { ...input, sealer: other })).rejects.toThrow(
      /^the key of the authenticator app cannot be opened$/,
    )
  })

  test('that is not base32 when it is opened is an error without it', async () => {
    const { factor } = await enrol()
    const data = JSON.stringify({ key: await sealer.seal('not a key'), step: 1 })
    const result = method.verify({ ...factor, data }, buildInput('123456', NOW))
    await expect(result).rejects.toThrow(/^expected base32$/)
  })

  test.each([
    ['', 'not JSON'],
    ['KRSXG5CT', 'not JSON'],
    ['null', 'invalid'],
    ['"KRSXG5CT"', 'invalid'],
    ['{"step":1}', 'invalid'],
    ['{"key":1,"step":1}', 'invalid'],
    ['{"key":"KRSXG5CT"}', 'invalid'],
    ['{"key":"KRSXG5CT","step":"1"}', 'invalid'],
    ['{"key":"KRSXG5CT","step":1.5}', 'invalid'],
    ['{"key":"KRSXG5CT","step":1e400}', 'invalid'],
  ])('%s is an error without it, whatever is typed', async (data, problem) => {
    const factor = buildFactor('totp', data)
    for (const code of ['123456', 'x']) {
      const result = method.verify(factor, buildInput(code, NOW))
      await expect(result).rejects.toThrow(problem)
      await expect(result).rejects.not.toThrow('KRSXG5CT')
    }
  })
})

test('a key has 160 bits of the given source', () => {
  const asked: number[] = []
  const secret = method.enrolment.begin((length) => {
    asked.push(length)
    return new Uint8Array(length).fill(255)
  })
  expect(asked).toEqual([20])
  expect(secret).toBe('7'.repeat(32))
})
