import { createAuth } from '@latchkey/core'
import type { Auth, Provider } from '@latchkey/core'
import { ar } from '@latchkey/account/languages/ar'
import { ar as arCore } from '@latchkey/core/languages/ar'
import { memoryStorage } from '@latchkey/core/memory'
import { securityEmails } from '@latchkey/account'
import { Browser } from '@latchkey/testing/browser'
import { smtp } from '@latchkey/mail/smtp'
import { expect, test } from 'vitest'
import { startSmtp } from './support/smtp.ts'

const base = 'https://app.example/api/auth'

/** Signs a user in without a question. */
const provider: Provider = {
  id: 'direct',
  name: 'Direct',
  type: 'oauth',
  begin: async () => ({ identity }),
  finish: async () => identity,
}
const identity = {
  subject: 'alice',
  profile: { email: 'alice@example.com', emailVerified: true },
  emailProven: true,
  tokens: {},
  claims: {},
}

const signIn = async ({ handle }: Auth): Promise<Browser> => {
  const browser = new Browser(handle, base)
  await browser.submit('/signin/direct', {}, { headers: { 'accept-language': 'ar' } })
  expect(await browser.json('/session')).toHaveProperty('user')
  return browser
}

test('an email about security arrives by SMTP, and its link ends all sessions (I-62)', async () => {
  await using server = await startSmtp()
  const mailer = smtp(server.url)
  const auth = createAuth({
    serviceUrl: 'https://app.example',
    secret: 'the secret of these tests has 32 bytes',
    storage: memoryStorage(),
    providers: [provider],
    messages: { ar: [arCore, ar] },
    use: [securityEmails({ mailer, from: 'Example <security@app.example>' })],
  })
  const owner = await signIn(auth)
  const other = await signIn(auth)
  const mail = await server.mailTo('alice@example.com')
  mailer.close()
  expect(mail.envelope).toEqual({ from: 'security@app.example', to: ['alice@example.com'] })
  expect(mail.subject).toBe('سجّل متصفح جديد الدخول إلى حسابك في app.example')
  expect(mail.html).toContain('dir="rtl"')
  const [link = ''] = /https:\S+/.exec(mail.text) ?? []
  expect(mail.html).toContain(link)
  const { searchParams } = new URL(link)
  const token = searchParams.get('token') ?? ''
  const ended = await other.submit('/end-sessions', { token, json: 'true' })
  expect([ended.status, await ended.json()]).toEqual([200, { url: `${base}/signin` }])
  expect(await owner.json('/session')).toEqual({})
  expect(server.messages).toHaveLength(1)
})
