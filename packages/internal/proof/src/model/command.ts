import * as fc from 'fast-check'
import type { Browser } from './browser.ts'
import type { Person } from './people.ts'
import type { Delivery } from './messages.ts'
import type { Feature } from './strategies.ts'
import type { World } from './world.ts'

/** Something that a person, an operator or an attacker does. */
export interface Command<Fields> {
  readonly name: string
  /** What the service must have; always if it is absent. */
  readonly needs?: Feature
  /** How often it is chosen. Default: 1 */
  readonly weight?: number
  readonly fields: fc.Arbitrary<Fields>
  /** Returns whether it has had its purpose: false if it was not possible, or was refused. */
  readonly run: (world: World, fields: Fields) => Promise<boolean>
}

/** A command with its fields. */
export interface Step {
  readonly command: string
  readonly fields: unknown
  readonly run: (world: World) => Promise<boolean>
}

/** A command of any fields. */
export interface AnyCommand {
  readonly name: string
  readonly needs: Feature | undefined
  readonly weight: number
  readonly steps: fc.Arbitrary<Step>
}

/** Checks the type of a command, and makes steps of its fields. */
export function command<Fields>(given: Command<Fields>): AnyCommand {
  const { name, needs, weight = 1, fields, run } = given
  const toStep = (chosen: Fields): Step => ({
    command: name,
    fields: chosen,
    run: (world) => run(world, chosen),
  })
  return { name, needs, weight, steps: fields.map(toStep) }
}

/** A person at a browser. */
export interface Who {
  readonly person: Person['name']
  readonly browser: number
}

/** Alice and Bob share two browsers; Mallory has one. */
export const who: fc.Arbitrary<Who> = fc.constantFrom(
  { person: 'alice', browser: 0 },
  { person: 'alice', browser: 0 },
  { person: 'alice', browser: 1 },
  { person: 'bob', browser: 0 },
  { person: 'bob', browser: 1 },
  { person: 'mallory', browser: 2 },
)

/** A browser of Alice or Bob, which is attacked. */
export const victim: fc.Arbitrary<number> = fc.constantFrom(0, 0, 1)

/** Mallory's browser. */
export const MALLORY = 2

/** Any browser. */
export const anyBrowser: fc.Arbitrary<number> = fc.constantFrom(0, 0, 1, 2)

/** Most replies arrive. */
export const delivery: fc.Arbitrary<Delivery> = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Delivery>('arrives') },
  { weight: 3, arbitrary: fc.constantFrom<Delivery>('lost', 'late', 'late', 'repeated') },
)

/** Returns the person and the browser that a step names. */
export function find(world: World, { person, browser }: Who): readonly [Person, Browser] {
  return [world.people[person], world.browser(browser)]
}
