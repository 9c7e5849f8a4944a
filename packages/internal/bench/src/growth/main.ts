import { parseArgs } from 'node:util'
import { describeMachine, recordResults } from '../output/record.ts'
import { getReachableDatabases } from './databases.ts'
import { describeGrowth, drawGrowth, toGrowthRatios } from './describe.ts'
import type { Growth } from './describe.ts'
import { growDatabase } from './grow-database.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string' },
    full: { type: 'boolean' },
    quick: { type: 'boolean' },
    json: { type: 'boolean' },
    update: { type: 'boolean' },
  },
})
const largest = Number(values.rows ?? (values.full ? 1_000_000 : 100_000))
if (!Number.isInteger(largest) || largest < 1000 || largest > 3_000_000) {
  throw new Error(`--rows must be an integer from 1000 to 3000000, got ${values.rows}`)
}
const sizes = [1000, 10_000, 100_000, 1_000_000].filter((size) => size < largest).concat(largest)
const options = values.quick ? { rounds: 5, runs: 5 } : { rounds: 25, runs: 10 }

if (!values.json) {
  console.log(`${describeMachine()}: median of ${options.rounds} rounds of ${options.runs} runs.`)
}
const all: Growth[] = []
for (const { open } of await getReachableDatabases()) {
  const growth = await growDatabase(open, sizes, options)
  all.push(growth)
  if (!values.json) console.log(`\n${describeGrowth(growth)}`)
}
if (values.json) console.log(JSON.stringify({ sizes, ...options, all }, null, 2))

if (values.update) {
  const ratios = Object.fromEntries(all.map((each) => [each.database, toGrowthRatios(each)]))
  recordResults('growth', { sizes, ...options, ratios }, { growth: drawGrowth(all) })
}
