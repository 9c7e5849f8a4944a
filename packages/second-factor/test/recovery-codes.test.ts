import type { Factor } from '@latchkey/core'
import { recoveryCodes } from '@latchkey/second-factor'
import { describe, expect, test } from 'vitest'
import { buildFactor, buildInput, random, storeFactor } from './support/factors.ts'

const NOW = 1_800_000_000
const method = recoveryCodes()

async function create(): Promise<{ readonly codes: readonly string[]; readonly factor: Factor }> {
  const { codes, data } = await method.create({ random })
  return { codes, factor: buildFactor('recovery', data) }
}

function use(factor: Factor, code: string): Promise<string | undefined> {
  return method.verify(factor, buildInput(code, NOW))
}

test('ten codes of 120 bits are created, in groups, without characters that look alike', async () => {
  const { codes } = await create()
  expect(codes).toHaveLength(10)
  expect(new Set(codes).size).toBe(10)
  for (const code of codes)
    expect(code).toMatch(/^[0-9abcdefghjkmnpqrstvwxyz]{4}(-[^ilou-]{4}){5}$/)
})

test('every bit of the given source is in the codes', async () => {
  const asked: number[] = []
  const { codes } = await method.create({
    random: (length) => {
      asked.push(length)
      return new Uint8Array(length).fill(255)
    },
  })
  expect(asked).toEqual(Array(11).fill(15))
  expect(codes).toEqual(Array(10).fill('zzzz-zzzz-zzzz-zzzz-zzzz-zzzz'))
})

test('the data has salted hashes, and none of the codes', async () => {
  const { codes, factor } = await create()
  const { salt, hashes, ...others }: Record<string, unknown> = JSON.parse(factor.data)
  expect(String(salt)).toHaveLength(24)
  expect(hashes).toHaveLength(10)
  expect(others).toEqual({})
  for (const code of codes) expect(factor.data).not.toContain(code.replaceAll('-', ''))
  // Of the same bytes, so that only the salts differ.
  const fill = (value: number) => (length: number) => new Uint8Array(length).fill(value)
  let calls = 0
  const other = await method.create({ random: (length) => fill(calls++ ? 1 : 2)(length) })
  const same = await method.create({ random: fill(1) })
  expect(other.codes).toEqual(same.codes)
  expect(JSON.parse(other.data).hashes[0]).not.toBe(JSON.parse(same.data).hashes[0])
})

test('the data of the most codes is within the 8 KiB of a factor', async () => {
  const { data, codes } = await recoveryCodes({ count: 50 }).create({ random })
  expect(codes).toHaveLength(50)
  expect(Buffer.byteLength(data)).toBeLessThan(8192)
})

test('one code can be enough', async () => {
  const { data, codes } = await recoveryCodes({ count: 1 }).create({ random })
  expect(codes).toHaveLength(1)
  expect(await use(buildFactor('recovery', data), codes[0] ?? '')).toBeDefined()
})

test('each code works once, in any order', async () => {
  const { codes, factor } = await create()
  let { data } = factor
  for (const code of codes.toReversed()) {
    const used = await use({ ...factor, data }, code)
    expect(used).toBeDefined()
    data = used ?? ''
    expect(await use({ ...factor, data }, code)).toBeUndefined()
  }
  expect(JSON.parse(data).hashes).toEqual([])
})

test('the codes of another user are refused', async () => {
  const { codes, factor } = await create()
  const other = await create()
  expect(await use(factor, codes[0] ?? '')).toBeDefined()
  expect(await use(other.factor, codes[0] ?? '')).toBeUndefined()
})

test('of 200 concurrent uses of one code the storage keeps one', async () => {
  const { codes, factor } = await create()
  const useStored = await storeFactor(factor, method)
  const [first = '', second = ''] = codes
  const results = await Promise.all(
    Array.from({ length: 200 }, () => useStored(buildInput(first, NOW))),
  )
  expect(results.filter(Boolean)).toHaveLength(1)
  expect(await useStored(buildInput(first, NOW))).toBe(false)
  expect(await useStored(buildInput(second, NOW))).toBe(true)
})

describe('what is typed', () => {
  test.each([
    ['upper case', (code: string) => code.toUpperCase()],
    ['no groups', (code: string) => code.replaceAll('-', '')],
    ['spaces', (code: string) => ` ${code.replaceAll('-', '  ')}\n`],
    ['dashes of a phone', (code: string) => code.replaceAll('-', '—')],
    ['the letter O for zero', (code: string) => code.replaceAll('0', 'O')],
    ['the letter o for zero', (code: string) => code.replaceAll('0', 'o')],
    ['I for one', (code: string) => code.replaceAll('1', 'I')],
    ['l for one', (code: string) => code.replaceAll('1', 'l')],
    ['full-width characters', (code: string) => toFullWidth(code)],
  ])('may have %s', async (_name, change) => {
    const bytes = (length: number) =>
      new Uint8Array(length).map((_byte, i) => (i < 8 ? 0x08 : i * 37))
    const { data, codes } = await method.create({ random: bytes })
    const [code = ''] = codes
    expect(code).toMatch(/^(?=.*0)(?=.*1)(?=.*[a-z])/)
    expect(await use(buildFactor('recovery', data), change(code))).toBeDefined()
  })

  test.each([
    ['a character too many', (code: string) => `${code}0`],
    ['a character too few', (code: string) => code.slice(1)],
    ['another character', (code: string) => (code.startsWith('0') ? '1' : '0') + code.slice(1)],
    ['a letter u', (code: string) => `u${code.slice(1)}`],
    ['NUL', (code: string) => `${code}\0`],
    ['nothing', () => ''],
  ])('must not have %s', async (_name, change) => {
    const { codes, factor } = await create()
    const [code = ''] = codes
    expect(await use(factor, code)).toBeDefined()
    expect(await use(factor, change(code))).toBeUndefined()
  })

  test('must be there', async () => {
    const { codes, factor } = await create()
    const input = buildInput(codes[0] ?? '', NOW)
    expect(await method.verify(factor, input)).toBeDefined()
    expect(await method.verify(factor, { ...input, fields: new Map() })).toBeUndefined()
  })
})

function toFullWidth(text: string): string {
  return text.replaceAll(/[!-~]/g, (c) => String.fromCodePoint((c.codePointAt(0) ?? 0) + 0xfee0))
}

const hash = 'a'.repeat(52)

test.each([
  ['', 'not JSON'],
  [hash, 'not JSON'],
  ['null', 'invalid'],
  [`{"hashes":["${hash}"]}`, 'invalid'],
  [`{"salt":1,"hashes":["${hash}"]}`, 'invalid'],
  ['{"salt":"a"}', 'invalid'],
  [`{"salt":"a","hashes":"${hash}"}`, 'invalid'],
  [`{"salt":"a","hashes":["${hash}",1]}`, 'invalid'],
  [`{"salt":"a","hashes":["${hash}a"]}`, 'invalid'],
  [`{"salt":"a","hashes":[[0${',0'.repeat(51)}]]}`, 'invalid'],
])('the data %s is an error without it, whatever is typed', async (data, problem) => {
  for (const code of ['0'.repeat(24), 'x']) {
    const result = use(buildFactor('recovery', data), code)
    await expect(result).rejects.toThrow(problem)
    await expect(result).rejects.not.toThrow(hash)
  }
})
