import { readFileSync } from 'node:fs'
import { getVariableNames } from '@latchkey/environment'
import type { LazyProviderRow } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { expect, test } from 'vitest'
import { getSummary, providerIds, readFacts } from '../../core/test/support/provider-facts.ts'

const path = '../../core/README.md'
const readme = readFileSync(new URL(path, import.meta.url), 'utf8')
const section = /(?<=<!-- providers -->\n)[^]*(?=<!-- \/providers -->)/

const protocols = { oidc: 'OpenID Connect', oauth: 'OAuth 2.0' } as const

/** Returns the cells of a provider: what its file in core says, and its variables. */
function toCells(row: LazyProviderRow): string[] {
  const facts = readFacts(row.id)
  return [
    facts.name,
    `\`${facts.create}\`, \`providers/${row.id}\``,
    getVariables(row),
    protocols[facts.protocol],
    getSummary(facts, 'Email address'),
    getSummary(facts, 'Refresh'),
    getSummary(facts, 'Logout'),
  ]
}

/** Returns the first variable in full and the ends of the others. */
function getVariables(row: LazyProviderRow): string {
  const [first = '', ...required] = getVariableNames({ ...row, optional: {} })
  const prefix = first.replace(/_ID$/, '')
  const toEnds = (names: readonly string[]): string =>
    names.map((name) => `\`${name.slice(prefix.length)}\``).join(', ')
  const optional = toEnds(getVariableNames({ ...row, required: {} }))
  return `\`${first}\`, ${toEnds(required)}${optional && `; optional ${optional}`}`
}

/** Formats a table in Markdown as prettier does. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const [header = [], ...others] = rows
  const widths = header.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  const rule = widths.map((width) => '-'.repeat(width))
  const toLine = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  return [header, rule, ...others].map(toLine).join('\n')
}

test('the README of core has the table of the files, which `vitest -u` writes', async () => {
  const rows = providers.filter(({ id }) => providerIds.includes(id)).map(toCells)
  expect(rows).toHaveLength(providerIds.length)
  const header = [
    'Provider',
    'Import',
    'Variables',
    'Protocol',
    'Email address',
    'Refresh',
    'Logout',
  ]
  expect(readme).toMatch(section)
  const table = formatTable([
    header,
    ...rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b, 'en')),
  ])
  await expect(readme.replace(section, () => `\n${table}\n\n`)).toMatchFileSnapshot(path)
})
