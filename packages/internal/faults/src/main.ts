/**
 * `pnpm --filter @latchkey/faults faults [--storage <part of a name>] [--seconds 60] [--processes 4] [--users 16] [--seed 1]`: runs the service
 * under faults on each storage, prints the figures, and fails if anything was violated.
 */
import { parseArgs } from 'node:util'
import { describeRuns } from './report.ts'
import type { Figures } from './report.ts'
import { run, storages } from './run.ts'

const { values } = parseArgs({
  options: {
    storage: { type: 'string', default: '' },
    seconds: { type: 'string', default: '60' },
    processes: { type: 'string', default: '4' },
    users: { type: 'string', default: '16' },
    seed: { type: 'string', default: '1' },
  },
})

const wanted = values.storage.toLowerCase()
const chosen = Object.keys(storages).filter((name) => name.toLowerCase().includes(wanted))
if (chosen.length === 0) throw new Error(`no storage is named like ${values.storage}`)

const runs = new Map<string, Figures>()
for (const storage of chosen) {
  const figures = await run({
    storage,
    seconds: Number(values.seconds),
    processes: Number(values.processes),
    users: Number(values.users),
    seed: Number(values.seed),
  })
  runs.set(storage, figures)
  for (const violation of new Set(figures.violations)) console.log(`${storage}: ${violation}`)
}
console.log(describeRuns(runs))
process.exitCode = [...runs.values()].some(({ violations }) => violations.length > 0) ? 1 : 0
