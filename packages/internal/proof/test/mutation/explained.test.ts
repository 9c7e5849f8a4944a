import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { Catalog } from '../../src/mutation/catalog.ts'
import { checkExplained } from '../../src/mutation/check-explained.ts'
import { explained, explainedClasses } from '../../src/mutation/explained.ts'
import { listSources } from '../../src/mutation/sources.ts'

const root = resolve(import.meta.dirname, '../../../../..')

test('each explanation names one mutant of the present sources, and has a reason', () => {
  const { mutants } = new Catalog(root, listSources(root, ['packages/']))
  const rows = { rows: explained, classes: explainedClasses }
  expect(checkExplained(rows, mutants, new Map()).problems).toEqual([])
  for (const { file, reason } of explained) {
    expect(mutants.some((mutant) => mutant.file === file)).toBe(true)
    expect(reason).toMatch(/\w+ \w+/)
  }
  for (const { name, matches, reason } of explainedClasses) {
    expect(mutants.some(matches), name).toBe(true)
    expect(reason).toMatch(/\w+ \w+/)
  }
})
