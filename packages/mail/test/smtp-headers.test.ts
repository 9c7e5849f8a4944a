import { smtp } from '@latchkey/mail/smtp'
import type { SmtpMailer } from '@latchkey/mail/smtp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSignInMail } from './support/sign-in-mail.ts'
import { startSmtp } from './support/smtp.ts'
import type { ReceivedMail, TestSmtp } from './support/smtp.ts'

let server: TestSmtp
let mailer: SmtpMailer
let expectedNames: string[]

beforeAll(async () => {
  server = await startSmtp()
  mailer = smtp(server.url)
  expectedNames = getHeaderNames(await send({}))
})

afterAll(async () => {
  mailer.close()
  await server.close()
})

async function send(changes: Parameters<typeof createSignInMail>[0]): Promise<ReceivedMail> {
  await mailer.send(createSignInMail(changes))
  return server.messages.at(-1) as ReceivedMail
}

const getHeaderNames = ({ headers }: ReceivedMail): string[] =>
  headers.map(([name]) => name.toLowerCase()).toSorted()

const from = { address: 'sign-in@app.example' }

describe('header injection', () => {
  const attempts: [string, string, string][] = [
    ['CRLF', 'Hi\r\nBcc: mallory@evil.example', 'Hi Bcc: mallory@evil.example'],
    ['LF', 'Hi\nX-Evil: 1', 'Hi X-Evil: 1'],
    ['CR', 'Hi\rX-Evil: 1', 'Hi X-Evil: 1'],
    ['a whole body', 'Hi\r\n\r\n<p>evil</p>', 'Hi <p>evil</p>'],
    ['a folded line', 'Hi\r\n X-Evil: 1', 'Hi X-Evil: 1'],
    ['NUL', 'Hi\0there', 'Hi there'],
    ['U+2028', 'Hi\u2028X-Evil: 1', 'Hi X-Evil: 1'],
    ['NEL', 'Hi\u0085X-Evil: 1', 'Hi X-Evil: 1'],
    ['a lone surrogate', 'Hi\ud800there', 'Hi there'],
    ['an encoded word', '=?utf-8?Q?Hi=0D=0ABcc:_m@evil.example?=', ''],
    ['quotes', 'He said "Hi", <b@evil.example>', 'He said "Hi", <b@evil.example>'],
    ['an emoji', '🔑 Sign in 👩‍💻', '🔑 Sign in 👩‍💻'],
    ['right to left', 'تسجيل الدخول \u202Eexample\u202C', 'تسجيل الدخول \u202Eexample\u202C'],
    ['1000 characters', 'Schlüssel '.repeat(100).trim(), 'Schlüssel '.repeat(100).trim()],
    ['one word of 1000 ASCII characters', 'k'.repeat(1000), 'k'.repeat(1000)],
  ]

  test.each(attempts)('is prevented in a subject with %s', async (name, subject, shown) => {
    const mail = await send({ subject })
    expect(getHeaderNames(mail)).toEqual(expectedNames)
    expect(mail.envelope.to).toEqual(['alice@example.com'])
    if (name !== 'an encoded word') expect(mail.subject).toBe(shown)
  })

  test.each(attempts)('is prevented in a name with %s', async (_, name) => {
    const mail = await send({ from: { ...from, name }, to: { address: 'alice@example.com', name } })
    expect(getHeaderNames(mail)).toEqual(expectedNames)
    expect(mail.envelope).toEqual({ from: from.address, to: ['alice@example.com'] })
    expect(mail.header('from')).toMatch(/ <sign-in@app\.example>$/)
    expect(mail.header('to')).toMatch(/ <alice@example\.com>$/)
  })

  test('folds header lines at the length of RFC 5322 §2.1.1', async () => {
    const mail = await send({ subject: 'Schlüssel '.repeat(100) })
    const [head = ''] = mail.raw.split('\r\n\r\n')
    expect(Math.max(...head.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78)
    expect(head).toMatch(/^[\x20-\x7e\r\n\t]*$/)
  })
})

describe('email addresses', () => {
  test.each([
    'a@example.com\r\nRCPT TO:<mallory@evil.example>',
    'a@example.com\0',
    'a@example.com,mallory@evil.example',
    'a@example.com mallory@evil.example',
    'Alice <a@example.com>',
    '<a@example.com>',
    '"a b"@example.com',
    'a@b@example.com',
    'a@exa\u202Emple.com',
    'a@example.com/../x',
    'a@[127.0.0.1]',
    'álice@example.com',
    'a@',
    '@example.com',
    'alice',
    '',
    `${'a'.repeat(65)}@example.com`,
  ])('refuses %j and sends nothing', async (address) => {
    const before = server.messages.length
    for (const changes of [{ to: { address } }, { from: { address } }]) {
      const refused = mailer.send(createSignInMail(changes))
      await expect(refused).rejects.toThrow(
        /^"(to|from)" must be an email address with an ASCII local part$/,
      )
    }
    expect(server.messages).toHaveLength(before)
  })

  test('refuses a domain that is too long', async () => {
    const sendTo = (length: number): Promise<void> =>
      mailer.send(createSignInMail({ to: { address: `a@${'b'.repeat(length)}.example` } }))
    await expect(sendTo(200)).resolves.toBeUndefined()
    await expect(sendTo(300)).rejects.toThrow(/^"to" must be an email address/)
  })

  test('converts a domain beyond ASCII to Punycode', async () => {
    const mail = await send({ to: { address: 'alice@bücher.example' } })
    expect(mail.header('to')).toBe('alice@xn--bcher-kva.example')
    expect(mail.envelope.to).toEqual(['alice@bücher.example']) // smtp-server decodes it
  })

  test('keeps the special characters of a local part', async () => {
    const address = "o'brien+tag=1/x#y$z&a*b?c^d_e`f{g|h}i~j!k@sub.example.com"
    const mail = await send({ to: { address } })
    expect(mail.envelope.to).toEqual([address])
  })
})
