import { parseArgs } from 'node:util'
import { describeMachine, recordResults } from '../output/record.ts'
import { describeLoads, drawLoads, toRecord } from './describe.ts'
import { measureHttp } from './measure.ts'

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, quick: { type: 'boolean' }, update: { type: 'boolean' } },
})
const connections = [1, 10, 100, 1000]
const { rounds, duration } = values.quick ? { rounds: 1, duration: 1 } : { rounds: 3, duration: 3 }
const loads = await measureHttp({ rounds, duration, connections })

if (values.json) console.log(JSON.stringify({ connections, rounds, duration, loads }, null, 2))
else {
  console.log(`${describeMachine()}: median of ${rounds} rounds of ${duration} s each, \
behind the same listener; "; 10" means 10 connections.

${describeLoads(loads)}`)
}

if (values.update) {
  recordResults('http', { rounds, duration, ratios: toRecord(loads) }, { http: drawLoads(loads) })
}
