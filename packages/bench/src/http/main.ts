import { parseArgs } from 'node:util'
import { describeMachine, recordResults } from '../output/record.ts'
import { describeLoads, drawLoads, toRecord } from './describe.ts'
import { measureHttp } from './measure.ts'

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, quick: { type: 'boolean' }, update: { type: 'boolean' } },
})
const options = {
  connections: [1, 10, 100, 1000],
  ...(values.quick ? { rounds: 1, duration: 1 } : { rounds: 3, duration: 3 }),
}
const loads = await measureHttp(options)

if (values.json) console.log(JSON.stringify({ ...options, loads }, null, 2))
else {
  console.log(`${describeMachine()}: median of ${options.rounds} rounds of ${options.duration} s each, \
behind the same listener; "; 10" means 10 connections.

${describeLoads(loads)}`)
}

if (values.update) {
  const { rounds, duration } = options
  recordResults('http', { rounds, duration, ratios: toRecord(loads) }, { http: drawLoads(loads) })
}
