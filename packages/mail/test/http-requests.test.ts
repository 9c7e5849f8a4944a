import { createHash, createHmac } from 'node:crypto'
import type { Mail, Mailer } from '@latchkey/core'
import { mailgun, postmark, resend, sendgrid, ses } from '@latchkey/mail/http'
import type { HttpMailerOptions } from '@latchkey/mail/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startHttp } from './support/http.ts'
import type { ReceivedRequest, TestHttp } from './support/http.ts'
import { key, senders } from './support/senders.ts'
import { createSignInMail } from './support/sign-in-mail.ts'

let server: TestHttp

beforeAll(async () => {
  server = await startHttp((response, { path }) => {
    response.writeHead(path === '/v3/mail/send' ? 202 : 200).end('{"id":"1"}')
  })
})

afterAll(() => server.close())

async function getRequest(
  create: (options: HttpMailerOptions) => Mailer,
  changes?: Partial<Mail>,
): Promise<ReceivedRequest> {
  await create({ baseUrl: server.url }).send(createSignInMail(changes))
  return server.requests.at(-1) as ReceivedRequest
}

const mail = createSignInMail()
const commonHeaders = {
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'OOF, AutoReply',
}
const headerList = Object.entries(commonHeaders).map(([Name, Value]) => ({ Name, Value }))

describe('the request', () => {
  test('of Resend', async () => {
    const { method, path, headers, body } = await getRequest((o) => resend({ apiKey: key, ...o }))
    expect([method, path]).toEqual(['POST', '/emails'])
    expect(headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'user-agent': 'latchkey',
    })
    expect(JSON.parse(body)).toEqual({
      from: '"Example" <sign-in@app.example>',
      to: ['alice@example.com'],
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      headers: commonHeaders,
    })
  })

  test('of Postmark', async () => {
    const { method, path, headers, body } = await getRequest((o) =>
      postmark({ serverToken: key, messageStream: 'sign-in', ...o }),
    )
    expect([method, path]).toEqual(['POST', '/email'])
    expect(headers).toMatchObject({
      'x-postmark-server-token': key,
      'content-type': 'application/json',
      accept: 'application/json',
    })
    expect(JSON.parse(body)).toEqual({
      From: '"Example" <sign-in@app.example>',
      To: 'alice@example.com',
      Subject: mail.subject,
      TextBody: mail.text,
      HtmlBody: mail.html,
      MessageStream: 'sign-in',
      TrackOpens: false,
      TrackLinks: 'None',
      Headers: headerList,
    })
  })

  test('of SendGrid', async () => {
    const { method, path, headers, body } = await getRequest((o) => sendgrid({ apiKey: key, ...o }))
    expect([method, path]).toEqual(['POST', '/v3/mail/send'])
    expect(headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    })
    expect(JSON.parse(body)).toEqual({
      personalizations: [{ to: [{ email: 'alice@example.com' }] }],
      from: { email: 'sign-in@app.example', name: 'Example' },
      subject: mail.subject,
      content: [
        { type: 'text/plain', value: mail.text },
        { type: 'text/html', value: mail.html },
      ],
      headers: commonHeaders,
      tracking_settings: {
        click_tracking: { enable: false, enable_text: false },
        open_tracking: { enable: false },
        subscription_tracking: { enable: false },
        ganalytics: { enable: false },
      },
    })
  })

  test('of Mailgun', async () => {
    const { method, path, headers, body } = await getRequest((o) =>
      mailgun({ apiKey: key, domain: 'mg.app.example', ...o }),
    )
    expect([method, path]).toEqual(['POST', '/v3/mg.app.example/messages'])
    expect(headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      from: '"Example" <sign-in@app.example>',
      to: 'alice@example.com',
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      'o:tracking': 'no',
      'o:tracking-clicks': 'no',
      'o:tracking-opens': 'no',
      'h:Auto-Submitted': 'auto-generated',
      'h:X-Auto-Response-Suppress': 'OOF, AutoReply',
    })
  })

  test('of Amazon SES', async () => {
    const { method, path, headers, body } = await getRequest((o) =>
      ses({
        region: 'eu-central-1',
        accessKeyId: 'AKIDEXAMPLE',
        secretAccessKey: key,
        sessionToken: 'for+a/while=',
        configurationSet: 'untracked',
        ...o,
      }),
    )
    expect([method, path]).toEqual(['POST', '/v2/email/outbound-emails'])
    expect(JSON.parse(body)).toEqual({
      FromEmailAddress: '"Example" <sign-in@app.example>',
      Destination: { ToAddresses: ['alice@example.com'] },
      Content: {
        Simple: {
          Subject: { Data: mail.subject, Charset: 'UTF-8' },
          Body: {
            Text: { Data: mail.text, Charset: 'UTF-8' },
            Html: { Data: mail.html, Charset: 'UTF-8' },
          },
          Headers: headerList,
        },
      },
      ConfigurationSetName: 'untracked',
    })
    expect(headers['x-amz-security-token']).toBe('for+a/while=')
    expect(headers.authorization).toBe(sign({ method, path, headers, body }))
  })

  test('of Amazon SES without optional options', async () => {
    const request = await getRequest((o) =>
      ses({ region: 'eu-central-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: key, ...o }),
    )
    expect(request.headers.authorization).toBe(sign(request))
    expect(request.headers).not.toHaveProperty('x-amz-security-token')
    expect(JSON.parse(request.body)).not.toHaveProperty('ConfigurationSetName')
  })
})

