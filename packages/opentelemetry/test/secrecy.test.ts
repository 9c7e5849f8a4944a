import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing'
import { beginSignIn, signInAtIssuer } from '@latchkey/testing'
import { expect, test, vi } from 'vitest'
import { registerSdk } from './support/sdk.ts'
import { serve } from './support/service.ts'

/** Returns what cookies hold, without their attributes. */
function listCookies({ cookies }: Browser): string[] {
  return [...cookies.values()].flatMap((value) =>
    value.split('.').filter(({ length }) => length > 8),
  )
}

test('no span and no metric has a token, code, email address, id of a user, or query', async () => {
  const sdk = registerSdk()
  const secrets = new Set<string>(['alice', 'Alice', 'bob', 'subject-of', 'hunter2'])
  const storage = memoryStorage()
  const { browser, issuer, mailbox } = serve({
    storage,
    session: { strategy: 'storage' },
    events: {
      signIn: ({ user, sessionId }) => void secrets.add(user.id).add(sessionId),
    },
  })
  const remember = async (): Promise<void> => {
    for (const value of listCookies(browser)) secrets.add(value)
    secrets.add(await browser.csrfToken())
  }

  // A sign-in at a provider, with what its authorization request and response have in their URLs.
  const authorization = await beginSignIn(browser, { fields: { callbackUrl: '/account?of=alice' } })
  const callback = issuer.authorize(authorization)
  for (const { searchParams } of [authorization, callback]) {
    for (const name of ['state', 'nonce', 'code', 'code_challenge']) {
      const value = searchParams.get(name)
      if (value !== null) secrets.add(value)
    }
  }
  await remember()
  expect((await browser.visit(callback.href)).status).toBe(302)
  await remember()
  await browser.json('/session')
  // Replayed, which is refused.
  expect((await browser.visit(callback.href)).status).toBe(302)
  await browser.submit('/signout')

  // A sign-in by email, with a link, after a wrong code.
  await browser.submit('/signin/email', { email: 'bob@example.com' })
  const link = new URL(await mailbox.linkTo('bob@example.com'))
  secrets.add(link.searchParams.get('token') ?? 'no token')
  await browser.submit('/callback/email', { code: '00000000' })
  expect((await browser.visit(link.href)).status).toBe(302)
  await remember()

  // Paths, methods and headers that a client chooses, and failures whose messages quote values.
  await browser.visit('/callback/hunter2?x=hunter2')
  await browser.visit('/session', { method: 'HUNTER2', headers: { 'user-agent': 'hunter2' } })
  await browser.post('/signin/op?login_hint=hunter2', { csrfToken: 'hunter2', email: 'hunter2' })
  vi.spyOn(storage, 'createUser').mockRejectedValue(
    new Error("Duplicate entry 'alice@example.com'"),
  )
  const carol = { sub: 'subject-of-carol' }
  issuer.vary({ idToken: carol, userinfo: { ...carol, email: 'alice@example.net' } })
  await signInAtIssuer(browser, issuer)
  for (const secret of issuer.secrets) secrets.add(secret)

  await expect.poll(() => secrets.size).toBeGreaterThan(20)
  const printed = await sdk.print()
  expect(printed).toContain('/api/auth/callback/op')
  expect(printed).toContain(
    '{"db.operation.name":"createUser","db.system.name":"sqlite","error.type":"Error"}',
  )
  expect([...secrets].filter((secret) => printed.includes(secret))).toEqual([])
  expect(printed.replaceAll('@latchkey/opentelemetry', '').match(/[?@].{0,20}/g)).toBeNull()
})
