import * as fc from 'fast-check'
import type { AnyCommand, Step } from './command.ts'
import { listCommands } from './commands.ts'
import { checkWorld } from './invariants.ts'
import type { OpenedStorage } from './sqlite.ts'
import type { Strategy } from './strategies.ts'
import { Violation } from './violation.ts'
import { World } from './world.ts'

/** How the model runs. */
export interface RunOptions {
  readonly strategy: Strategy
  readonly runs: number
  readonly seed: number
  /** The path of a counterexample that an earlier run has printed. */
  readonly path?: string | undefined
  /** Creates the storage of a world. Default: in memory */
  readonly createStorage?: (() => Promise<OpenedStorage>) | undefined
  /** When to stop, in milliseconds of `Date.now`. Default: after the runs */
  readonly until?: number | undefined
}

/** How often a command was tried, and how often it had its purpose. */
interface Count {
  tried: number
  succeeded: number
}

/** What the runs have shown. */
export interface RunResult {
  readonly strategy: Strategy
  readonly runs: number
  readonly commands: number
  readonly requests: number
  readonly seed: number
  readonly counts: ReadonlyMap<string, Count>
  readonly failure: Failure | undefined
}

/** A promise that does not hold, after the fewest commands that fast-check has found. */
interface Failure {
  readonly message: string
  /** What happened, line by line. */
  readonly story: readonly string[]
  readonly path: string
}

/** Commands of a run, at most. */
const LENGTH = 50

/** Runs the commands of the model in random orders, and checks what must hold after each of them. */
export async function runModel(options: RunOptions): Promise<RunResult> {
  const { strategy, runs, seed, path, createStorage, until } = options
  const commands = listCommands(strategy)
  const counts = new Map(commands.map(({ name }) => [name, { tried: 0, succeeded: 0 }]))
  let requests = 0
  const property = fc.asyncProperty(listSteps(commands), async (steps) => {
    const opened = await createStorage?.()
    const world = new World(strategy, opened?.storage)
    try {
      for (const step of steps) await perform(world, step, counts)
    } finally {
      requests += world.counts.requests
      await opened?.close()
    }
  })
  const details = await fc.check(property, {
    numRuns: runs,
    seed,
    ...(path !== undefined && { path }),
    ...(until !== undefined && { interruptAfterTimeLimit: Math.max(1, until - Date.now()) }),
  })
  const failure = toFailure(details.errorInstance, details.counterexamplePath ?? '')
  const tried = [...counts.values()].reduce((sum, count) => sum + count.tried, 0)
  const { numRuns } = details
  return { strategy, runs: numRuns, commands: tried, requests, seed, counts, failure }
}

function listSteps(commands: readonly AnyCommand[]): fc.Arbitrary<readonly Step[]> {
  const weighted = commands.map(({ weight, steps }) => ({ weight, arbitrary: steps }))
  return fc.array(fc.oneof(...weighted), { minLength: 1, maxLength: LENGTH, size: 'max' })
}

/** @throws Error if the model itself has failed */
function toFailure(thrown: unknown, path: string): Failure | undefined {
  if (thrown === null || thrown === undefined) return undefined
  if (!(thrown instanceof Violation)) throw new Error('the model failed', { cause: thrown })
  return { message: thrown.message, story: thrown.story, path }
}

async function perform(
  world: World,
  step: Step,
  counts: ReadonlyMap<string, Count>,
): Promise<void> {
  world.tell(`${step.command} ${JSON.stringify(step.fields)}`)
  const planned = world.ports.failure
  const hasSucceeded = await step.run(world)
  const count = counts.get(step.command)
  if (count) count.tried += 1
  if (count && hasSucceeded) count.succeeded += 1
  if (planned) world.ports.failure = undefined
  await checkWorld(world)
}
