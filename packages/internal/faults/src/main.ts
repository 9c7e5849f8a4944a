/**
 * `pnpm --filter @latchkey/faults faults [--storage <part of a name>] [--seconds 60] [--processes 4] [--users 16] [--seed 1]`: runs the service
 * under faults on each storage, prints the figures, and fails if anything was violated.
 */
import { parseArgs } from 'node:util'
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

const rows: Record<string, object> = {}
for (const storage of chosen) {
  const { violations, faults, ...figures } = await run({
    storage,
    seconds: Number(values.seconds),
    processes: Number(values.processes),
    users: Number(values.users),
    seed: Number(values.seed),
  })
  for (const violation of new Set(violations)) console.log(`${storage}: ${violation}`)
  if (violations.length > 0) process.exitCode = 1
  const count = Object.values(faults).reduce((sum, times) => sum + times, 0)
  rows[storage] = { faults: count, violations: violations.length, ...figures }
}
console.table(rows)
