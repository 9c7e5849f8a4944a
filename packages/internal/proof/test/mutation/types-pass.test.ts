import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Catalog } from '../../src/mutation/catalog.ts'
import { Compiler } from '../../src/mutation/compiler.ts'
import { Records } from '../../src/mutation/records.ts'
import { getStatuses } from '../../src/mutation/statuses.ts'
import { tryTypes } from '../../src/mutation/types-pass.ts'
import { WorkerPool } from '../../src/mutation/worker-pool.ts'

const root = resolve(import.meta.dirname, '../../../../..')

test('a fault with wrong types is noticed by the compiler, in its own file only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = ['packages/totp/src/base32.ts', 'packages/totp/src/key-uri.ts']
  const catalog = new Catalog(root, files)
  const chosen = catalog.mutants.filter(({ operator }) => ['return', 'boundary'].includes(operator))
  const run = {
    catalog,
    tests: [],
    records: new Records(join(folder, 'records.jsonl'), catalog, []),
    changedTests: new Set<string>(),
    chosen,
    until: Infinity,
    tries: 0,
    workers: new WorkerPool({ root, config: false }, folder, files, 0),
    compiler: undefined,
    print: (): void => undefined,
  }
  tryTypes(run, new Compiler(root, join(folder, 'types')))
  const refused = [...getStatuses(run)].filter(([, status]) => status === 'types')
  expect(
    refused.map(([mutant]) => `${mutant.within}: ${run.records.getKiller(mutant)?.by}`),
  ).toEqual(
    [
      ['toBase32', 'string'],
      ['fromBase32', 'Uint8Array<ArrayBuffer>'],
      ['toKeyUri', 'string'],
      ['encodeName', 'string'],
    ].map(
      ([name, type]) =>
        `${name}: error TS2322: Type 'undefined' is not assignable to type '${type}'.`,
    ),
  )
  expect(chosen.length).toBeGreaterThan(refused.length)
})
