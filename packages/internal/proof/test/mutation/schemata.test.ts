import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { resolve } from 'node:path'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { applyMutant, listMutants } from '../../src/mutation/mutants.ts'
import { SWITCH, toSchemata } from '../../src/mutation/schemata.ts'
import { listSources } from '../../src/mutation/sources.ts'
import { MutantSwitch } from '../../src/mutation/switch.ts'
import { parse } from '../../src/mutation/syntax.ts'

const root = resolve(import.meta.dirname, '../../../../..')

test.each(listSources(root, ['packages/']))('%s parses with all its mutants', (file) => {
  const source = readFileSync(resolve(root, file), 'utf8')
  const mutants = listMutants(file, source)
  expect(parse(file, toSchemata(source, mutants, 1)).body.length).toBeGreaterThan(0)
})

/** Functions of `input`, which together have every operator. */
const samples: readonly (readonly [name: string, source: string])[] = [
  [
    'an await',
    'const f = async (n) => { const m = (await Promise.resolve(n)) + 1; return [typeof m, m] }',
  ],
  ['comparisons', 'const f = (n) => n > 2 && n < 8 && n !== 5'],
  [
    'conditions',
    'const f = (n) => { if (n > 2 || n === 0) return "some"; return n ? "one" : undefined }',
  ],
  [
    'a default',
    'const f = (n) => (n < 3 ? null : { a: n }) ?? { a: `${n}!`, ...(n === 1 && { b: true }) }',
  ],
  [
    'a throw',
    'const f = (n) => { if (!(n % 2)) throw new Error("even"); return [...[n, 1], -n * 2] }',
  ],
  ['an expression', 'const f = (n) => /^[1-4]$/.test(String(n)) || (n >= 6 && "large")'],
  ['a loop', 'const f = (n) => { let sum = 0; while (sum < n) { sum = sum + 2 } return sum }'],
  [
    'optional members',
    'const f = (n) => { const a = n > 4 ? undefined : { b: { c: n } }; return [a?.b?.c, !a] }',
  ],
  [
    'a switch',
    'const f = (n) => { const log = []; switch (n) { case 1: return; case 2: log.push(2); break } log.push(n); return log }',
  ],
  ['a catch', 'const f = (n) => { try { n = n + 1; throw n } catch (e) { return e; } }'],
  [
    'a continue',
    'const f = (n) => { for (const m of [1, 2]) { if (m === n) { continue } else n = n - m } return n }',
  ],
]

const inputs = [0, 1, 2, 3, 4, 5, 6, 7, 8]

/** Calls the function of a sample with every input, and returns what it returns or throws. */
async function evaluate(source: string, mutants?: MutantSwitch): Promise<readonly string[]> {
  const program = `${stripTypeScriptTypes(source)}; inputs.map((n) => { try { return f(n) } catch (e) { return e } })`
  const results: unknown = runInNewContext(program, { inputs, [SWITCH]: mutants })
  const settled = await Promise.all(Array.isArray(results) ? results : [])
  return settled.map((value: unknown) => (JSON.stringify(value) ?? 'undefined') + String(value))
}

describe.each(samples)('a program with %s', (_name, source) => {
  const mutants = listMutants('sample.ts', source)
  const schemata = toSchemata(source, mutants, 1)

  test('behaves like the source if no mutant is active', async () => {
    expect(await evaluate(schemata, new MutantSwitch(mutants.length))).toEqual(
      await evaluate(source),
    )
  })

  test.each(mutants)(
    'behaves like the mutant if $operator at $start is active: $after',
    async (mutant) => {
      const alone = applyMutant(source, mutant)
      const chosen = new MutantSwitch(mutants.length)
      chosen.activate(mutant.index + 1, 1000)
      const mutated = await evaluate(schemata, chosen)
      if (chosen.loops) expect(mutated.join()).toContain('does not end')
      else expect(mutated).toEqual(await evaluate(alone))
    },
  )

  test('reaches each mutant that changes a result', async () => {
    const recorder = new MutantSwitch(mutants.length)
    recorder.record()
    const usual = await evaluate(schemata, recorder)
    const { reached } = recorder.stop()
    for (const mutant of mutants) {
      const chosen = new MutantSwitch(mutants.length)
      chosen.activate(mutant.index + 1, 1000)
      const isSame = (await evaluate(schemata, chosen)).join() === usual.join()
      if (!isSame) expect(reached, mutant.operator).toContain(mutant.index + 1)
    }
  })
})

test('the samples have every operator', () => {
  const operators = samples.flatMap(([, source]) =>
    listMutants('sample.ts', source).map(({ operator }) => operator),
  )
  expect(new Set(operators).size).toBe(19)
})
