import { expect, test } from 'vitest'
import type { Run } from '../../src/mutation/progress.ts'
import { tryMutants } from '../../src/mutation/run.ts'
import { getStatuses } from '../../src/mutation/statuses.ts'
import type { TestFile } from '../../src/mutation/test-files.ts'
import { createFolder, prepareRun, toTestFiles } from './support/run.ts'

const tests = toTestFiles('discount.tests.ts')

/** Prepares a run of `discount.ts`, with the records of a folder. */
function prepare(folder: string, lines: string[], files: readonly TestFile[] = tests): Run {
  return prepareRun(folder, { sources: ['discount.ts'], tests: files, lines })
}

/** Returns the mutants of a status, each as its function, its operator and its replacement. */
function listByStatus(run: Run, wanted: string): readonly string[] {
  return [...getStatuses(run)]
    .filter(([, status]) => status === wanted)
    .map(([{ within, operator, after }]) => `${within} ${operator} ${after}`)
}

test('each mutant is noticed, survives or is not reached; the results are kept', async () => {
  const folder = createFolder()
  const lines: string[] = []
  const run = prepare(folder, lines)
  await tryMutants(run)

  // The test of visits passes only once, and the pattern is compiled before a test: both run one by one.
  expect(lines).toContain('5 mutants to run in 5 runs')
  expect(listByStatus(run, 'timeout')).toEqual([
    'roundUp statement ;',
    'roundUp arithmetic ((power) / (2))',
  ])
  expect(listByStatus(run, 'unreached')).toEqual(['forget boolean false'])
  expect(listByStatus(run, 'survived')).toEqual([
    'code regex /[A-Z]+$/',
    'code regex /^[A-Z]+/',
    'roundUp.power number 2',
    'getPrice.limited number 91',
  ])
  expect(listByStatus(run, 'open')).toEqual([])
  expect(listByStatus(run, 'killed')).toEqual(
    expect.arrayContaining([
      'getDiscount not (code.test(text))',
      'roundUp boundary ((power) <= (amount))',
      'countVisits arithmetic ((visits.length) + (1))',
    ]),
  )

  const again = prepare(folder, lines.splice(0))
  await tryMutants(again)
  expect(getStatuses(again)).toEqual(getStatuses(run))

  const changed = prepare(folder, lines, [{ ...tests[0], hash: '2' } as TestFile])
  expect(listByStatus(changed, 'killed')).toEqual(listByStatus(run, 'killed'))
  expect(listByStatus(changed, 'untried')).toHaveLength(5)
  await tryMutants(changed)
  expect(lines.join('\n')).toContain('discount.tests.ts: 5 tried, 0 killed, 5 alive')
})

test('a few mutants that many tests reach are tried with all of them', async () => {
  const paths = ['one', 'two', 'three', 'four'].map((name) => `hours-${name}.tests.ts`)
  const sources = ['opening.ts']
  const run = prepareRun(createFolder(), { sources, tests: toTestFiles(...paths), tries: 5 })
  await tryMutants(run)
  expect(listByStatus(run, 'killed')).toContain('isOpen number 9')
})
