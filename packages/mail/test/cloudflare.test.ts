import { cloudflare } from '@latchkey/mail/cloudflare'
import type { SendEmailMail } from '@latchkey/mail/cloudflare'
import { expect, test } from 'vitest'
import { link, signInMail } from './support/mails.ts'

/** A binding that keeps what it is given, as that of the Email Service takes it. */
function binding(): { sent: SendEmailMail[]; send: (mail: SendEmailMail) => Promise<unknown> } {
  const sent: SendEmailMail[] = []
  return {
    sent,
    send: async (mail) => {
      sent.push(structuredClone(mail)) // a binding is called over RPC
      return { messageId: '<1@app.example>' }
    },
  }
}

test('a mail in the structure of the binding', async () => {
  const fake = binding()
  const mail = signInMail({ to: { address: 'alice@bücher.example', name: 'Alice' } })
  await cloudflare(fake).send(mail)
  expect(fake.sent).toEqual([
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

test('a sender without a name is an address', async () => {
  const fake = binding()
  await cloudflare(fake).send(signInMail({ from: { address: 'sign-in@app.example' } }))
  expect(fake.sent[0]?.from).toBe('sign-in@app.example')
})

test('lines end in no name and in no subject', async () => {
  const fake = binding()
  const name = 'Example"\r\nBcc: <mallory@evil.example>'
  const from = { address: 'sign-in@app.example', name }
  await cloudflare(fake).send(signInMail({ from, subject: 'Hi\r\nBcc: mallory@evil.example' }))
  expect(fake.sent[0]).toMatchObject({
    from: { name: 'Example" Bcc: <mallory@evil.example>' },
    subject: 'Hi Bcc: mallory@evil.example',
  })
})

test.each([
  'a@example.com\r\nx',
  'Alice <a@example.com>',
  'a@example.com,b@example.com',
  'ä@example.com',
])('%j is no address', async (address) => {
  const fake = binding()
  await expect(cloudflare(fake).send(signInMail({ to: { address } }))).rejects.toThrow(
    'none to send to',
  )
  expect(fake.sent).toEqual([])
})

test('a refusal says its code, and nothing of the mail', async () => {
  const thrown = Object.assign(
    new Error(`alice@example.com: "Sign in to app.example" ${link} 123456 is not for this sender`),
    { code: 'E_SENDER_NOT_VERIFIED' },
  )
  const error: unknown = await cloudflare({ send: () => Promise.reject(thrown) })
    .send(signInMail())
    .catch((cause: unknown) => cause)
  expect(error).toMatchObject({
    name: 'MailError',
    code: 'E_SENDER_NOT_VERIFIED',
    message:
      'Cloudflare refused the mail: E_SENDER_NOT_VERIFIED: <address>: "…" <link> … is not for this sender',
  })
})

test.each<unknown>([undefined, null, 'down', new Error('down')])(
  '%s thrown is a MailError',
  async (thrown) => {
    const failing = cloudflare({ send: () => Promise.reject(thrown) })
    await expect(failing.send(signInMail())).rejects.toMatchObject({ name: 'MailError' })
  },
)

test.each([undefined, null, {}, 'MAIL'])('%j is no binding', (value) => {
  expect(() => cloudflare(value as never)).toThrow(
    expect.objectContaining({ name: 'ConfigurationError', option: 'cloudflare.binding' }),
  )
})
