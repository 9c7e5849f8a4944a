import { expect, test } from 'vitest'
import { applyMutant, listMutants } from '../../src/mutation/mutants.ts'
import { toGroups } from '../../src/mutation/real-pass.ts'

const source = Array.from(
  { length: 12 },
  (_, i) => `export const f${i} = (n) => n > ${i} && n < 99`,
).join('\n')

test('mutants that run at the same time have separate places, and at most ten run', () => {
  const mutants = listMutants('sample.ts', source)
  const groups = toGroups(mutants)
  expect(groups.flat().toSorted((a, b) => a.index - b.index)).toEqual(mutants)
  for (const group of groups) {
    expect(group.length).toBeLessThanOrEqual(10)
    const changed = group.toSorted((a, b) => b.start - a.start).reduce(applyMutant, source)
    for (const { after } of group) expect(changed).toContain(after)
  }
  expect(groups.length).toBeLessThan(mutants.length / 4)
})
