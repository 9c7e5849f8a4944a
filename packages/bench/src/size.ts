import { parseArgs } from 'node:util'
import { BUDGET, measureSizes } from './bundle.ts'
import { describeContents, describeSizes } from './describe.ts'

const { values } = parseArgs({ options: { check: { type: 'boolean' }, json: { type: 'boolean' } } })

const sizes = await measureSizes()
if (values.json) console.log(JSON.stringify({ budget: BUDGET, ...sizes }, null, 2))
else console.log(`${describeSizes(sizes)}\n\n${describeContents('Latchkey', sizes.latchkey)}`)

if (values.check && sizes.latchkey.gzipped > BUDGET) {
  console.error(`Latchkey's Worker has more than ${BUDGET} bytes`)
  process.exitCode = 1
}
