/**
 * `pnpm model [--runs <number>] [--seed <number>] [--path <path>] [--minutes <number>] [--strategy <name>] [--storage sqlite]
 * [--faults] [--update]`: uses services in random ways and checks what must hold after each step; or, with `--faults`, shows
 * that it finds each fault of `faults.ts`. It fails if something does not hold, or if a command never had its purpose.
 */
import { parseArgs } from 'node:util'
import { faults } from './faults.ts'
import { findFaults } from './find-faults.ts'
import { listUnused, printFault, printResult } from './report.ts'
import type { FoundFault } from './find-faults.ts'
import { runModel } from './run.ts'
import type { RunResult } from './run.ts'
import { createSqliteStorage } from './sqlite.ts'
import { isStrategy, strategies } from './strategies.ts'
import type { Strategy } from './strategies.ts'
import { writeResults } from './write-results.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string' },
    path: { type: 'string' },
    minutes: { type: 'string' },
    strategy: { type: 'string' },
    storage: { type: 'string', default: 'memory' },
    faults: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
  },
})

const began = Date.now()
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const results = values.faults ? [] : await runAll()
const found = values.faults ? await runFaults() : []
const seconds = Math.round((Date.now() - began) / 1000)
if (values.update) await writeResults({ results, found, seed, seconds })

/** Runs the model of the chosen strategies, one after the other. */
async function runAll(): Promise<readonly RunResult[]> {
  const chosen = toStrategies(values.strategy)
  const all: RunResult[] = []
  for (const [index, strategy] of chosen.entries()) {
    const { path, minutes, storage } = values
    const milliseconds = Number(minutes ?? 0) * 60_000
    const result = await runModel({
      strategy,
      seed,
      path,
      runs: minutes === undefined ? Number(values.runs) : Number.MAX_SAFE_INTEGER,
      createStorage: storage === 'sqlite' ? createSqliteStorage : undefined,
      until:
        minutes === undefined ? undefined : began + (milliseconds * (index + 1)) / chosen.length,
    })
    printResult(result)
    if (result.failure || listUnused(result).length > 0) process.exitCode = 1
    all.push(result)
  }
  return all
}

async function runFaults(): Promise<readonly FoundFault[]> {
  const all: FoundFault[] = []
  for await (const each of findFaults(faults, seed)) {
    printFault(each)
    if (each.violation === undefined) process.exitCode = 1
    all.push(each)
  }
  console.log(
    `${all.filter(({ violation }) => violation !== undefined).length} of ${all.length} faults found, seed ${seed}`,
  )
  return all
}

function toStrategies(name: string | undefined): readonly Strategy[] {
  if (name === undefined) return Object.keys(strategies).filter(isStrategy)
  if (isStrategy(name)) return [name]
  throw new Error(`--strategy: expected ${Object.keys(strategies).join(', ')}, found ${name}`)
}
