import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Catalog } from '../../src/mutation/catalog.ts'
import type { Mutant } from '../../src/mutation/mutants.ts'
import { readNoticed, writeNoticed } from '../../src/mutation/noticed.ts'
import { fromRanges, toRanges } from '../../src/mutation/ranges.ts'
import { Records } from '../../src/mutation/records.ts'
import type { TestFile } from '../../src/mutation/test-files.ts'

const unchanged: TestFile = { key: 'a.test.ts', path: 'a.test.ts', usesWebCrypto: false, hash: '1' }
const changed: TestFile = { ...unchanged, hash: '2' }

/** Returns records in which the first mutant is killed, the second passes and the third must run really. */
function prepare(): {
  readonly open: (tests: readonly TestFile[]) => readonly [Records, Catalog]
  readonly edit: (text: string) => void
} {
  const root = mkdtempSync(join(tmpdir(), 'mutation-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const edit = (text: string): void => writeFileSync(join(root, 'a.ts'), text)
  const open = (tests: readonly TestFile[]): readonly [Records, Catalog] => {
    const catalog = new Catalog(root, ['a.ts', 'b.ts'])
    return [new Records(join(root, 'records.jsonl'), catalog, tests), catalog]
  }
  edit('f(1, 2, 3)\n')
  writeFileSync(join(root, 'b.ts'), 'g(4)\n')
  const [records, catalog] = open([unchanged])
  const [one, two, three] = [find(catalog, '1'), find(catalog, '2'), find(catalog, '3')]
  const number = (mutant: Mutant): number => catalog.getNumber(mutant)
  records.addKilled(one, { by: 'a.test.ts > notices', how: 'failed' })
  records.addFast(unchanged, 2, {
    reached: new Set([one, two, three].map(number)),
    passed: new Set([number(two)]),
    real: new Set([number(three)]),
    tries: new Map([[number(two), 7]]),
  })
  return { open, edit }
}

function find({ mutants }: Catalog, text: string): Mutant {
  const mutant = mutants.find(({ before }) => before === text)
  if (!mutant) throw new Error(`no mutant changes ${text}`)
  return mutant
}

/** Returns what the records know about each number of the sources. */
function describeStates([records, catalog]: readonly [Records, Catalog], file: TestFile): unknown {
  return catalog.mutants
    .filter(({ operator }) => operator === 'number')
    .map((mutant) => records.getKiller(mutant)?.by ?? records.getState(file, mutant))
}

test('a later run knows what the earlier ones have found', () => {
  const { open } = prepare()
  const [records, catalog] = open([unchanged])
  const states = ['a.test.ts > notices', 'passed', 'real', 'unreached']
  expect(describeStates([records, catalog], unchanged)).toEqual(states)
  expect(records.countTries(find(catalog, '2'))).toBe(7)
  expect(records.getSeconds(unchanged)).toBe(2)
  records.addPassed(find(catalog, '3'), [unchanged], 1)
  expect(describeStates(open([unchanged]), unchanged)).toContain('a.test.ts > notices')
  expect(describeStates(open([unchanged]), unchanged)).not.toContain('real')
})

test('after a change of the test file, only what is killed stays', () => {
  const { open } = prepare()
  expect(describeStates(open([changed]), changed)).toEqual([
    'a.test.ts > notices',
    undefined,
    undefined,
    undefined,
  ])
})

test('without the test file that killed it, a mutant is alive again', () => {
  const { open } = prepare()
  const other = { ...unchanged, key: 'b.test.ts', path: 'b.test.ts' }
  expect(describeStates(open([other]), other)).toEqual([undefined, undefined, undefined, undefined])
})

test('after a change of a source file, its mutants are tried again, and no others', () => {
  const { open, edit } = prepare()
  edit('f(1, 2, 3) // changed\n')
  expect(describeStates(open([unchanged]), unchanged)).toEqual([
    undefined,
    undefined,
    undefined,
    'unreached',
  ])
})

test('numbers are written as ranges', () => {
  const numbers = [9, 1, 2, 3, 7]
  expect(toRanges(numbers)).toBe('1-3,7,9')
  expect([...fromRanges('1-3,7,9')]).toEqual([1, 2, 3, 7, 9])
  expect([...fromRanges(toRanges([]))]).toEqual([])
})

test('another machine continues with the mutants that were noticed, unless their file has changed', () => {
  const { open, edit } = prepare()
  const [records, catalog] = open([unchanged])
  const path = join(mkdtempSync(join(tmpdir(), 'noticed-')), 'noticed.json')
  onTestFinished(() => rmSync(dirname(path), { recursive: true }))
  writeNoticed(path, catalog, (mutant) => records.getKiller(mutant))
  const continueElsewhere = (): unknown => {
    const [, present] = open([unchanged])
    const elsewhere = new Records(`${path}l`, present, [unchanged], readNoticed(path))
    return present.mutants
      .filter((mutant) => elsewhere.getKiller(mutant))
      .map(({ before }) => before)
  }
  expect(continueElsewhere()).toEqual(['1'])
  edit('f(1, 2, 4)\n')
  expect(continueElsewhere()).toEqual([])
})
