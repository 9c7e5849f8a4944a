import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const guide = readFileSync(
  new URL('../../../apps/docs/pages/guide/environment.md', import.meta.url),
  'utf8',
)

test.each([
  'AUTH_SECRET',
  'SERVICE_URL',
  'AUTH_TRUST_HOST',
  'AUTH_TRUSTED_ORIGINS',
  'AUTH_COOKIE_DOMAIN',
  'AUTH_TRUST_EMAIL_OF',
  'AUTH_EMAIL_FROM',
  'AUTH_EMAIL_CODE',
  'AUTH_EMAIL_SERVER',
  'AUTH_DATABASE',
  'AUTH_DATABASE_POOL',
  'AUTH_SWEEP_INTERVAL',
  'AUTH_CLIENT_IP_HEADER',
  'AUTH_LOG_FORMAT',
  'AUTH_LOG_LEVEL',
  'AUTH_STOP_DELAY',
  'AUTH_ENV_FILE',
  'AUTH_OIDC_ISSUER',
  'AUTH_OIDC_NAME',
])('the manual explains %s', (name) => {
  expect(guide).toContain(`\`${name}\``)
})
