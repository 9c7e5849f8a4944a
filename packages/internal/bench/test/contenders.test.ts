import { beforeAll, describe, expect, test } from 'vitest'
import { BUDGETS, measureSizes, toTotals } from '../src/bundle.ts'
import type { Sizes } from '../src/bundle.ts'
import { cookieContenders, createContenders } from '../src/contenders/contenders.ts'
import type { Contender, Task } from '../src/contenders/contender.ts'
import { createFloor } from '../src/contenders/floor.ts'
import { installIdentityProvider } from '../src/contenders/identity-provider.ts'
import { createLatchkey } from '../src/contenders/latchkey.ts'
import { describeFigures, drawFigures } from '../src/describe-rates.ts'
import { describeDifference } from '../src/describe.ts'
import { GOALS_ALONE, toFigure } from '../src/figures.ts'
import { measureRates } from '../src/rates.ts'
import type { WorkRates } from '../src/rates.ts'
import { works } from '../src/work.ts'
import { testEachTask } from './support/test-each-task.ts'

const TINY = { rounds: 1, sliceMs: 1, together: 2 }

installIdentityProvider()
testEachTask(cookieContenders)

test('all work is measured, and what a contender cannot do is left out', async () => {
  const rates = await measureRates(await createContenders(cookieContenders), TINY)
  const figures = rates.map((each) => toFigure(each, GOALS_ALONE))
  expect(figures.map(({ work }) => work)).toEqual(works.slice(0, 8).map(({ name }) => name))
  expect(figures[2]?.ratios.timesBetterAuth).toBeUndefined()
  expect(describeFigures(figures)).toContain('POST /signin/github')
  expect(drawFigures(figures, 1)).toContain('POST /signin/github')
})

test('a contender that answers wrongly stops the measurement', async () => {
  const { tasks, answer } = await createLatchkey()
  const run = async (): Promise<Response> => Response.json({})
  const session = { ...(tasks.session as Task), run }
  const latchkey: Contender = { answer, tasks: { ...tasks, session } }
  await expect(measureRates({ latchkey }, TINY)).rejects.toThrow('strictly')
})

test('the floor decrypts as many bytes as Latchkey does', async () => {
  const getCookie = ({ tasks }: Contender): string =>
    /(?:session|floor)=([^;]+)/.exec(tasks.session?.request?.().headers.get('cookie') ?? '')?.[1] ??
    ''
  const [, , , sealed] = getCookie(await createLatchkey()).split('.') // header, key, iv, ciphertext, tag
  const bare = getCookie(await createFloor())
  const [iv, tag] = [12, 16]
  expect(countBytes(bare)).toBe(countBytes(sealed) + iv + tag)
})

test('a figure is the median of the ratios within each round', () => {
  const [work] = works as [WorkRates['work']]
  const rates = {
    latchkey: [30, 100, 20],
    authCore: [2, 5, 1],
    betterAuth: [],
    floor: [30, 200, 30],
  }
  expect(toFigure({ work, rates }, { session: 20, others: 5 })).toEqual({
    work: 'GET /session, signed in',
    rates: { latchkey: 30, authCore: 2, floor: 30 },
    ratios: { timesAuthCore: 20, timesBetterAuth: undefined, timesFloor: 1.5 },
    targets: [
      { of: 'timesAuthCore', limit: 20, reached: true },
      { of: 'timesFloor', limit: 1.3, reached: false },
    ],
  })
})

describe('the bundles', () => {
  let sizes: Sizes
  beforeAll(async () => {
    sizes = await measureSizes()
  })

  test('are measured as a whole and by package', () => {
    for (const { minified, gzipped, packages } of Object.values(sizes) as Sizes[keyof Sizes][]) {
      const sum = packages.reduce((bytesSoFar, part) => bytesSoFar + part.minified, 0)
      expect(gzipped).toBeLessThan(minified)
      expect(sum).toBeLessThanOrEqual(minified)
      expect(sum).toBeGreaterThan(minified * 0.95)
    }
  })

  test('contain exactly what Latchkey imports of the libraries', () => {
    for (const { name, minified } of sizes.libraries.packages) {
      const used = sizes.latchkey.packages.find((part) => part.name === name)
      expect(minified / (used?.minified ?? 0), name).toBeCloseTo(1, 1)
    }
    expect(sizes.libraries.packages.map(({ name }) => name).toSorted()).toEqual([
      'cookie',
      'hono',
      'oauth4webapi',
    ])
  })

  test('are compared with recorded totals by package', () => {
    const now = { latchkey: toTotals(sizes.latchkey), latchkeyFull: toTotals(sizes.latchkeyFull) }
    const { minified, gzipped, packages } = now.latchkey
    const cookie = (packages['cookie'] ?? 0) - 1_200
    const smaller = {
      minified: minified - 1_200,
      gzipped: gzipped + 5,
      packages: { ...packages, cookie },
    }
    expect(
      describeDifference(now, { ...now, latchkey: smaller })
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['difference to sizes.json, bytes', 'minified', 'gzipped'],
      ['Latchkey with GitHub and Google', '+1,200', '-5'],
      ['', 'cookie', '+1,200'],
      ['Latchkey with email and D1 besides', '0', '0'],
    ])
  })

  test("of Latchkey's Workers are within their budgets", () => {
    expect(sizes.latchkey.gzipped).toBeLessThanOrEqual(BUDGETS.latchkey)
    expect(sizes.latchkeyFull.gzipped).toBeLessThanOrEqual(BUDGETS.latchkeyFull)
  })
})

function countBytes(base64url: string | undefined): number {
  return Buffer.from(base64url ?? '', 'base64url').byteLength
}
