import { cloudflare } from '@latchkey/mail/cloudflare'
import type { SendEmail, SendEmailMessage } from '@latchkey/mail/cloudflare'
import { expect, test } from 'vitest'
import { createSignInMail, link } from './support/sign-in-mail.ts'

/** Creates a binding that records its messages. */
function createBinding(): SendEmail & { readonly sent: SendEmailMessage[] } {
  const sent: SendEmailMessage[] = []
  return {
    sent,
    send: async (message) => {
      sent.push(structuredClone(message)) // a binding is called over RPC
      return { messageId: '<1@app.example>' }
    },
  }
}

test('sends an email in the structure of the binding', async () => {
  const binding = createBinding()
  const mail = createSignInMail({ to: { address: 'alice@bücher.example', name: 'Alice' } })
  await cloudflare(binding).send(mail)
  expect(binding.sent).toEqual([
    {
      to: 'alice@xn--bcher-kva.example',
      from: { email: 'sign-in@app.example', name: 'Example' },
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      headers: {
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'OOF, AutoReply',
      },
    },
  ])
})

test('sends a sender without a name as an email address', async () => {
  const binding = createBinding()
  await cloudflare(binding).send(createSignInMail({ from: { address: 'sign-in@app.example' } }))
  expect(binding.sent[0]?.from).toBe('sign-in@app.example')
})

test('replaces line ends in names and subjects', async () => {
  const binding = createBinding()
  const name = 'Example"\r\nBcc: <mallory@evil.example>'
  const from = { address: 'sign-in@app.example', name }
  await cloudflare(binding).send(
    createSignInMail({ from, subject: 'Hi\r\nBcc: mallory@evil.example' }),
  )
  expect(binding.sent[0]).toMatchObject({
    from: { name: 'Example" Bcc: <mallory@evil.example>' },
    subject: 'Hi Bcc: mallory@evil.example',
  })
})

test.each([
  'a@example.com\r\nx',
  'Alice <a@example.com>',
  'a@example.com,b@example.com',
  'ä@example.com',
])('refuses %j as an email address', async (address) => {
  const binding = createBinding()
  await expect(cloudflare(binding).send(createSignInMail({ to: { address } }))).rejects.toThrow(
    'must be an email address',
  )
  expect(binding.sent).toEqual([])
})

test('reports the code of a refusal and nothing of the email', async () => {
  const thrown = Object.assign(
    new Error(`alice@example.com: "Sign in to app.example" ${link} 123456 is not for this sender`),
    { code: 'E_SENDER_NOT_VERIFIED' },
  )
  const error: unknown = await cloudflare({ send: () => Promise.reject(thrown) })
    .send(createSignInMail())
    .catch((cause: unknown) => cause)
  expect(error).toMatchObject({
    name: 'MailError',
    code: 'E_SENDER_NOT_VERIFIED',
    message:
      'Cloudflare refused the email: E_SENDER_NOT_VERIFIED: <email>: "…" <url> … is not for this sender',
  })
})

test.each<unknown>([undefined, null, 'down', new Error('down')])(
  'rejects with a MailError if the binding throws %s',
  async (thrown) => {
    const failing = cloudflare({ send: () => Promise.reject(thrown) })
    await expect(failing.send(createSignInMail())).rejects.toMatchObject({ name: 'MailError' })
  },
)

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [{}, 'object'],
  ['MAIL', 'string'],
])('refuses %j as a binding', (value, found) => {
  expect(() => cloudflare(value as never)).toThrow(
    expect.objectContaining({
      name: 'ConfigurationError',
      option: 'cloudflare.binding',
      message: `cloudflare.binding: must be a send_email binding, got ${found}`,
    }),
  )
})
