import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import {
  describeComparison,
  describePluginCounts,
  readComparison,
} from '../src/describe-comparison.ts'
import { plugins } from '../src/plugins.ts'
import { describeRates } from '../src/rates.ts'

const root = resolve(import.meta.dirname, '../../..')
const source = readFileSync(resolve(root, 'apps/docs/pages/comparison.md'), 'utf8')
const page = describeComparison(source, root)

test('the page has the version, the size and the day of every library', () => {
  const { date, libraries } = readComparison(root)
  expect(libraries.map(({ name }) => name)).toEqual([
    '@latchkey/core',
    'next-auth',
    '@auth/core',
    '@hono/auth-js',
    'better-auth',
  ])
  for (const { name, version } of libraries) expect(page).toContain(`| \`${name}\` | ${version} |`)
  expect(date).toMatch(/^2\d{3}-\d\d-\d\d$/)
  expect(describeRates(page, root)).not.toMatch(/<!--@|undefined|NaN/)
})

test('every plugin is listed once, and what Latchkey has is counted', () => {
  const all = Object.values(plugins).flat()
  expect(new Set(all.map(({ from }) => from)).size).toBe(all.length)
  expect(page).toContain(`of ${all.length}, and part of`)
  const cells = all.map(({ from }) =>
    page.split('\n').find((row) => row.includes(`| \`${from}\` |`)),
  )
  expect(cells.filter((row) => row === undefined)).toEqual([])
  const inPart = cells.filter((row) => row?.includes('in part: ')).length
  const missing = cells.filter((row) => row?.endsWith('| – |')).length
  expect(describePluginCounts()).toBe(
    `${all.length - inPart - missing} of ${all.length}, and part of ${inPart}`,
  )
})
