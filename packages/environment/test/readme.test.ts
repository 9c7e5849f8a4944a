import { readFileSync } from 'node:fs'
import { getVariableNames } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { expect, test } from 'vitest'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test.each(providers)('the README has a row for $id, with its variables', (row) => {
  const line = readme.split('\n').find((each) => each.includes(`| \`${row.id}\``)) ?? ''
  const [, , , required = '', optional = ''] = line.split('|')
  const names = (cell: string): string[] => cell.match(/AUTH_[A-Z\d_]+/g) ?? []
  expect(names(required)).toEqual(getVariableNames({ ...row, optional: {} }))
  expect(names(optional)).toEqual(getVariableNames({ ...row, required: {} }))
})

test.each([
  'AUTH_SECRET',
  'SERVICE_URL',
  'AUTH_TRUST_HOST',
  'AUTH_TRUST_EMAIL_OF',
  'AUTH_EMAIL_FROM',
  'AUTH_EMAIL_CODE',
  'AUTH_DATABASE',
])('the README has a row for %s', (name) => {
  expect(readme).toMatch(new RegExp(`^\\| \`${name}\` `, 'm'))
})
