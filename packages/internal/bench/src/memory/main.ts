import { parseArgs } from 'node:util'
import { describeMachine, recordResults } from '../output/record.ts'
import { describeMemory, drawMemory } from './describe.ts'
import { measureMemory } from './measure.ts'
import type { MemoryOptions } from './memory-use.ts'

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, quick: { type: 'boolean' }, update: { type: 'boolean' } },
})
// The peers answer more slowly: a million of their requests would take an hour.
const options: MemoryOptions = values.quick
  ? { services: 100, requests: { latchkey: 20_000, authCore: 2000, betterAuth: 2000 } }
  : { services: 500, requests: { latchkey: 1_000_000, authCore: 50_000, betterAuth: 50_000 } }
const uses = await measureMemory(options)

if (values.json) console.log(JSON.stringify({ ...options, uses }, null, 2))
else {
  console.log(
    `${describeMachine()}: ${options.services} services.\n\n${describeMemory(uses, options)}`,
  )
}

if (values.update) {
  recordResults('memory', { ...options, bytes: uses }, { memory: drawMemory(uses) })
}
