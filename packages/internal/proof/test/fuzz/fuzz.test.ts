import { describe, expect, test } from 'vitest'
import { mutateBytes, shrinkBytes } from '../../src/fuzz/bytes.ts'
import { Draw } from '../../src/fuzz/draw.ts'
import { findBroken, fuzz } from '../../src/fuzz/fuzz.ts'
import type { FuzzOptions } from '../../src/fuzz/fuzz.ts'
import { readCorpus, readKeptCases } from '../../src/fuzz/kept-cases.ts'
import { createRandom } from '../../src/fuzz/random.ts'
import { check, defineTarget } from '../../src/fuzz/target.ts'
import { loadTarget, targetNames } from '../../src/fuzz/targets.ts'

/** Cases of the corpus, and new cases, that these tests run of each target. */
const CASES = 5

describe.each(targetNames)('%s', (name) => {
  test('the cases that failed once, the corpus and new cases break no invariant', async () => {
    const target = await loadTarget(name)
    expect(target.name).toBe(name)
    const [corpus, kept] = [readCorpus(name).slice(0, CASES), readKeptCases(name)]
    const isOver = (cases: number): boolean => cases >= corpus.length + CASES
    const { failure } = await fuzz({ target, seed: 1, corpus, kept, isOver, isGuided: false })
    expect(failure).toBeUndefined()
  }, 60_000)

  test('a case is JSON', async () => {
    const { draw } = await loadTarget(name)
    const given = draw(new Draw(new Uint8Array(), createRandom(3)))
    expect(JSON.parse(JSON.stringify(given))).toEqual(given)
  })
})

/** A target of numbers, of which some are broken. */
const numbers = defineTarget<readonly number[]>({
  name: 'numbers',
  draw: (draw) => draw.list(8, (d) => d.below(1000)),
  open: async () => ({
    async run(given) {
      check(!given.includes(777) && given.every((number) => number < 998), 'a number')
    },
  }),
})

const options: FuzzOptions = {
  target: numbers,
  seed: 1,
  corpus: [],
  kept: [],
  isOver: (cases) => cases >= 20_000,
  isGuided: false,
}

describe('the search', () => {
  test('finds a broken invariant and shrinks the case', async () => {
    const { failure, cases } = await fuzz(options)
    expect(failure?.message).toBe('broken: a number')
    expect(failure?.given).toHaveLength(1)
    expect(cases).toBeGreaterThan(10)
  })

  test('is the same for a seed', async () => {
    expect(await fuzz(options)).toEqual(await fuzz(options))
    expect(await fuzz({ ...options, seed: 2 })).not.toEqual(await fuzz(options))
  })

  test('ends when it is over', async () => {
    const { failure, cases } = await fuzz({ ...options, isOver: (count) => count >= 3 })
    expect([failure, cases]).toEqual([undefined, 3])
  })

  test('runs the cases that were kept first', async () => {
    const kept = [{ path: 'seeds/numbers/1.json', given: [1, 777] }]
    const { failure, cases } = await fuzz({ ...options, kept })
    expect(failure).toEqual({ given: [1, 777], message: 'broken: a number', path: kept[0]?.path })
    expect(cases).toBe(0)
  })

  test.each([
    ['a polluted prototype', () => Reflect.set(Object.prototype, 'polluted', true), 'prototype'],
    ['an unhandled rejection', () => void Promise.reject(new Error('late')), 'unhandled rejection'],
    ['an error', () => JSON.parse('{'), 'thrown: SyntaxError'],
  ])('notices %s', async (_, run, message) => {
    const listeners = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    const found = await findBroken({ run: async () => void run() }, undefined)
    for (const listener of listeners) process.on('unhandledRejection', listener)
    Reflect.deleteProperty(Object.prototype, 'polluted')
    expect(found).toContain(message)
  })
})

test('shrinking keeps what fails, and ends after the given attempts', async () => {
  const bytes = Uint8Array.from([9, 0, 200, 3, 100, 7])
  let attempts = 0
  const fails = async (candidate: Uint8Array): Promise<boolean> => {
    attempts += 1
    return candidate.some((byte) => byte >= 100)
  }
  expect([...(await shrinkBytes(bytes, fails, 1000))]).toEqual([100])
  expect(attempts).toBeLessThan(1000)
  attempts = 0
  await shrinkBytes(bytes, fails, 3)
  expect(attempts).toBeLessThanOrEqual(3)
})

test('altered bytes differ, and are the same for a seed', () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, i) => i)
  const mutate = (seed: number): Uint8Array => mutateBytes(bytes, bytes, createRandom(seed))
  const altered = new Set(Array.from({ length: 50 }, (_, seed) => mutate(seed).join()))
  expect(altered.size).toBeGreaterThan(40)
  expect(mutate(5)).toEqual(mutate(5))
  const ofNothing = mutateBytes(new Uint8Array(), new Uint8Array(), createRandom(1))
  expect(ofNothing).toBeInstanceOf(Uint8Array)
})

test('choices without bytes are the smallest', () => {
  const draw = new Draw(new Uint8Array())
  const choices = [draw.below(10), draw.pick(['a', 'b']), draw.once(2), draw.list(3, () => 1)]
  expect(choices).toEqual([0, 'a', false, []])
})
