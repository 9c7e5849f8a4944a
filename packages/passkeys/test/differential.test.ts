import { describe, expect, test } from 'vitest'
import { expected, judge, toStored } from './support/ceremonies.ts'
import { explain, explanations } from './support/explanations.ts'
import type { Oracle, Verdicts } from './support/explanations.ts'
import { hasFido2, startFido2 } from './support/fido2.ts'
import type { Fido2 } from './support/fido2.ts'
import { createKeyPair } from './support/keys.ts'
import { listPlans, performPlan } from './support/mutated-ceremonies.ts'
import type { KeyPairs, MutatedCeremony } from './support/mutated-ceremonies.ts'
import { getOracleVerdict } from './support/oracle.ts'

const CEREMONIES = 10_000
const SECONDS = 120

/** `SEED=1 vitest run differential` repeats the changes of a run; the keys are new ones. */
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))

const oracles: readonly Oracle[] = ['simplewebauthn', 'fido2']

async function createKeyPairs(): Promise<KeyPairs> {
  const algorithms = [-7, -8, -257] as const
  const pairs = algorithms.map(
    async (algorithm) =>
      [algorithm, [await createKeyPair(algorithm), await createKeyPair(algorithm)]] as const,
  )
  return new Map(await Promise.all(pairs))
}

/** Asks all verifiers about a ceremony. */
async function askAll(ceremony: MutatedCeremony, fido2: Fido2): Promise<Verdicts> {
  const { type, response, keyPair, storedCounter: counter } = ceremony
  const stored = { ...toStored(keyPair), counter }
  const request = { type, expected, stored, response: { id: response.id, ...response.response } }
  const [latchkey, simplewebauthn, answer] = await Promise.all([
    judge(type, response, keyPair, type === 'get' ? { credential: stored } : {}),
    getOracleVerdict(type, response, keyPair, counter),
    fido2.judge(request),
  ])
  return { latchkey, simplewebauthn, fido2: answer }
}

const isAccepted = (verdict: string): boolean => verdict === 'accepted'

describe.runIf(hasFido2)('mutated ceremonies', () => {
  test(
    'Latchkey, @simplewebauthn/server and python3-fido2 agree, or a section explains the difference',
    async () => {
      const keyPairs = await createKeyPairs()
      const fido2 = startFido2()
      const counts = new Map(
        explanations.map(({ name }) => [name, { simplewebauthn: 0, fido2: 0 }]),
      )
      const [agreed, unexplained] = [{ accepted: 0, refused: 0 }, new Array<object>()]
      for (const plan of listPlans(seed, CEREMONIES)) {
        const ceremony = await performPlan(plan, keyPairs)
        const verdicts = await askAll(ceremony, fido2)
        const isOurs = isAccepted(verdicts.latchkey)
        const different = oracles.filter((oracle) => isAccepted(verdicts[oracle]) !== isOurs)
        if (different.length === 0) agreed[isOurs ? 'accepted' : 'refused']++
        for (const oracle of different) {
          const count = counts.get(explain(oracle, ceremony, verdicts)?.name ?? '')
          if (count) count[oracle]++
          else unexplained.push({ oracle, verdicts, ...ceremony })
        }
      }
      await fido2.end()
      console.info(`seed ${seed}:`, agreed, Object.fromEntries(counts))
      expect(unexplained).toEqual([])
      expect(agreed.accepted).toBeGreaterThan(CEREMONIES / 4)
      expect(agreed.refused).toBeGreaterThan(CEREMONIES / 4)
    },
    SECONDS * 1000,
  )
})
