import { parseArgs } from 'node:util'
import { mapNames } from '../output/map-names.ts'
import { describeMachine, recordResults } from '../output/record.ts'
import { describeChanges, summarizeChanges, toChangesRecord } from './describe-changes.ts'
import { describeSummaries, summarizeLoads, toRecord } from './describe.ts'
import { measureChanges } from './measure-changes.ts'
import { measureSignInLoad } from './measure.ts'
import { loadedNames } from './served-users.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    quick: { type: 'boolean' },
    'sign-ins': { type: 'string', default: '200' },
    update: { type: 'boolean' },
  },
})
const signIns = Number(values['sign-ins'])
const { rounds, restMs } = values.quick ? { rounds: 1, restMs: 2000 } : { rounds: 5, restMs: 5000 }
const loads = await measureSignInLoad({ rounds, restMs, arrivalMs: 1000, signIns })
const summaries = mapNames(loadedNames, (name) => summarizeLoads(loads[name]))
const changes = summarizeChanges(await measureChanges({ rounds: 4 * rounds, restMs }))

if (values.json)
  console.log(JSON.stringify({ rounds, restMs, signIns, summaries, changes }, null, 2))
else {
  console.log(`${describeMachine()}: median of ${rounds} rounds, ${signIns} simultaneous sign-ins each.

${describeSummaries(summaries)}

One user changes the password 165 times, from three IP addresses; a hash takes about 100 ms.

${describeChanges(changes)}`)
}

if (values.update) {
  const services = mapNames(loadedNames, (name) => toRecord(summaries[name]))
  recordResults(
    'sign-in-load',
    { rounds, signIns, services, changes: toChangesRecord(changes) },
    {},
  )
}
