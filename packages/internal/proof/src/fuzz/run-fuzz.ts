import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Coverage } from './coverage.ts'
import { fuzz } from './fuzz.ts'
import type { Failure, FuzzResult } from './fuzz.ts'
import { readCorpus, readKeptCase, readKeptCases, writeCorpus, writeFailure } from './kept-cases.ts'
import type { Target } from './target.ts'
import { isTargetName, loadTarget, targetNames } from './targets.ts'
import type { TargetName } from './targets.ts'
import type { FuzzFigures, FuzzResults } from '../results.ts'

/** The options of the command. */
export interface RunOptions {
  /** Names of targets. Default: all */
  readonly names: readonly string[]
  /** Seconds for all targets together. */
  readonly seconds: number
  /** The number of cases of each target. */
  readonly cases: number
  readonly seed: number
  /** The file of one case to run. */
  readonly path: string | undefined
  readonly isGuided: boolean
  /** Whether a failing case is written to a file. */
  readonly isKept: boolean
  /** Whether the corpus and the figures are written. */
  readonly isUpdated: boolean
}

/** Fuzzes targets one after the other and prints the figures. Returns whether no invariant is broken. */
export async function runFuzz(options: RunOptions): Promise<boolean> {
  const { names, seed } = options
  const chosen = names.length === 0 ? targetNames : names.map(toTargetName)
  const all: FuzzFigures[] = []
  for (const [index, name] of chosen.entries()) {
    const target = await loadTarget(name)
    const spent = all.reduce((sum, { seconds }) => sum + seconds, 0)
    const share = (options.seconds - spent) / (chosen.length - index)
    const { figures, failure } = await runTarget(target, share, options)
    console.log(toLine(figures, seed))
    if (failure) return report(target.name, failure, options)
    all.push(figures)
  }
  const total = all.reduce((sum, { cases }) => sum + cases, 0)
  console.log(`${total} cases of ${all.length} targets, no invariant is broken`)
  if (options.isUpdated) writeResults(all, seed)
  return true
}

function toTargetName(name: string): TargetName {
  if (isTargetName(name)) return name
  throw new Error(`no target is named "${name}": expected one of ${targetNames.join(', ')}`)
}

async function runTarget(
  target: Target,
  seconds: number,
  { cases: limit, seed, path, isGuided, isUpdated }: RunOptions,
): Promise<{ readonly figures: FuzzFigures; readonly failure: Failure | undefined }> {
  const start = performance.now()
  const getSeconds = (): number => (performance.now() - start) / 1000
  const result = await fuzz({
    target,
    seed,
    corpus: isGuided ? readCorpus(target.name) : [],
    kept: path === undefined ? readKeptCases(target.name) : [readKeptCase(path)],
    isOver: (cases) => path !== undefined || cases >= limit || getSeconds() >= seconds,
    coverage: new Coverage(),
    isGuided,
  })
  const { cases, blocks, failure } = result
  const figures = { target: target.name, cases, seconds: round(getSeconds()), blocks }
  const corpus = isUpdated && !failure ? await updateCorpus(target, result) : undefined
  return { figures: { ...figures, ...(corpus !== undefined && { corpus }) }, failure }
}

function updateCorpus(target: Target, { corpus }: FuzzResult): Promise<number> {
  return writeCorpus(target, [...readCorpus(target.name), ...corpus])
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}

function toLine({ target, cases, seconds, blocks, corpus }: FuzzFigures, seed: number): string {
  const kept = corpus === undefined ? '' : `, ${corpus} kept in the corpus`
  return `${target}: ${cases} cases in ${seconds} s, ${blocks} blocks reached, seed ${seed}${kept}`
}

function report(target: string, failure: Failure, { isKept, seed }: RunOptions): false {
  const { given, message } = failure
  console.log(`${target}: ${message}`)
  console.log(JSON.stringify(given, null, 1).slice(0, 10_000))
  const path = failure.path ?? (isKept ? writeFailure(target, failure) : undefined)
  if (path !== undefined) console.log(`replay: pnpm fuzz ${target} --path ${path} (seed ${seed})`)
  return false
}

function writeResults(targets: readonly FuzzFigures[], seed: number): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const cases = targets.reduce((sum, figures) => sum + figures.cases, 0)
  const seconds = round(targets.reduce((sum, figures) => sum + figures.seconds, 0))
  const date = new Date().toISOString().slice(0, 10)
  const results: FuzzResults = { date, commit, seed, cases, seconds, targets }
  const path = new URL('../../results/fuzz.json', import.meta.url)
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`)
}
