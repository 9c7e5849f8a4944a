import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readResults } from '@latchkey/proof/results'
import { expect, test } from 'vitest'
import { describeProof } from '../src/describe-proof.ts'

const source = readFileSync(resolve(import.meta.dirname, '../pages/how-we-know.md'), 'utf8')

test('the page has every recorded figure, with its day', () => {
  const page = describeProof(source)
  expect(page).not.toMatch(/<!--@|undefined|NaN/)
  expect(page.match(/^Recorded on \d{1,2} \w+ 20\d\d, commit `[0-9a-f]{7}`\./gm)).toHaveLength(5)
  const { mutation, fuzz, proverif } = {
    mutation: readResults('mutation'),
    fuzz: readResults('fuzz'),
    proverif: readResults('proverif'),
  }
  for (const name of Object.keys(mutation.folders)) expect(page).toContain(`| \`${name}\` |`)
  for (const { target } of fuzz.targets) expect(page).toContain(`| \`${target}\` |`)
  for (const { file } of proverif.models) expect(page).toContain(`| \`${file}\` |`)
})

test('what is recorded has no open problem', () => {
  const { model, faults } = readResults('model')
  expect(model.strategies.filter(({ violation }) => violation !== null)).toEqual([])
  expect(faults.found).toBe(faults.planted)
  const { problems, rotations } = readResults('soak')
  expect([problems, rotations.violations]).toEqual([[], []])
  for (const { file, queries, proved, faults: made, found } of readResults('proverif').models)
    expect([file, proved, found]).toEqual([file, queries, made])
})

test('a name that nothing is recorded for is an error', () => {
  expect(() => describeProof('<!--@unknown-->')).toThrow('nothing is recorded as unknown')
})
