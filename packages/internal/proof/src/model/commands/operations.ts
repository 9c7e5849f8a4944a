/** What happens to the service: time passes, secrets rotate, ports fail, and replies arrive late. */
import { resealFactors } from '@latchkey/core/reseal-factors'
import * as fc from 'fast-check'
import { command } from '../command.ts'
import type { AnyCommand } from '../command.ts'
import { deliverLate } from '../late-replies.ts'
import { expire } from '../invariants.ts'
import { limits } from '../strategies.ts'

const { maxAge, updateAge, absoluteMaxAge } = limits

/** Seconds around every limit of the service. */
const waits = [
  1,
  29,
  31,
  61,
  121,
  updateAge - 1,
  updateAge + 1,
  901,
  maxAge - 1,
  maxAge + 1,
  absoluteMaxAge,
  90_000,
]

/** The commands. */
export const operationCommands: readonly AnyCommand[] = [
  command({
    name: 'wait',
    weight: 4,
    fields: fc.record({ seconds: fc.constantFrom(...waits, 31, 61, updateAge + 1) }),
    async run(world, { seconds }) {
      world.ports.time += seconds * 1000
      expire(world)
      return true
    },
  }),
  command({
    name: 'rotate the secret',
    fields: fc.constant({}),
    async run(world) {
      const number = Number(/\d+$/.exec(world.secrets[0] ?? '')?.[0] ?? 0) + 1
      const next = `a secret of thirty-two bytes or more, number ${number}`
      const [newest = ''] = world.secrets
      world.restart([next, newest])
      if (world.has('revocation')) await world.ports.watch(() => resealFactors(world.auth))
      // What browsers remember is sealed with the secret before the last one, which is removed.
      for (const browser of world.browsers) browser.known.clear()
      if (!world.has('storage')) world.spent.splice(0)
      return true
    },
  }),
  command({
    name: 'a port fails',
    needs: 'storage',
    weight: 2,
    fields: fc.record({
      port: fc.constantFrom('storage' as const, 'storage' as const, 'mailer' as const),
      callsBefore: fc.nat(12),
    }),
    async run(world, failure) {
      world.ports.failure = { ...failure, hasHappened: false }
      return true
    },
  }),
  command({
    name: 'a late reply arrives',
    weight: 4,
    fields: fc.record({ index: fc.nat(5) }),
    async run(world, { index }) {
      const [held] = world.held.splice(index % Math.max(1, world.held.length), 1)
      if (!held) return false
      await deliverLate(world, held)
      return true
    },
  }),
]
