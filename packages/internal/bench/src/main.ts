import { parseArgs } from 'node:util'
import { GOAL, measureSizes } from './bundle.ts'
import { cookieContenders, createContenders, storedContenders } from './contenders/contenders.ts'
import { installIdentityProvider } from './contenders/identity-provider.ts'
import { describeFigures, drawFigures } from './describe-rates.ts'
import { describeSizes } from './describe.ts'
import { GOALS_ALONE, GOALS_TOGETHER, toFigure } from './figures.ts'
import type { Figure, Ratios } from './figures.ts'
import { describeMachine, recordResults } from './output/record.ts'
import { measureRates } from './rates.ts'

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, quick: { type: 'boolean' }, update: { type: 'boolean' } },
})
const pace = values.quick ? { rounds: 5, sliceMs: 20 } : { rounds: 25, sliceMs: 60 }

installIdentityProvider()
// One request at a time shows the latency, many at a time the throughput.
const TOGETHER = 16
const alone: Figure[] = []
const together: Figure[] = []
for (const factories of [cookieContenders, storedContenders]) {
  const contenders = await createContenders(factories)
  const run = async (count: number, goals: typeof GOALS_ALONE): Promise<Figure[]> =>
    (await measureRates(contenders, { ...pace, together: count })).map((rates) =>
      toFigure(rates, goals),
    )
  alone.push(...(await run(1, GOALS_ALONE)))
  together.push(...(await run(TOGETHER, GOALS_TOGETHER)))
}
const sizes = await measureSizes()

if (values.json) {
  const figures = { alone, together }
  console.log(JSON.stringify({ ...pace, figures, goal: GOAL, sizes }, null, 2))
} else {
  console.log(`${describeMachine()}: median of ${pace.rounds} rounds of ${pace.sliceMs} ms each.
@auth/core 0.41 encrypts its session again on each read, which is its default.

One at a time
${describeFigures(alone)}

${TOGETHER} at a time
${describeFigures(together)}

${describeSizes(sizes)}`)
}

if (values.update) {
  recordResults(
    'rates',
    {
      rounds: pace.rounds,
      oneAtATime: toRatios(alone),
      [`${TOGETHER}AtATime`]: toRatios(together),
    },
    { 'rates-1': drawFigures(alone, 1), 'rates-16': drawFigures(together, TOGETHER) },
  )
}

function toRatios(figures: readonly Figure[]): Readonly<Record<string, Ratios>> {
  return Object.fromEntries(figures.map(({ work, ratios }) => [work, ratios]))
}
