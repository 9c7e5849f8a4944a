import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { GOAL, measureSizes } from './bundle.ts'
import { authCore } from './contenders/auth-core.ts'
import { floor } from './contenders/floor.ts'
import { latchkey } from './contenders/latchkey.ts'
import { describeFigures, describeSizes } from './describe.ts'
import { figureOf } from './figures.ts'
import type { Figure } from './figures.ts'
import { race } from './race.ts'

const { values } = parseArgs({ options: { json: { type: 'boolean' }, quick: { type: 'boolean' } } })
const pace = values.quick ? { rounds: 5, sliceMs: 20 } : { rounds: 25, sliceMs: 60 }

const contenders = { latchkey: await latchkey(), authCore: await authCore(), floor: await floor() }
const run = async (together: number): Promise<Figure[]> =>
  (await race(contenders, { ...pace, together })).map(figureOf)

// One at a time shows how long an answer takes, many at a time how many a server gives.
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
@auth/core 0.41 encrypts its session anew on each read; that is its normal way, and it is left to it.

One request at a time
${describeFigures(alone)}

${TOGETHER} requests at a time
${describeFigures(together)}

${describeSizes(sizes)}`)
}
