/**
 * Uses a whole service as people do, in random order: Alice and Bob share two browsers, Mallory attacks them. The clock
 * advances over each limit, the secret rotates, replies are lost, repeated, or arrive late. `invariants.ts` says what
 * must hold after each command.
 *
 * `MODEL_RUNS=500 npx vitest run packages/passkeys/test/model` runs for longer; `MODEL_SEED` repeats a failure.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { attacks, revocableAttacks } from './attacks.ts'
import type { Counts } from './command.ts'
import { commands, revocableCommands } from './commands.ts'
import { strategies } from './service.ts'
import { World } from './world.ts'

const everywhere = [...commands, ...attacks]
const all = [...everywhere, ...revocableCommands, ...revocableAttacks]
const { MODEL_RUNS, MODEL_SEED } = process.env
const numRuns = Number(MODEL_RUNS ?? 12)

test.each(strategies)(
  'what must hold of a service holds in random uses, with %s sessions',
  { timeout: 60_000 + numRuns * 1000 },
  async (strategy) => {
    const possible = strategy === 'cookie' ? everywhere : all
    const steps = fc.commands(
      possible.flatMap((each) => each.steps),
      { maxCommands: 50, size: 'max' },
    )
    const counts: Counts = new Map()
    const property = fc.asyncProperty(steps, (chosen) =>
      fc.asyncModelRun(() => ({ model: new World(strategy), real: counts }), chosen),
    )
    await fc.assert(property, { numRuns, ...(MODEL_SEED && { seed: Number(MODEL_SEED) }) })
    const unused = possible.map(({ name }) => name).filter((name) => !counts.has(name))
    if (numRuns >= 200) expect(unused, 'commands that never had their purpose').toEqual([])
  },
)
