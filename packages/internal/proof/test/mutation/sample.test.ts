import { expect, test } from 'vitest'
import { Catalog } from '../../src/mutation/catalog.ts'
import { tryMutants } from '../../src/mutation/run.ts'
import { chooseSample, findUnconfirmed } from '../../src/mutation/sample.ts'
import { createFolder, prepareRun, root, toTestFiles } from './support/run.ts'

test('a mutant that only the quick mode notices is unconfirmed, and one that nothing notices', async () => {
  const all = prepareRun(createFolder(), {
    sources: ['agreement.ts', 'discount.ts'],
    tests: toTestFiles('agreement.tests.ts'),
  })
  const chosen = all.chosen.filter(({ within, operator, before }) => {
    return operator === 'number' && (within === 'getRate' || ['20', '10'].includes(before))
  })
  const run = { ...all, chosen }
  await tryMutants(run)
  const unconfirmed = await findUnconfirmed(run)
  expect(run.chosen.map(({ file, before }) => [file, before])).toEqual([
    ['agreement.ts', '20'],
    ['discount.ts', '20'],
    ['discount.ts', '10'],
  ])
  expect([...unconfirmed].map(([{ file, before }, by]) => [file, before, by])).toEqual([
    ['agreement.ts', '20', 'agreement.tests.ts > the rate is the rate'],
    ['discount.ts', '10', 'no test notices it'],
  ])
})

test('a sample is the same for a seed, and has no mutant twice', () => {
  const { mutants } = new Catalog(root, ['discount.ts'])
  const choose = (seed: number): typeof mutants => chooseSample(mutants, { count: 5, seed })
  expect(choose(1)).toEqual(choose(1))
  expect(choose(1)).not.toEqual(choose(2))
  expect(new Set(choose(1)).size).toBe(5)
  expect(new Set(chooseSample(mutants, { count: 1000, seed: 1 }))).toEqual(new Set(mutants))
})
