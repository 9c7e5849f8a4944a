import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ModelMutant } from './model-mutant.ts'
import { mutate } from '../mutants/mutate.ts'

const run = promisify(execFile)

/** Minutes that ProVerif has for one model; ten times what the slowest takes. */
const MINUTES = 15

/** A query of a model. */
export interface Query {
  /** The comment above it: a kind, a colon, and what is asked. */
  readonly name: string
  readonly text: string
}

/** What ProVerif answers to a query. */
export interface Answer {
  readonly name: string
  /** Undefined if ProVerif can neither prove it nor find an attack. */
  readonly holds: boolean | undefined
}

/** Returns the version of the `proverif` in the PATH; undefined if there is none. */
export async function findVersion(): Promise<string | undefined> {
  try {
    const { stdout } = await run('proverif', ['--help'])
    return /^Proverif (\d+\.\d+\w*)/i.exec(stdout)?.[1] ?? 'of an unknown version'
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}

/** Reads a model of the folder `models`. */
export function readModel(file: string): Promise<string> {
  return readFile(join(import.meta.dirname, 'models', file), 'utf8')
}

/** Lists the queries of a model: each has a comment of one line above it. */
export function listQueries(model: string): readonly Query[] {
  const found = model.matchAll(/\(\* (.+) \*\)\n(query [^.]+\.)/g)
  return [...found].map(([, name = '', text = '']) => ({ name, text }))
}

/**
 * Returns the model with the fault of a mutant, and with the query that it breaks as the only one.
 *
 * @throws Error if the model does not have the text of the mutant, or the query, exactly once
 */
export function toFaultyModel(model: string, mutant: ModelMutant): string {
  const queries = listQueries(model)
  const broken = queries.filter(({ name }) => name.startsWith(mutant.breaks))
  if (broken.length !== 1) {
    throw new Error(`${mutant.file}: expected one query, found ${broken.length}: ${mutant.breaks}`)
  }
  const others = queries.filter((query) => query !== broken[0])
  const single = others.reduce((rest, { text }) => rest.replace(text, ''), model)
  const { file, also } = mutant
  const faulty = mutate(single, mutant)
  return also ? mutate(faulty, { file, ...also }) : faulty
}

/**
 * Runs ProVerif on a model.
 *
 * @throws Error if ProVerif fails, or does not answer every query
 */
export async function runProVerif(model: string): Promise<readonly Answer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'proof-'))
  try {
    const file = join(folder, 'model.pv')
    await writeFile(file, model)
    return toAnswers(listQueries(model), await getOutput(file))
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function getOutput(file: string): Promise<string> {
  const options = { timeout: MINUTES * 60_000, maxBuffer: 2 ** 30 }
  try {
    return (await run('proverif', [file], options)).stdout
  } catch (thrown) {
    // ProVerif writes its errors to the standard output.
    const output = thrown instanceof Error && 'stdout' in thrown ? String(thrown.stdout) : ''
    const lines = output.trimEnd().split('\n').slice(-3).join('\n')
    throw new Error(`proverif failed, or took ${MINUTES} minutes: ${lines}`, { cause: thrown })
  }
}

/**
 * ProVerif answers in the order of the queries. `RESULT (` begins a remark about a weaker query. A reachable
 * event is a false query: `not event(…)`.
 */
function toAnswers(queries: readonly Query[], output: string): readonly Answer[] {
  const results = output.split('\n').filter((line) => /^RESULT [^(]/.test(line))
  if (results.length !== queries.length) {
    throw new Error(`expected ${queries.length} results, found ${results.length}`)
  }
  return queries.map(({ name }, i) => ({ name, holds: toHolds(name, results[i] ?? '') }))
}

function toHolds(name: string, result: string): boolean | undefined {
  const [, verdict] = / is (true|false)\.$/.exec(result) ?? []
  if (verdict === undefined) return undefined
  return name.startsWith('reachable') ? verdict === 'false' : verdict === 'true'
}
