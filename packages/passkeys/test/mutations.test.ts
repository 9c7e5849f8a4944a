import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { perform, toJson } from './support/authenticator.ts'
import type { Ceremony, Parts } from './support/authenticator.ts'
import { createCeremony, judge } from './support/ceremonies.ts'
import { splice } from './support/edits.ts'
import { createKeyPair } from './support/keys.ts'
import { oracleAccepts } from './support/oracle.ts'

const parts = ['clientDataJSON', 'authenticatorData', 'attestationObject', 'signature'] as const

/** Some bytes of a part are replaced by others, of any number. */
const mutation = fc.record({
  part: fc.constantFrom<keyof Parts>(...parts),
  position: fc.nat(),
  removed: fc.nat({ max: 8 }),
  inserted: fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc.constantFrom('null', '"', '\\', '{}', ',"a":1', '\u{a0}').map((text) => Buffer.from(text)),
  ),
})

test.each([
  ['create', -7, 'none'],
  ['create', -7, 'packed'],
  ['create', -8, 'none'],
  ['create', -8, 'packed'],
  ['create', -257, 'none'],
  ['get', -7, 'none'],
  ['get', -8, 'none'],
  ['get', -257, 'none'],
] as const)(
  'a mutated ceremony is accepted only if @simplewebauthn/server accepts it: %s, %d, %s',
  async (type, algorithm, format) => {
    const keyPair = await createKeyPair(algorithm)
    const ceremony: Ceremony = { ...createCeremony(type, keyPair), format }
    const original = await perform(ceremony)
    const accepted = await judge(type, toJson(ceremony, original), keyPair)
    expect(accepted).toBe('accepted')
    await fc.assert(
      fc.asyncProperty(mutation, async ({ part, ...replacement }) => {
        const bytes = splice(original[part], replacement)
        const response = toJson(ceremony, { ...original, [part]: bytes })
        if ((await judge(type, response, keyPair)) !== 'accepted') return
        expect(await oracleAccepts(type, response, keyPair)).toBe(true)
      }),
      { numRuns: 300 },
    )
  },
)
