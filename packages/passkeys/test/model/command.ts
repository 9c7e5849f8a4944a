import * as fc from 'fast-check'
import { checkWorld } from './invariants.ts'
import type { Person } from './service.ts'
import type { Client, Delivery, World } from './world.ts'

/** How often each command had its purpose, by its name. */
export type Counts = Map<string, number>

/** Something that a person, an operator or an attacker does, as a command of fast-check. */
type Step = fc.AsyncCommand<World, Counts>

/** A command: how it is drawn, as often as its weight says. */
export interface Command {
  readonly name: string
  readonly steps: readonly fc.Arbitrary<Step>[]
}

/**
 * Defines a command. What must always hold is checked after it.
 *
 * @param weight How often it is chosen
 * @param run Returns whether it had its purpose: false if it was not possible, or was refused
 */
export function command<Fields>(
  name: string,
  weight: number,
  fields: fc.Arbitrary<Fields>,
  run: (world: World, fields: Fields) => Promise<boolean>,
): Command {
  const step = fields.map<Step>((chosen) => ({
    check: () => true,
    async run(world, counts) {
      world.tell(`${name} ${JSON.stringify(chosen)}`)
      const hasSucceeded = await run(world, chosen)
      if (hasSucceeded) counts.set(name, (counts.get(name) ?? 0) + 1)
      await checkWorld(world)
    },
    toString: () => `${name} ${JSON.stringify(chosen)}`,
  }))
  return { name, steps: Array.from({ length: weight }, () => step) }
}

/** Who is at which browser: Alice and Bob share two, Mallory has one. */
// prettier-ignore
const who = fc.constantFrom<(readonly [Person['name'], number])[]>(
  ['alice', 0], ['alice', 0], ['alice', 1], ['bob', 0], ['bob', 1], ['mallory', 2],
)

/** The fields of a command that has none. */
export const nothing: fc.Arbitrary<undefined> = fc.constant(undefined)

/** Defines a command of a person at a browser. */
export function act<Fields>(
  name: string,
  weight: number,
  fields: fc.Arbitrary<Fields>,
  run: (client: Client, person: Person, fields: Fields) => Promise<boolean>,
): Command {
  return command(name, weight, fc.tuple(who, fields), (world, [[person, id], chosen]) =>
    run(getClient(world, id), world.people[person], chosen),
  )
}

/** A user who is attacked. */
export const victim: fc.Arbitrary<'alice' | 'bob'> = fc.constantFrom('alice', 'bob')

/** A browser that is attacked. */
export const attacked: fc.Arbitrary<number> = fc.constantFrom(0, 0, 1)

/** Any browser. */
export const anyBrowser: fc.Arbitrary<number> = fc.constantFrom(0, 0, 1, 2)

/** Most replies arrive. */
export const deliveries: fc.Arbitrary<Delivery> = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Delivery>('arrives') },
  { weight: 3, arbitrary: fc.constantFrom<Delivery>('lost', 'late', 'late', 'repeated') },
)

/** Returns a browser. */
export function getClient({ clients }: World, id: number): Client {
  return clients[id] ?? clients[0]
}
