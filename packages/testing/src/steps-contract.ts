import type { StoredStep, Steps, Storage } from '@latchkey/core'
import { contract, HOUR, newKey, now, runConcurrently } from './contract-case.ts'
import type { StorageCase } from './contract-case.ts'
import { equal } from './equal.ts'

/** Characters of the data of a step: 64 KiB of ASCII. */
const MAX_DATA = 65_536

/** The cases of the capability `steps`. The storage may hold steps of other cases. */
export const stepCases: readonly StorageCase[] = [
  stepCase('takeStep returns what createStep has stored, once', async (storage) => {
    const [step, other] = [newStep(), newStep()]
    for (const each of [step, other]) await storage.createStep(each, now())
    equal(await storage.takeStep(step.id, now()), step.data, 'takeStep')
    equal(await storage.takeStep(step.id, now()), undefined, 'takeStep, again')
    equal(await storage.takeStep(other.id, now()), other.data, 'takeStep of the other step')
    equal(await storage.takeStep(newKey(), now()), undefined, 'takeStep of an unknown id')
  }),
  stepCase('ids of steps are compared exactly', async (storage) => {
    const step = newStep()
    await storage.createStep(step, now())
    for (const id of [step.id.toLowerCase(), step.id.toUpperCase(), `${step.id} `]) {
      equal(await storage.takeStep(id, now()), undefined, id)
    }
    equal(await storage.takeStep(step.id, now()), step.data, 'takeStep')
  }),
  stepCase('a step that has expired is gone', async (storage) => {
    const at = now()
    const [expired, live] = [newStep({ expires: at + 60 }), newStep({ expires: at + 61 })]
    for (const each of [expired, live]) await storage.createStep(each, at)
    equal(await storage.takeStep(expired.id, at + 60), undefined, 'takeStep')
    equal(await storage.takeStep(expired.id, at), undefined, 'takeStep with an earlier clock')
    equal(await storage.takeStep(live.id, at + 60), live.data, 'takeStep of the other step')
  }),
  stepCase('of simultaneous calls of takeStep one returns the step', async (storage) => {
    const step = newStep()
    await storage.createStep(step, now())
    const taken = await runConcurrently(() => storage.takeStep(step.id, now()))
    equal(
      taken.filter((data) => data !== undefined),
      [step.data],
      'the answers with data',
    )
  }),
  stepCase('a step of 64 KiB is kept, and a longer one is refused', async (storage) => {
    const step = newStep({ data: 'a-Z_.'.repeat(MAX_DATA).slice(0, MAX_DATA) })
    await storage.createStep(step, now())
    equal(await storage.takeStep(step.id, now()), step.data, 'takeStep')
    const longer = newStep({ data: `${step.data}x` })
    const refused = await storage.createStep(longer, now()).catch(() => 'refused')
    equal(refused, 'refused', 'createStep of 64 KiB and a byte')
    equal(await storage.takeStep(longer.id, now()), undefined, 'takeStep of the longer step')
  }),
  stepCase('many steps are kept at the same time', async (storage) => {
    const steps = Array.from({ length: 20 }, () => newStep({ data: 'x'.repeat(20_000) }))
    await Promise.all(steps.map((step) => storage.createStep(step, now())))
    for (const { id, data } of steps) equal(await storage.takeStep(id, now()), data, 'takeStep')
  }),
]

/** Returns a new step of an hour, with an unused id. */
function newStep(over: Partial<StoredStep> = {}): StoredStep {
  return { id: newKey(), data: `sealed ${newKey()}`, expires: now() + HOUR, ...over }
}

function stepCase(name: string, run: (storage: Storage & Steps) => Promise<void>): StorageCase {
  return contract(name, ['steps'], async (storage) => {
    if (!hasSteps(storage)) throw new Error('expected the methods of the capability steps')
    await run(storage)
  })
}

function hasSteps(storage: Storage): storage is Storage & Steps {
  return storage.createStep !== undefined && storage.takeStep !== undefined
}
