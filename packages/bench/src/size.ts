import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { BUDGETS, measureSizes } from './bundle.ts'
import type { Size } from './bundle.ts'
import { describeContents, describeGrowth, describeSizes } from './describe.ts'

const { values } = parseArgs({
  options: { check: { type: 'boolean' }, update: { type: 'boolean' }, json: { type: 'boolean' } },
})

/** What the Workers were made of when somebody last looked: `--update` writes it. */
const baseline = new URL('../sizes.json', import.meta.url)

const sizes = await measureSizes()
const { latchkey, latchkeyFull } = sizes
const contents = describeContents('the Worker with e-mail and D1', latchkeyFull)
if (values.json) console.log(JSON.stringify({ budgets: BUDGETS, ...sizes }, null, 2))
else console.log(`${describeSizes(sizes)}\n\n${contents}`)

if (values.update) {
  writeFileSync(baseline, `${JSON.stringify({ latchkey, latchkeyFull }, null, 2)}\n`)
}
if (values.check) check()

function check(): void {
  const before = JSON.parse(readFileSync(baseline, 'utf8')) as Record<keyof typeof BUDGETS, Size>
  for (const [name, budget] of Object.entries(BUDGETS) as [keyof typeof BUDGETS, number][]) {
    if (sizes[name].gzipped <= budget) continue
    console.error(`\n${name}: ${sizes[name].gzipped} bytes are more than its budget of ${budget}`)
    console.error(describeGrowth(sizes[name], before[name]))
    process.exitCode = 1
  }
}
