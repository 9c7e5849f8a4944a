import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { GOAL, measureSizes } from './bundle.ts'
import { createAuthCore } from './contenders/auth-core.ts'
import { createFloor } from './contenders/floor.ts'
import { createLatchkey } from './contenders/latchkey.ts'
import { describeFigures, describeSizes } from './describe.ts'
import { toFigure } from './figures.ts'
import type { Figure } from './figures.ts'
import { measureRates } from './rates.ts'

const { values } = parseArgs({ options: { json: { type: 'boolean' }, quick: { type: 'boolean' } } })
const pace = values.quick ? { rounds: 5, sliceMs: 20 } : { rounds: 25, sliceMs: 60 }

const contenders = {
  latchkey: await createLatchkey(),
  authCore: await createAuthCore(),
  floor: await createFloor(),
}
const run = async (together: number): Promise<Figure[]> =>
  (await measureRates(contenders, { ...pace, together })).map(toFigure)

// One request at a time shows the latency, many at a time the throughput.
const TOGETHER = 16
const alone = await run(1)
const together = await run(TOGETHER)
const sizes = await measureSizes()
const machine = { node: process.version, cpus: availableParallelism() }

if (values.json) {
  const figures = { alone, together }
  console.log(JSON.stringify({ ...machine, ...pace, figures, goal: GOAL, sizes }, null, 2))
} else {
  console.log(`Node ${machine.node}, ${machine.cpus} CPUs: \
median of ${pace.rounds} rounds of ${pace.sliceMs} ms each.
@auth/core 0.41 encrypts its session again on each read, which is its default.

One request at a time
${describeFigures(alone)}

${TOGETHER} requests at a time
${describeFigures(together)}

${describeSizes(sizes)}`)
}
