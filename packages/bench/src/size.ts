import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { BUDGETS, measureSizes, toTotals } from './bundle.ts'
import type { Totals, WorkerName } from './bundle.ts'
import { describeContents, describeDifference, describeSizes } from './describe.ts'

const { values } = parseArgs({
  options: { check: { type: 'boolean' }, update: { type: 'boolean' }, json: { type: 'boolean' } },
})

/** The totals of the last `--update`, which a change is compared with. */
const baseline = new URL('../sizes.json', import.meta.url)

const sizes = await measureSizes()
const { latchkey, latchkeyFull } = sizes
const totals = { latchkey: toTotals(latchkey), latchkeyFull: toTotals(latchkeyFull) }
if (values.json) {
  console.log(JSON.stringify({ budgets: BUDGETS, ...sizes }, null, 2))
} else {
  const before = JSON.parse(readFileSync(baseline, 'utf8')) as Record<WorkerName, Totals>
  console.log(describeSizes(sizes))
  console.log(`\n${describeContents('the Worker with email and D1', latchkeyFull)}`)
  console.log(`\n${describeDifference(totals, before)}`)
}

if (values.update) writeFileSync(baseline, `${JSON.stringify(totals, null, 2)}\n`)
if (values.check) checkBudgets()

function checkBudgets(): void {
  for (const [name, budget] of Object.entries(BUDGETS) as [WorkerName, number][]) {
    const { gzipped } = sizes[name]
    if (gzipped <= budget) continue
    console.error(`\n${name}: expected at most ${budget} bytes gzipped, found ${gzipped}`)
    process.exitCode = 1
  }
}
