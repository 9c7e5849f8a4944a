/**
 * `pnpm prove [--update] [part of a name…]`: proves the models of the folder `models` with ProVerif, then makes each
 * fault of `models.ts`. It fails if a query does not hold, or if no attack is found with a fault. `--update` writes the
 * figures.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ProofResults } from '../results.ts'
import { modelMutants, models } from './models.ts'
import { findVersion, readModel, runProVerif, toFaultyModel } from './run-proverif.ts'

/** The figures of one model. */
type Figures = ProofResults['models'][number]

const { values, positionals: parts } = parseArgs({
  options: { update: { type: 'boolean', default: false } },
  allowPositionals: true,
})

const version = await findVersion()
if (version === undefined) {
  console.error(
    'proverif is missing: expected ProVerif 2.05 in the PATH.\n' +
      'Install it with opam (opam install proverif), or build it from https://proverif.inria.fr.',
  )
  process.exitCode = 1
} else {
  console.log(`ProVerif ${version}`)
  await proveModels(version)
}

async function proveModels(proverif: string): Promise<void> {
  const began = Date.now()
  const all: Figures[] = []
  for (const file of models.filter(isChosen)) {
    all.push({ file, ...(await prove(file)), ...(await breakModel(file)) })
  }
  const failures = all.reduce((sum, each) => sum + countFailures(each), 0)
  console.log(
    failures === 0 ? 'everything is proved, and every fault is found' : `${failures} failed`,
  )
  if (values.update) record({ proverif, seconds: getSeconds(began), models: all })
  process.exitCode = failures === 0 ? 0 : 1
}

/** Proves every query of a model. */
async function prove(file: string): Promise<Pick<Figures, 'queries' | 'proved'>> {
  const answers = await runProVerif(await readModel(file))
  for (const { name, holds } of answers) console.log(`${describe(holds)}  ${file}: ${name}`)
  return { queries: answers.length, proved: answers.filter(({ holds }) => holds === true).length }
}

/** Makes every fault in a model. */
async function breakModel(file: string): Promise<Pick<Figures, 'faults' | 'found'>> {
  const mutants = modelMutants.filter((mutant) => mutant.file === file)
  let found = 0
  for (const mutant of mutants) {
    const [answer] = await runProVerif(toFaultyModel(await readModel(file), mutant))
    const isBroken = answer?.holds === false
    if (isBroken) found += 1
    console.log(`${isBroken ? 'broken' : 'SURVIVED'}  ${file}: ${mutant.reason}`)
    console.log(
      `  ${answer?.holds === undefined ? 'neither proved nor broken: ' : ''}${answer?.name}`,
    )
  }
  return { faults: mutants.length, found }
}

function countFailures({ queries, proved, faults, found }: Figures): number {
  return queries - proved + faults - found
}

function describe(holds: boolean | undefined): string {
  return holds === undefined ? 'NOT PROVED' : holds ? 'proved' : 'BROKEN'
}

function isChosen(file: string): boolean {
  return parts.length === 0 || parts.some((part) => file.includes(part))
}

function getSeconds(began: number): number {
  return Math.round((Date.now() - began) / 1000)
}

/** Writes `results/proverif.json`. */
function record(shown: Omit<ProofResults, 'date' | 'commit'>): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const results: ProofResults = { date: new Date().toISOString().slice(0, 10), commit, ...shown }
  const path = new URL('../../results/proverif.json', import.meta.url)
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`)
}
