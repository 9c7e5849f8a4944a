/**
 * `pnpm mutate [option…] [part of a path…]`: changes every place of the sources, one after the other, and runs
 * the tests that reach it; README.md describes the options. It fails if a mutant of the gated folders
 * survives without an explanation, or if an explanation is wrong; with `--sample`, if the quick mode is wrong.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Catalog } from './catalog.ts'
import { findChangedLines, isChanged } from './changed-lines.ts'
import type { ChangedLines } from './changed-lines.ts'
import { Compiler } from './compiler.ts'
import type { Mutant } from './mutants.ts'
import type { Run } from './progress.ts'
import { listKillers, readNoticed, writeNoticed } from './noticed.ts'
import { Records } from './records.ts'
import { countAll, countByFolder, describeMutant, isFailure, toResults, toTable } from './report.ts'
import { tryMutants } from './run.ts'
import { chooseSample, findUnconfirmed } from './sample.ts'
import { isGated, listSources, sortByImportance } from './sources.ts'
import { getStatuses } from './statuses.ts'
import { listTestFiles } from './test-files.ts'
import { WorkerPool } from './worker-pool.ts'
import type { MutationResults } from '../results.ts'

const { values, positionals: parts } = parseArgs({
  options: {
    fresh: { type: 'boolean', default: false },
    gated: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10000' },
    records: { type: 'string', default: 'node_modules/.cache/mutation' },
    report: { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    since: { type: 'string' },
    survivors: { type: 'boolean', default: false },
    tries: { type: 'string', default: '100' },
    update: { type: 'boolean', default: false },
    workers: { type: 'string', default: '1' },
  },
  allowPositionals: true,
})

// Workers end with this process.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const resultsFolder = join(import.meta.dirname, '../../results')
const noticedPath = join(resultsFolder, 'noticed.json')
const root = fileURLToPath(new URL('../../../../..', import.meta.url)).replace(/\/$/, '')
const changes = values.since === undefined ? undefined : findChangedLines(root, values.since)
const run = createRun(changes)
if (!values.report && !values.survivors) await tryMutants(run)
process.exitCode = (await (values.sample === undefined ? reportAll() : reportSample())) ? 0 : 1
run.workers.stop()

/** Prints the survivors and the table of the folders. Returns whether every gated mutant is noticed. */
async function reportAll(): Promise<boolean> {
  const statuses = getStatuses(run)
  const results = toResults(statuses)
  for (const [mutant, result] of values.report ? [] : results) {
    if (result === 'survived' || result === 'unreached') {
      console.log(`${result.toUpperCase()} ${describeMutant(mutant)}`)
    }
  }
  const all = countAll(results)
  console.log(toTable(countByFolder(results), all))
  const failures = [...results].filter(([mutant, result]) => isFailure(mutant, result))
  console.log(`${failures.length} mutants of the gated folders are not noticed`)
  if (all.open > 0) console.log(`${all.open} mutants were not tried with every test`)
  if (values.update) record(results)
  return failures.length === 0
}

/** Prints what the quick mode has noticed, and the whole test file has not. Returns whether there is nothing. */
async function reportSample(): Promise<boolean> {
  const unconfirmed = await findUnconfirmed(run)
  for (const [mutant, by] of unconfirmed) console.log(`${describeMutant(mutant)}\n  ${by}`)
  console.log(
    `${run.chosen.length - unconfirmed.size} of ${run.chosen.length} mutants are confirmed`,
  )
  return unconfirmed.size === 0
}

function createRun(changed: ChangedLines | undefined): Run {
  const sources = listSources(root, parts).filter((file) => !values.gated || isGated(file))
  const files = changed
    ? [...changed.keys()].filter((file) => sources.includes(file))
    : sortByImportance(sources)
  if (files.length === 0 && !changed) {
    throw new Error(`no source file is named like ${parts.join(' or ')}`)
  }
  const catalog = new Catalog(root, files)
  const tests = listTestFiles(root, files)
  const folder = resolve(root, values.records)
  const workersFolder = join(folder, `run-${process.pid}`)
  const count = Number(values.workers)
  const isSample = values.sample !== undefined
  const recordsPath = join(isSample ? workersFolder : folder, 'records.jsonl')
  const noticed = isSample || values.fresh ? {} : readNoticed(noticedPath)
  return {
    catalog,
    tests,
    records: new Records(recordsPath, catalog, tests, noticed),
    changedTests: new Set(changed?.keys()),
    chosen: isSample ? chooseNoticed(catalog) : choose(catalog, changed),
    until: Date.now() + Number(values.minutes) * 60_000,
    tries: isSample ? Number.MAX_SAFE_INTEGER : Number(values.tries),
    workers: new WorkerPool({ root, config: 'vitest.config.ts' }, workersFolder, files, count),
    compiler: new Compiler(root, join(workersFolder, 'types')),
    print: (line) => console.error(line),
  }
}

/** Returns what to try. */
function choose({ mutants }: Catalog, changed: ChangedLines | undefined): readonly Mutant[] {
  return changed ? mutants.filter((mutant) => isChanged(mutant, changed)) : mutants
}

/** A sample is tried anew, without what earlier runs have found. */
function chooseNoticed(catalog: Catalog): readonly Mutant[] {
  const killers = listKillers(readNoticed(noticedPath), catalog)
  const failed = killers.filter(([, , { how }]) => how === 'failed')
  const noticed = failed.map(([file, index]) => catalog.getFile(file).mutants[index])
  const sample = { count: Number(values.sample), seed: Number(values.seed) }
  return chooseSample(
    noticed.filter((mutant) => mutant !== undefined),
    sample,
  )
}

function record(results: ReturnType<typeof toResults>): void {
  mkdirSync(resultsFolder, { recursive: true })
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root }).toString()
  const report: MutationResults = {
    date: new Date().toISOString().slice(0, 10),
    commit: commit.trim(),
    seconds: Math.round(run.records.totalSeconds),
    ...countAll(results),
    folders: Object.fromEntries(countByFolder(results)),
  }
  writeFileSync(join(resultsFolder, 'mutation.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeNoticed(noticedPath, run.catalog, (mutant) => run.records.getKiller(mutant))
}
