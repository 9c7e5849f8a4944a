/**
 * `pnpm --filter @latchkey/faults faults [--storage <part of a name>] [--seconds 60] [--processes 4] [--users 16] [--seed 1]
 * [--kills 200]`: runs the service under faults on each storage, kills processes that redeem codes, prints the figures, and fails
 * if anything was violated.
 */
import { parseArgs } from 'node:util'
import { killRedemptions, killedStorages } from './grants.ts'
import { run, storages } from './run.ts'

const { values } = parseArgs({
  options: {
    storage: { type: 'string', default: '' },
    seconds: { type: 'string', default: '60' },
    processes: { type: 'string', default: '4' },
    users: { type: 'string', default: '16' },
    seed: { type: 'string', default: '1' },
    kills: { type: 'string', default: '200' },
  },
})

const wanted = values.storage.toLowerCase()
const chosen = killedStorages.filter((name) => name.toLowerCase().includes(wanted))
if (chosen.length === 0) throw new Error(`no storage is named like ${values.storage}`)

const rows: Record<string, object> = {}
for (const storage of chosen.filter((name) => name in storages)) {
  const { violations, faults, ...figures } = await run({
    storage,
    seconds: Number(values.seconds),
    processes: Number(values.processes),
    users: Number(values.users),
    seed: Number(values.seed),
  })
  report(storage, violations)
  const count = Object.values(faults).reduce((sum, times) => sum + times, 0)
  rows[storage] = { faults: count, violations: violations.length, ...figures }
}
console.table(rows)

const kills: Record<string, object> = {}
for (const storage of chosen) {
  const { violations, ...figures } = await killRedemptions(storage, Number(values.kills))
  report(storage, violations)
  kills[storage] = { violations: violations.length, ...figures }
}
console.table(kills)

function report(storage: string, violations: readonly string[]): void {
  for (const violation of new Set(violations)) console.log(`${storage}: ${violation}`)
  if (violations.length > 0) process.exitCode = 1
}
