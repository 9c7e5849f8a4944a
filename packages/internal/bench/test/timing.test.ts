import { describe, expect, test } from 'vitest'
import { cheapHasher } from '../src/contenders/cheap-hasher.ts'
import { compareAnswers, AnswerCollection, maskRandom } from '../src/timing/answers.ts'
import { describeFindings, toFinding, toRecord } from '../src/timing/describe.ts'
import { measureSubject } from '../src/timing/measure.ts'
import type { Timing } from '../src/timing/measure.ts'
import { compareSeries, computeWelchT } from '../src/timing/statistics.ts'
import { createSubjects } from '../src/timing/subjects.ts'

const equal = { statuses: true, headers: true, bodies: true, emails: true }

/** What differs between known and unknown email addresses, by subject and action. */
const differences: Readonly<Record<string, Readonly<Record<string, Partial<typeof equal>>>>> = {
  Latchkey: { signIn: {}, forgot: {}, register: {}, control: {} },
  'better-auth': { signIn: {}, forgot: { emails: false }, register: {}, control: {} },
  'better-auth, defaults': { register: { statuses: false, headers: false, bodies: false } },
}

describe('timing', async () => {
  test.each(await createSubjects('cheap'))(
    '$title answers requests of both classes',
    async (subject) => {
      const requests = 3
      const timings = await measureSubject(subject, { requests })
      const found = timings.map(({ action, equal: isEqual, known, unknown }) => {
        expect([known.length, unknown.length]).toEqual([requests, requests])
        return [action, isEqual]
      })
      const expected = Object.entries(differences[subject.title] ?? {}).map(
        ([action, different]) => [action, { ...equal, ...different }],
      )
      expect(found).toEqual(expected)
    },
  )
})

test("Welch's t is the difference of the means by its standard error", () => {
  expect(computeWelchT([1, 2, 3], [2, 3, 4])).toBeCloseTo(-1 / Math.sqrt(2 / 3))
  expect(computeWelchT([1, 2], [1, 2])).toBe(0)
  expect(computeWelchT([1], [5, 6])).toBe(0)
})

test('cropping shows a difference that slow samples hide', () => {
  const create = (base: number): number[] =>
    Array.from({ length: 400 }, (_, i) => (i % 4 === 0 ? 1000 * (i % 7) + 100 : base + (i % 10)))
  const { t, largest, share } = compareSeries(create(10), create(12))
  expect(Math.abs(t)).toBeLessThan(4.5)
  expect(largest).toBeGreaterThan(4.5)
  expect(share).toBeLessThan(1)
})

test('series of the same values do not differ', () => {
  const series = Array.from({ length: 100 }, (_, i) => i)
  expect(compareSeries(series, series)).toEqual({ t: 0, largest: 0, share: 1 })
})

test('masks keep lengths and words, and replace random values, times and the email address', () => {
  const text =
    'to a@b.example, a%40b.example, 3uTaL7xHC8wQkq2Zr0Vd9, 2026-01-02T03:04:05.678Z, strict-transport-security'
  expect(maskRandom(text, 'a@b.example')).toBe(
    'to <email>, <email>, <21 random characters>, <time>, strict-transport-security',
  )
})

test('answers differ if a cookie has another length, or an email was sent', () => {
  const collect = (cookie: string, emails: number): AnswerCollection => {
    const answers = new AnswerCollection()
    const headers = { 'set-cookie': `flow.12345678=${cookie}; Path=/`, date: cookie }
    answers.add(new Response(null, { headers }), '', 'a@b.example')
    answers.emails = emails
    return answers
  }
  expect(compareAnswers(collect('abc', 1), collect('def', 1))).toEqual(equal)
  expect(compareAnswers(collect('abc', 1), collect('de', 0))).toEqual({
    ...equal,
    headers: false,
    emails: false,
  })
})

test('the table names what exceeds the limit and what differs', () => {
  const timing: Timing = {
    subject: 'Latchkey',
    action: 'forgot',
    known: [3, 4, 3, 4, 3, 4],
    unknown: [9, 8, 9, 8, 9, 8],
    equal: { ...equal, emails: false },
  }
  const finding = toFinding(timing)
  expect(finding).toMatchObject({ known: 3.5, unknown: 8.5, isBelowLimit: false })
  expect(describeFindings([finding])).toMatch(/NO +emails$/)
  expect(toRecord([finding])).toMatchObject({
    'Latchkey: ask for a reset link': { knownToUnknown: 3.5 / 8.5, emails: false },
  })
  expect(toFinding({ ...timing, unknown: timing.known, action: 'control' })).toMatchObject({
    action: 'control: unknown twice',
    isBelowLimit: true,
  })
})

test('the cheap hasher verifies its hashes, and its decoy is the hash of no password', async () => {
  const hash = await cheapHasher.hash('four words that differ')
  expect(await cheapHasher.verify('four words that differ', hash)).toBe(true)
  expect(await cheapHasher.verify('four words of another', hash)).toBe(false)
  expect(await cheapHasher.verify('', cheapHasher.decoy)).toBe(false)
  expect(cheapHasher.decoy).toHaveLength(hash.length)
  expect([hash, cheapHasher.decoy, 'other'].map(cheapHasher.needsRehash)).toEqual([
    false,
    false,
    true,
  ])
})
