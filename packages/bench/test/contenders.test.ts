import { beforeAll, describe, expect, test } from 'vitest'
import { BUDGETS, measureSizes, toTotals } from '../src/bundle.ts'
import type { Sizes } from '../src/bundle.ts'
import { createAuthCore } from '../src/contenders/auth-core.ts'
import type { Contender } from '../src/contenders/contender.ts'
import { createFloor } from '../src/contenders/floor.ts'
import { createLatchkey } from '../src/contenders/latchkey.ts'
import { describeDifference } from '../src/describe.ts'
import { toFigure } from '../src/figures.ts'
import { measureRates } from '../src/rates.ts'
import { checkOnce, works } from '../src/work.ts'

const factories = { latchkey: createLatchkey, authCore: createAuthCore, floor: createFloor }

describe.each(Object.entries(factories))('%s', (name, create) => {
  let contender: Contender
  beforeAll(async () => {
    contender = await create()
  })

  const own = works.filter((work) => name !== 'floor' || work.floor)
  test.each(own)('answers $name', (work) => checkOnce(work, contender))
})

test('a contender that answers wrongly stops the measurement', async () => {
  const contenders = {
    latchkey: await createLatchkey(),
    authCore: await createAuthCore(),
    floor: await createFloor(),
  }
  const answer = async (): Promise<Response> => Response.json({})
  const broken = { ...contenders, latchkey: { ...contenders.latchkey, answer } }
  await expect(measureRates(broken, { rounds: 1, sliceMs: 1, together: 1 })).rejects.toThrow(
    'strictly',
  )
})

test('the floor decrypts as many bytes as Latchkey does', async () => {
  const getCiphertext = ({ signedInCookies }: Contender, part: number): string | undefined =>
    /(?:session|floor)=([^;]+)/.exec(signedInCookies)?.[1]?.split('.')[part]
  const sealed = getCiphertext(await createLatchkey(), 3) // header, key, iv, ciphertext, tag
  const bare = getCiphertext(await createFloor(), 1)
  expect(countBytes(bare)).toBe(countBytes(sealed) + 16) // the tag is at its end
})

test('a figure is the median of the ratios within each round', () => {
  const [work] = works
  const rates = { latchkey: [30, 100, 20], authCore: [2, 5, 1], floor: [30, 200, 30] }
  expect(toFigure({ work: work as (typeof works)[number], rates })).toMatchObject({
    rates: { latchkey: 30, authCore: 2, floor: 30 },
    timesAuthCore: 20,
    timesFloor: 1.5,
    targets: [{ reached: true }, { reached: true }],
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
