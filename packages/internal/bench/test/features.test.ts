import { expect, test } from 'vitest'
import { features } from '../src/features.ts'
import { describeFeatures, measureFeatures, replaceFeatureTable } from '../src/measure-features.ts'

test('every optional part of a Worker is measured', { timeout: 120_000 }, async () => {
  const sizes = await measureFeatures()
  expect(sizes.map(({ feature }) => feature.name)).toEqual(features.map(({ name }) => name))
  for (const { feature, gzipped } of sizes) expect(gzipped, feature.name).toBeGreaterThan(-50)
  const byName = new Map(sizes.map(({ feature, gzipped }) => [feature.name, gzipped]))
  expect(byName.get('GitHub and Google')).toBeGreaterThan(byName.get('GitHub') ?? Infinity)
  expect(byName.get('sign-in by email')).toBeGreaterThan(500)
})

test('the table of the README is replaced', () => {
  const feature = { name: 'German', imports: [] }
  const table = describeFeatures([{ feature, gzipped: 1234 }])
  const readme = 'before\n\n<!-- features -->\nold\n<!-- /features -->\nafter'
  expect(replaceFeatureTable(readme, table)).toBe(`before

<!-- features -->

| part   | in the Worker | bytes, gzipped |
| ------ | ------------: | -------------: |
| German |      imported |          1,234 |

<!-- /features -->
after`)
  expect(() => replaceFeatureTable('no markers', table)).toThrow('<!-- features -->')
})
