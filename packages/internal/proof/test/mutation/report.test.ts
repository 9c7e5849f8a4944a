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
  const results = toResults(chosen)
  const folders = countByFolder(results)
  expect(`\n${toTable(folders, countAll(results))}`).toMatchInlineSnapshot(`
    "
    folder        mutants    killed   timeout     types  survived unreached      open     share
    core/crypto         3         1         1         0         1         0         0    66.6 %
    core/pages          3         0         0         0         1         1         1     0.0 %
    totp                4         0         0         1         0         0         3   100.0 %
    all                10         1         1         1         2         1         4    50.0 %"
  `)
})

test('what fails is gated and decided', () => {
  const failures = [...toResults(chosen)].filter(([mutant, result]) => isFailure(mutant, result))
  expect(failures.map(([mutant]) => describeMutant(mutant))).toEqual([
    'packages/core/src/crypto/csrf.ts:3 number in a\n  - 2\n  + 3',
  ])
})
