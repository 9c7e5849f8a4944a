import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { advisories, faults } from '../src/advisories.ts'
import { describeAdvisories } from '../src/describe-advisories.ts'
import { listRules } from '../src/rules.ts'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8')

/** The rows that name a check, each with its rules and tests. */
const checked = advisories.flatMap(({ id, latchkey }) =>
  latchkey.hit === 'absent' ? [] : [{ id, ...latchkey }],
)

/** Whether a file has a test, a group of tests or a case of a contract with a title. */
function hasTitle(source: string, title: string): boolean {
  const text = title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(`\\(\\s*(['"\`])${text}\\1,`).test(source)
}

test('every rule that a row names is in an INTERFACE.md', () => {
  const rules = new Set(listRules(root))
  expect(rules.has('I-38.2')).toBe(true)
  const unknown = checked.flatMap(({ id, rules: named }) =>
    named.filter((rule) => !rules.has(rule)).map((rule) => `${id}: ${rule}`),
  )
  expect(unknown).toEqual([])
})

test('every test that a row names is in its file', () => {
  const named = checked.flatMap(({ id, tests }) => tests.map((each) => ({ id, ...each })))
  const unknown = named.filter(({ file, title }) => !hasTitle(read(file), title))
  expect(unknown).toEqual([])
  const [{ file, title }] = named as [(typeof named)[number]]
  expect(hasTitle(read(file), title.slice(1))).toBe(false)
})

test('a row that is not a rule of the interface names a test of a package beside core', () => {
  const without = checked.filter(({ rules }) => rules.length === 0)
  expect(without.flatMap(({ tests }) => tests.map(({ file }) => file.split('/')[1]))).not.toContain(
    'core',
  )
})

test('every advisory is listed once, with its numbers, its day and its fault', () => {
  for (const { id, cve, url, date } of advisories) {
    expect(id).toMatch(
      /^(?:GHSA(?:-[a-z0-9]{4}){3}|GHSA-[a-z0-9]{4}-…|(?:Pull request|Issue) \d+)$/,
    )
    if (cve !== undefined) expect(cve).toMatch(/^CVE-\d{4}-\d{4,}$/)
    expect(date).toMatch(/^20\d\d(?:-[01]\d(?:-[0-3]\d)?)?$/)
    expect(url === undefined).toBe(id.endsWith('…'))
  }
  const numbers = advisories.flatMap(({ id, cve }) => [id, ...(cve === undefined ? [] : [cve])])
  expect(new Set(numbers).size).toBe(numbers.length)
  const used = new Set(advisories.map(({ fault }) => fault))
  expect([...used].toSorted()).toEqual(Object.keys(faults).toSorted())
})

test('the page has a row for each advisory, and counts them', () => {
  const page = describeAdvisories(read('apps/docs/pages/advisories.md'))
  const rows = page.split('\n').filter((line) => /^\| (?:\[|GHSA)/.test(line))
  expect(rows).toHaveLength(advisories.length)
  expect(page).toContain(`| Latchkey | Of ${advisories.length} |`)
  const counts = [...page.matchAll(/^\| \*\*.*\| (\d+) \|$/gm)].map(([, count]) => Number(count))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(advisories.length)
  expect(page).not.toMatch(/<!--@|undefined/)
})
