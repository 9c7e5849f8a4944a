import { expect, test } from 'vitest'
import { gitlab } from '@latchkey/core/providers/gitlab'
import { createIssuer } from '@latchkey/testing/issuer'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { client, serveProviders } from '../support/identity-provider.ts'
import { origin } from '../support/service.ts'

test('GitLab: a self-managed instance has its own URL', async () => {
  const baseUrl = 'https://git.example.com/gitlab'
  const issuer = createIssuer({ ...client, issuer: baseUrl, algorithm: 'ES256' })
  const { browser } = serveProviders(issuer, gitlab({ ...client, baseUrl }))
  const response = await signInAtIssuer(browser, issuer, { provider: 'gitlab' })
  expect(response.headers.get('location')).toBe(origin)
})
