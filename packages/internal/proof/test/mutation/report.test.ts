import { expect, test } from 'vitest'
import { listMutants } from '../../src/mutation/mutants.ts'
import {
  countAll,
  countByFolder,
  describeMutant,
  isFailure,
  toResults,
  toTable,
} from '../../src/mutation/report.ts'
import type { Status } from '../../src/mutation/statuses.ts'

const csrf = listMutants('packages/core/src/crypto/csrf.ts', 'const a = () => [\n  1,\n 2]\n')
const pages = listMutants('packages/core/src/pages/html.ts', 'f(3, 4)\n')
const totp = listMutants('packages/totp/src/code.ts', 'g(true, 5, 6)\n')
const statuses: readonly Status[] = [
  'killed',
  'timeout',
  'survived',
  'survived',
  'unreached',
  'open',
  'types',
]
const mutants = [...csrf, ...pages, ...totp]
const chosen = new Map(mutants.map((mutant, index) => [mutant, statuses[index] ?? 'untried']))

test('counts are by folder, and open mutants do not count', () => {
  const results = toResults(chosen, new Set(csrf.slice(2)))
  const folders = countByFolder(results)
  expect(`\n${toTable(folders, countAll(results))}`).toMatchInlineSnapshot(`
    "
    folder        mutants    killed   timeout     types explained  survived unreached      open     share
    core/crypto         3         1         1         0         1         0         0         0   100.0 %
    core/pages          3         0         0         0         0         1         1         1     0.0 %
    totp                4         0         0         1         0         0         0         3   100.0 %
    all                10         1         1         1         1         1         1         4    66.6 %"
  `)
})

test('what fails is gated, decided and not explained', () => {
  const getFailures = (explained: ReadonlySet<(typeof mutants)[number]>): readonly string[] =>
    [...toResults(chosen, explained)]
      .filter(([mutant, result]) => isFailure(mutant, result))
      .map(([mutant]) => describeMutant(mutant))
  expect(getFailures(new Set(csrf))).toEqual([])
  expect(getFailures(new Set())).toEqual([
    'packages/core/src/crypto/csrf.ts:3 number in a\n  - 2\n  + 3',
  ])
})
