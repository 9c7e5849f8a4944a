import { describe, expect, test } from 'vitest'
import { computeSlope, selectLastHalf, toThreshold } from '../../src/soak/heap.ts'
import type { HeapSample } from '../../src/soak/heap.ts'
import { findJourneyProblems, measureGrowth } from '../../src/soak/problems.ts'
import type { JourneyFigures } from '../../src/soak/run-journeys.ts'

/** Samples at each thousand requests. */
function createSamples(count: number, toBytes: (i: number) => number): HeapSample[] {
  return Array.from({ length: count }, (_, i) => ({ requests: (i + 1) * 1000, bytes: toBytes(i) }))
}

const healthy: JourneyFigures = {
  requests: 40_000,
  seconds: 60,
  elapsed: 86_400,
  journeys: { credentials: 10 },
  statuses: { 200: 39_000, 401: 1000 },
  samples: createSamples(40, () => 30_000_000),
  failed: 0,
  failures: [],
  rowsLeft: { users: 0, mailboxes: 0 },
  eventsDelivered: 10,
}

describe('the slope of a heap', () => {
  test('is the growth for a thousand requests', () => {
    expect(computeSlope(createSamples(10, (i) => 30_000_000 + i * 500))).toBe(500)
    expect(computeSlope(createSamples(10, () => 30_000_000))).toBe(0)
  })

  test('does not depend on a few samples', () => {
    const samples = createSamples(20, (i) => (i % 7 === 0 ? 90_000_000 : 30_000_000))
    expect(computeSlope(samples)).toBe(0)
  })

  test('needs two samples', () => {
    expect(() => computeSlope(createSamples(1, () => 1))).toThrow('at least two samples')
  })

  test('is measured in the second half, after caches have filled', () => {
    const samples = createSamples(40, (i) => Math.min(i, 20) * 1_000_000)
    expect(selectLastHalf(samples).map(({ requests }) => requests / 1000)).toEqual(
      Array.from({ length: 21 }, (_, i) => i + 20),
    )
    expect(measureGrowth({ ...healthy, samples }).slope).toBe(0)
  })

  test('has a threshold that is lower the longer the run is', () => {
    expect(toThreshold(20_000)).toBe(150_000)
    expect(toThreshold(1_000_000)).toBe(3000)
    expect(toThreshold(1e9)).toBe(1000)
  })
})

describe('a run of journeys', () => {
  test('without problems', () => {
    expect(findJourneyProblems(healthy)).toEqual([])
  })

  test.each<[string, Partial<JourneyFigures>, string]>([
    [
      'whose heap grows',
      { samples: createSamples(40, (i) => 30_000_000 + i * 100_000) },
      'the heap grows by 100000 bytes per thousand requests, more than 75000',
    ],
    ['with an answer of 500', { statuses: { 200: 1, 500: 2 } }, '2 answers have the status 500'],
    ['with an answer of 503', { statuses: { 503: 1 } }, '1 answers have the status 503'],
    ['with a failed journey', { failed: 1, failures: ['why'] }, '1 journeys failed, why'],
    ['that leaves rows', { rowsLeft: { sessions: 3 } }, '3 rows are left in sessions'],
  ])('%s', (_, change, problem) => {
    expect(findJourneyProblems({ ...healthy, ...change }).join(', ')).toBe(problem)
  })
})
