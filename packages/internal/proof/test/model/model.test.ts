import { describe, expect, test } from 'vitest'
import { listUnused } from '../../src/model/report.ts'
import { runModel } from '../../src/model/run.ts'
import { isStrategy, strategies } from '../../src/model/strategies.ts'

/** A seed with which each command has its purpose at least once. */
const SEED = 27

/** Runs with each seed: some seconds for each strategy. */
const RUNS = 60

describe('the model', () => {
  test.each(Object.keys(strategies).filter(isStrategy))(
    'holds in random uses of a service with %s sessions',
    async (strategy) => {
      const result = await runModel({ strategy, runs: RUNS, seed: SEED })
      expect(result.failure).toBeUndefined()
      expect(listUnused(result)).toEqual([])
    },
  )

  test.each(Object.keys(strategies).filter(isStrategy))(
    'holds with another seed each time, and %s sessions',
    async (strategy) => {
      const seed = Math.floor(Math.random() * 2 ** 31)
      const { failure } = await runModel({ strategy, runs: RUNS / 3, seed })
      console.log(`pnpm model --strategy ${strategy} --seed ${seed}`)
      expect(failure, `--seed ${seed}`).toBeUndefined()
    },
  )
})
