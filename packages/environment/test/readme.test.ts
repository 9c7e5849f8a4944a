import { readFileSync } from 'node:fs'
import { client, getVariableNames } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { expect, test } from 'vitest'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test.each([
  'AUTH_SECRET',
  'SERVICE_URL',
  'AUTH_TRUST_HOST',
  'AUTH_TRUSTED_ORIGINS',
  'AUTH_COOKIE_DOMAIN',
  'AUTH_TRUST_EMAIL_OF',
  'AUTH_EMAIL_FROM',
  'AUTH_EMAIL_CODE',
  'AUTH_DATABASE',
  'AUTH_DATABASE_POOL',
  'AUTH_SWEEP_INTERVAL',
  'AUTH_LOG_FORMAT',
  'AUTH_LOG_LEVEL',
  'AUTH_STOP_DELAY',
  'AUTH_ENV_FILE',
])('the README has a row for %s', (name) => {
  expect(readme).toMatch(new RegExp(`^\\| \`${name}\` `, 'm'))
})

const ownVariables = providers.flatMap((row) => {
  const common = getVariableNames({ ...row, required: client, optional: {} })
  return getVariableNames(row)
    .filter((name) => !common.includes(name))
    .map((name) => [name, row.id] as const)
})

test.each(ownVariables)('the README has %s in the row of %s', (name, id) => {
  const row = readme.split('\n').find((line) => line.includes(`| \`${id}\``))
  expect(row).toContain(`\`${name}\``)
})
