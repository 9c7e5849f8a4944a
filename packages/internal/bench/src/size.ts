import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { BUDGETS, measureSizes, toTotals } from './bundle.ts'
import type { Sizes, Totals, WorkerName } from './bundle.ts'
import { describeContents, describeDifference, describeSizes } from './describe.ts'
import { describeFeatures, measureFeatures, replaceFeatureTable } from './measure-features.ts'

const { values } = parseArgs({
  options: {
    check: { type: 'boolean' },
    features: { type: 'boolean' },
    update: { type: 'boolean' },
    json: { type: 'boolean' },
  },
})

/** The totals of the last `--update`, which a change is compared with. */
const baseline = new URL('../sizes.json', import.meta.url)
/** Has the table of what each part costs. */
const readme = new URL('../README.md', import.meta.url)

if (values.features) await runFeatures()
else await runSizes()

async function runSizes(): Promise<void> {
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
  if (values.check) checkBudgets(sizes)
}

async function runFeatures(): Promise<void> {
  const sizes = await measureFeatures()
  const table = describeFeatures(sizes)
  console.log(values.json ? JSON.stringify(sizes, null, 2) : table)
  if (!values.update) return
  const text = readFileSync(readme, 'utf8')
  writeFileSync(readme, replaceFeatureTable(text, table))
}

function checkBudgets(sizes: Sizes): void {
  for (const [name, budget] of Object.entries(BUDGETS) as [WorkerName, number][]) {
    const { gzipped } = sizes[name]
    if (gzipped <= budget) continue
    console.error(`\n${name}: expected at most ${budget} bytes gzipped, found ${gzipped}`)
    process.exitCode = 1
  }
}
