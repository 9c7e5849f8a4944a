import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Catalog } from '../../src/mutation/catalog.ts'
import type { Run } from '../../src/mutation/progress.ts'
import { Records } from '../../src/mutation/records.ts'
import { tryMutants } from '../../src/mutation/run.ts'
import { chooseSample, findUnconfirmed } from '../../src/mutation/sample.ts'
import { WorkerPool } from '../../src/mutation/worker-pool.ts'

const root = resolve(import.meta.dirname, 'fixture')

test('a mutant that only the quick mode notices is unconfirmed, and one that nothing notices', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = ['agreement.ts', 'discount.ts']
  const catalog = new Catalog(root, files)
  const path = 'agreement.tests.ts'
  const tests = [{ key: path, path, usesWebCrypto: false, hash: '1' }]
  const chosen = catalog.mutants.filter(({ within, operator, before }) => {
    return operator === 'number' && (within === 'getRate' || ['20', '10'].includes(before))
  })
  const run: Run = {
    catalog,
    tests,
    records: new Records(join(folder, 'records.jsonl'), catalog, tests),
    changedTests: new Set(),
    chosen,
    until: Date.now() + 600_000,
    tries: 100,
    workers: new WorkerPool({ root, config: false }, join(folder, 'run'), files, 1),
    compiler: undefined,
    print: () => undefined,
  }
  onTestFinished(() => run.workers.stop())
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
