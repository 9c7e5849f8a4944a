import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import type { FoundFault } from './find-faults.ts'
import type { RunResult } from './run.ts'
import type { ModelResults } from '../results.ts'

/** What a call of the command has shown. */
interface Shown {
  readonly results: readonly RunResult[]
  readonly found: readonly FoundFault[]
  readonly seed: number
  readonly seconds: number
}

const file = new URL('../../results/model.json', import.meta.url)

/** Writes the figures of the runs, or of the faults, and keeps the others. */
export async function writeResults({ results, found, seed, seconds }: Shown): Promise<void> {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const date = new Date().toISOString().slice(0, 10)
  const call = { date, commit, seed, seconds }
  const figures: Partial<ModelResults> = {
    ...(await readFigures()),
    ...(results.length > 0 && { model: { ...call, strategies: results.map(toFigures) } }),
    ...(found.length > 0 && { faults: { ...call, ...toFaultFigures(found) } }),
  }
  await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`)
}

async function readFigures(): Promise<object> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  const figures: unknown = JSON.parse(text)
  return typeof figures === 'object' && figures !== null ? figures : {}
}

function toFigures({
  strategy,
  runs,
  commands,
  requests,
  counts,
  failure,
}: RunResult): ModelResults['model']['strategies'][number] {
  const succeeded = Object.fromEntries([...counts].map(([name, count]) => [name, count.succeeded]))
  return { strategy, runs, commands, requests, violation: failure?.message ?? null, succeeded }
}

function toFaultFigures(
  found: readonly FoundFault[],
): Pick<ModelResults['faults'], 'planted' | 'found' | 'rows'> {
  const rows = found.map(({ fault, violation, steps }) => ({
    file: fault.file,
    reason: fault.reason,
    violation: violation ?? null,
    commands: steps.length,
  }))
  return {
    planted: rows.length,
    found: rows.filter(({ violation }) => violation !== null).length,
    rows,
  }
}
