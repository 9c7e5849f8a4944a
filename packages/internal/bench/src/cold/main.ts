import { parseArgs } from 'node:util'
import { describeMachine, recordResults } from '../output/record.ts'
import { describeCold, drawCold, toColdFigure, toColdRatios } from './describe.ts'
import { measureIsolates } from './isolate.ts'
import { measureProcesses } from './process.ts'

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, quick: { type: 'boolean' }, update: { type: 'boolean' } },
})
const options = { rounds: values.quick ? 5 : 25 }
// Miniflare neither uses the network nor writes a file.
process.env['CLOUDFLARE_CF_FETCH_ENABLED'] = 'false'

const processes = await measureProcesses(options)
const isolates = await measureIsolates(options)
const figures = {
  isolate: toColdFigure('A cold isolate of workerd, ms', isolates, 'wall'),
  process: toColdFigure('A cold process of Node, ms', processes, 'wall'),
  processCpu: toColdFigure('CPU time of that process, ms', processes, 'cpu'),
  callCpu: toColdFigure('CPU time without the import, ms', processes, 'callCpu'),
}

if (values.json) console.log(JSON.stringify({ ...options, processes, isolates }, null, 2))
else {
  const tables = Object.values(figures).map(describeCold)
  console.log(`${describeMachine()}: median of ${options.rounds} cold starts.\n`)
  console.log(tables.join('\n\n'))
}

if (values.update) {
  const ratios = Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [name, toColdRatios(figure)]),
  )
  const plots = {
    'cold-isolate': drawCold({ ...figures.isolate, title: 'A cold isolate of workerd' }),
    'cold-process': drawCold({ ...figures.process, title: 'A cold process of Node' }),
  }
  recordResults('cold', { ...options, timesFloor: ratios }, plots)
}
