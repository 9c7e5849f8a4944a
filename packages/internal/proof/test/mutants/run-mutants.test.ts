import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { faults as fuzzFaults } from '../../src/fuzz/faults.ts'
import { faults as modelFaults } from '../../src/model/faults.ts'
import { mutate } from '../../src/mutants/mutate.ts'
import type { Mutant } from '../../src/mutants/mutate.ts'
import { mutants } from '../../src/mutants/mutants.ts'
import { runMutants } from '../../src/mutants/run-mutants.ts'

const root = resolve(import.meta.dirname, '../../../../..')

/** The faults of the model and of the fuzzers run in the slow tests. */
const planted = [...mutants, ...modelFaults, ...fuzzFaults]

test.each([...new Set(planted.map(({ file }) => file))])('%s has each text once', (file) => {
  const source = readFileSync(resolve(root, file), 'utf8')
  for (const fault of planted.filter((each) => each.file === file)) {
    expect(mutate(source, fault)).not.toBe(source)
  }
})

describe('the runner', () => {
  const fixture = { root: resolve(import.meta.dirname, 'fixture'), config: false } as const
  const row = (text: string, replacement: string, tests = 'limit.tests.ts'): Mutant => ({
    file: 'limit.ts',
    text,
    replacement,
    tests: [tests],
    reason: 'a limit',
  })
  const noticed = row('value <= limit', 'value < limit')

  /** Returns which tests killed the mutants. */
  const run = async (...rows: Mutant[]): Promise<unknown[]> => {
    const killers: unknown[] = []
    for await (const { killer } of runMutants(rows, fixture)) killers.push(killer)
    return killers
  }

  test('distinguishes killed mutants from surviving mutants, in any order', async () => {
    const unnoticed = row('value >= 0 && ', '')
    const killer = 'limit.tests.ts > the limit itself is within'
    expect(await run(noticed, unnoticed, noticed)).toEqual([killer, undefined, killer])
  })

  test.each([
    ['a text is not found', row('value < limit', ''), 'limit.ts: expected once, found 0 times'],
    ['a text is found twice', row('value', ''), 'limit.ts: expected once, found 3 times'],
    ['a test fails without a fault', row('<=', '<', 'failing.tests.ts'), 'fails without a mutant'],
    ['a fault is not a program', row('return value', 'return ('), 'limit.tests.ts could not run'],
    ['a test file does not exist', row('<=', '<', 'missing.tests.ts'), 'missing.tests.ts'],
  ])('fails if %s', async (_, mutant, problem) => {
    expect(await run(noticed)).toHaveLength(1)
    await expect(run(mutant)).rejects.toThrow(problem)
  })
})