describe('names', () => {
  const from = { address: 'sign-in@app.example', name: 'Jürgen "J" \\ Ex\r\nBcc: m@evil.example' }

  test.each(senders.slice(0, 4))(
    'of $name stay in one line and never become a header',
    async ({ create }) => {
      const { body } = await getRequest(create, { from, subject: 'Hi\r\nBcc: m@evil.example' })
      const attempts = getTexts(body).filter((text) => text.includes('Bcc:'))
      expect(attempts).toHaveLength(2)
      expect(attempts.join('')).not.toMatch(/[\r\n]|^Bcc/)
    },
  )

  test('are quoted', async () => {
    const { body } = await getRequest((o) => resend({ apiKey: key, ...o }), { from })
    expect((JSON.parse(body) as { from: string }).from).toBe(
      String.raw`"Jürgen \"J\" \\ Ex Bcc: m@evil.example" <sign-in@app.example>`,
    )
  })

  test('of Amazon SES become encoded words of whole characters', async () => {
    const name = `Zürich ${'🔑'.repeat(30)}`
    const { body } = await getRequest(
      (o) => ses({ region: 'eu-central-1', accessKeyId: 'A', secretAccessKey: key, ...o }),
      { from: { ...from, name } },
    )
    const { FromEmailAddress: text } = JSON.parse(body) as { FromEmailAddress: string }
    expect(text).toMatch(/^(=\?UTF-8\?B\?[\w+/=]+\?= )+<sign-in@app\.example>$/)
    const words = [...text.matchAll(/=\?UTF-8\?B\?([^?]+)\?=/g)]
    expect(Math.max(...words.map(([word]) => word.length))).toBeLessThanOrEqual(75)
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const decoded = words.map(([, word = '']) => decoder.decode(Buffer.from(word, 'base64')))
    expect(decoded.join('')).toBe(name)
  })
})

/** Returns all texts of a body, in JSON or of a form. */
function getTexts(body: string): string[] {
  const texts: string[] = []
  if (!body.startsWith('{')) return [...new URLSearchParams(body).values()]
  JSON.parse(body, (_, value: unknown) => typeof value === 'string' && texts.push(value))
  return texts
}

/** Signs a request with Signature Version 4 by node:crypto, to compare with. */
function sign({ method, path, headers, body }: ReceivedRequest): string {
  const names = Object.keys(headers)
    .filter((name) => ['content-type', 'host'].includes(name) || name.startsWith('x-amz-'))
    .toSorted()
  const lines = names.map((name) => `${name}:${String(headers[name])}\n`).join('')
  const sha = (text: string): string => createHash('sha256').update(text).digest('hex')
  const canonical = [method, path, '', lines, names.join(';'), sha(body)].join('\n')
  const time = String(headers['x-amz-date'])
  const scope = [time.slice(0, 8), 'eu-central-1', 'ses', 'aws4_request']
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha(canonical)].join('\n')
  const hmac = (secret: string | Buffer, part: string): Buffer =>
    createHmac('sha256', secret).update(part).digest()
  const signingKey = scope.reduce<string | Buffer>(hmac, `AWS4${key}`)
  const signature = hmac(signingKey, text).toString('hex')
  return `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope.join('/')}, SignedHeaders=${names.join(';')}, Signature=${signature}`
}
