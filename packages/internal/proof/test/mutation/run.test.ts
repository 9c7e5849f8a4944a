import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Catalog } from '../../src/mutation/catalog.ts'
import { checkExplained } from '../../src/mutation/check-explained.ts'
import type { Mutant } from '../../src/mutation/mutants.ts'
import type { Run } from '../../src/mutation/progress.ts'
import { Records } from '../../src/mutation/records.ts'
import { tryMutants } from '../../src/mutation/run.ts'
import { getStatuses } from '../../src/mutation/statuses.ts'
import { WorkerPool } from '../../src/mutation/worker-pool.ts'
import type { TestFile } from '../../src/mutation/test-files.ts'

const root = resolve(import.meta.dirname, 'fixture')
const tests: readonly TestFile[] = [
  { key: 'discount.tests.ts', path: 'discount.tests.ts', usesWebCrypto: false, hash: '1' },
]

/** What a run tries. */
interface Prepared {
  readonly files?: readonly TestFile[]
  readonly source?: string
  readonly tries?: number
}

/** Prepares a run over the fixture, with the records of a folder. */
function prepare(
  folder: string,
  lines: string[],
  { files = tests, source = 'discount.ts', tries = 100 }: Prepared = {},
): Run {
  const catalog = new Catalog(root, [source])
  const run: Run = {
    catalog,
    tests: files,
    records: new Records(join(folder, 'records.jsonl'), catalog, files),
    changedTests: new Set(),
    chosen: catalog.mutants,
    until: Date.now() + 600_000,
    tries,
    workers: new WorkerPool({ root, config: false }, join(folder, 'run'), [source], 1),
    compiler: undefined,
    print: (line) => lines.push(line),
  }
  onTestFinished(() => run.workers.stop())
  return run
}

/** Returns the mutants of a status, each as its function, its operator and its replacement. */
function listByStatus(run: Run, wanted: string): readonly string[] {
  return [...getStatuses(run)]
    .filter(([, status]) => status === wanted)
    .map(([{ within, operator, after }]) => `${within} ${operator} ${after}`)
}

test('each mutant is noticed, survives or is not reached; the results are kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
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

  const changed = prepare(folder, lines, { files: [{ ...tests[0], hash: '2' } as TestFile] })
  expect(listByStatus(changed, 'killed')).toEqual(listByStatus(run, 'killed'))
  expect(listByStatus(changed, 'untried')).toHaveLength(5)
  await tryMutants(changed)
  expect(lines.join('\n')).toContain('discount.tests.ts: 5 tried, 0 killed, 5 alive')

  checkExplanations(run)
})

test('a few mutants that many tests reach are tried with all of them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const paths = ['one', 'two', 'three', 'four'].map((name) => `hours-${name}.tests.ts`)
  const files = paths.map((path) => ({ key: path, path, usesWebCrypto: false, hash: '1' }))
  const run = prepare(folder, [], { files, source: 'opening.ts', tries: 5 })
  await tryMutants(run)
  expect(listByStatus(run, 'killed')).toContain('isOpen number 9')
})

/** Checks rows for a survivor, a mutant that is noticed, and one that does not exist. */
function checkExplanations(run: Run): void {
  const row = (operator: Mutant['operator'], text: string, within: string) =>
    ({ file: 'discount.ts', operator, text, within, reason: 'no price is larger' }) as const
  const survivor = row('number', '90', 'getPrice.limited')
  const check = (...rows: readonly ReturnType<typeof row>[]) =>
    checkExplained({ rows, classes: [] }, run.catalog.mutants, getStatuses(run))

  expect(check(survivor).problems).toEqual([])
  expect([...check(survivor).explained]).toMatchObject([
    { within: 'getPrice.limited', after: '91' },
  ])
  expect(check(row('number', '20', 'getDiscount')).problems).toEqual([
    'discount.ts: number of 20: tests notice it; remove the row',
  ])
  expect(check(row('number', '91', 'getPrice')).problems).toEqual([
    'discount.ts: number of 91: expected one mutant, found 0',
  ])
  expect(check(row('regex', '/^[A-Z]+$/', 'code')).problems).toEqual([
    'discount.ts: regex of /^[A-Z]+$/: expected one mutant, found 2',
  ])
  expect(check(row('regex', '/^[A-Z]+$/ → /[A-Z]+$/', 'code')).problems).toEqual([])
  const classes = [
    { name: 'patterns', matches: ({ operator }: Mutant) => operator === 'regex', reason: 'a' },
    { name: 'booleans', matches: ({ operator }: Mutant) => operator === 'not', reason: 'a' },
  ]
  const { explained, problems } = checkExplained(
    { rows: [], classes },
    run.catalog.mutants,
    getStatuses(run),
  )
  expect(explained.size).toBe(2)
  expect(problems).toEqual(['rule booleans: no mutant survives; remove the rule'])
}
