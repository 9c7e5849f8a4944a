import * as fc from 'fast-check'
import { perform, toJson } from './authenticator.ts'
import type { Ceremony, Parts, ResponseJson } from './authenticator.ts'
import { createCeremony } from './ceremonies.ts'
import { listEdits, listJsonEdits } from './edits.ts'
import { faults } from './faults.ts'
import type { Chance } from './faults.ts'
import type { KeyPair } from './keys.ts'

/** A mutated ceremony, and what it is verified with. */
export interface MutatedCeremony {
  readonly type: 'create' | 'get'
  readonly keyPair: KeyPair
  /** The stored `signCount`. */
  readonly storedCounter: number
  readonly response: ResponseJson
  /** The names of the changes; empty if the ceremony has no fault. */
  readonly changes: readonly string[]
}

/** The choices that make a mutated ceremony. */
interface Plan {
  readonly type: 'create' | 'get'
  readonly algorithm: -7 | -8 | -257
  readonly format: 'none' | 'packed'
  readonly storedCounter: number
  readonly faults: readonly Step[]
  readonly edits: readonly Step[]
  readonly jsonEdits: readonly Step[]
}

/** One change: its index, and what it chooses with. */
interface Step {
  readonly index: number
  readonly number: number
  readonly bytes: Uint8Array
}

/** A change, and what it chooses with. */
interface Chosen<Change> {
  readonly change: Change
  readonly chance: Chance
}

/** Two key pairs of each algorithm: the credential, and another one. */
export type KeyPairs = ReadonlyMap<number, readonly [KeyPair, KeyPair]>

/** @param weights How often there is no step, one step, and so on */
function listSteps(weights: readonly number[]): fc.Arbitrary<readonly Step[]> {
  const step = fc.record({
    index: fc.nat(),
    number: fc.nat(),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  })
  const lengths = weights.map((weight, length) => ({
    weight,
    arbitrary: fc.array(step, { minLength: length, maxLength: length }),
  }))
  return fc.oneof(...lengths)
}

/** Plans of ceremonies with none, one or more changes. */
const plans: fc.Arbitrary<Plan> = fc.record({
  type: fc.constantFrom('create', 'get'),
  algorithm: fc.constantFrom(-7, -8, -257),
  format: fc.constantFrom('none', 'packed'),
  storedCounter: fc.constantFrom(0, 0, 0, 0, 0, 1, 5),
  faults: listSteps([4, 4, 1]),
  edits: listSteps([5, 3]),
  jsonEdits: listSteps([12, 1]),
})

/** Returns the plans of a seed. */
export function listPlans(seed: number, count: number): readonly Plan[] {
  return fc.sample(plans, { seed, numRuns: count })
}

/** Performs a plan. */
export async function performPlan(plan: Plan, keyPairs: KeyPairs): Promise<MutatedCeremony> {
  const { type, algorithm, format, storedCounter } = plan
  const [keyPair, other] = keyPairs.get(algorithm) ?? []
  if (!keyPair || !other) throw new Error(`expected key pairs of ${algorithm}`)
  const faultSteps = chooseChanges(plan.faults, faults, other)
  const editSteps = chooseChanges(plan.edits, listEdits(type), other)
  const jsonSteps = chooseChanges(plan.jsonEdits, listJsonEdits(type), other)
  const ceremony = faultSteps.reduce<Ceremony>(
    (before, { change, chance }) => ({ ...before, ...change.change(before, chance) }),
    { ...createCeremony(type, keyPair), format },
  )
  const parts = editSteps.reduce<Parts>(
    (before, { change, chance }) => ({ ...before, ...change.change(before, chance) }),
    await perform(ceremony),
  )
  const json = toJson(ceremony, parts)
  const changed = jsonSteps.map(({ change, chance }) => change.change(json, chance))
  // A change can break the type.
  const response: ResponseJson = JSON.parse(JSON.stringify(changed.at(-1) ?? json))
  const changes = [...faultSteps, ...editSteps, ...jsonSteps].map(({ change }) => change.name)
  return { type, keyPair, storedCounter, response, changes }
}

function chooseChanges<Change>(
  steps: readonly Step[],
  changes: readonly Change[],
  other: KeyPair,
): readonly Chosen<Change>[] {
  return steps.flatMap(({ index, number, bytes }) => {
    const chance = { number, bytes: new Uint8Array(bytes), other }
    const change = changes[index % changes.length]
    return change === undefined ? [] : [{ change, chance }]
  })
}
