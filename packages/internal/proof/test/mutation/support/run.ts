import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { Catalog } from '../../../src/mutation/catalog.ts'
import type { Run } from '../../../src/mutation/progress.ts'
import { Records } from '../../../src/mutation/records.ts'
import type { TestFile } from '../../../src/mutation/test-files.ts'
import { WorkerPool } from '../../../src/mutation/worker-pool.ts'

/** The folder of the sources and tests that the runs mutate. */
export const root: string = resolve(import.meta.dirname, '../fixture')

/** Creates a folder that is deleted when the test has finished. */
export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Returns test files of the fixture. */
export function toTestFiles(...paths: readonly string[]): readonly TestFile[] {
  return paths.map((path) => ({ key: path, path, usesWebCrypto: false, hash: '1' }))
}

/** What a run does. */
interface Prepared {
  readonly sources: readonly string[]
  readonly tests: readonly TestFile[]
  readonly tries?: number
  /** Receives the lines that the run prints. */
  readonly lines?: string[]
}

/** Prepares a run over the fixture, with the records of a folder. */
export function prepareRun(
  folder: string,
  { sources, tests, tries = 100, lines = [] }: Prepared,
): Run {
  const catalog = new Catalog(root, sources)
  const workers = new WorkerPool({ root, config: false }, join(folder, 'run'), sources, 1)
  onTestFinished(() => workers.stop())
  return {
    catalog,
    tests,
    records: new Records(join(folder, 'records.jsonl'), catalog, tests),
    changedTests: new Set(),
    chosen: catalog.mutants,
    until: Date.now() + 600_000,
    tries,
    workers,
    compiler: undefined,
    print: (line) => lines.push(line),
  }
}
