import { ConfigurationError } from '@latchkey/core'
import { mailgun, postmark, resend, sendgrid, ses } from '@latchkey/mail/http'
import type { HttpMailerOptions } from '@latchkey/mail/http'
import { describe, expect, test } from 'vitest'
import { senders } from './support/senders.ts'
import { createSignInMail } from './support/sign-in-mail.ts'

const keys = { region: 'eu-central-1', accessKeyId: 'A', secretAccessKey: 'secret' }

type Create = (options: never) => unknown

test.each<[string, unknown, Create]>([
  ['resend.apiKey', {}, resend],
  ['resend.apiKey', { apiKey: '' }, resend],
  ['resend.apiKey', { apiKey: 'secret\r\nx: y' }, resend],
  ['resend.apiKey', { apiKey: 'secret–with-a-dash' }, resend],
  ['resend.key', { apiKey: 'secret', key: 'secret' }, resend],
  ['resend', undefined, resend],
  ['resend', 'secret', resend],
  ['postmark.serverToken', { apiKey: 'secret' }, postmark],
  ['postmark.messageStream', { serverToken: 'secret', messageStream: '' }, postmark],
  ['sendgrid.apiKey', { apiKey: 1 }, sendgrid],
  ['sendgrid.region', { apiKey: 'secret', region: 'us' }, sendgrid],
  ['sendgrid.region', { apiKey: 'secret', region: 'toString' }, sendgrid],
  ['mailgun.domain', { apiKey: 'secret' }, mailgun],
  ['mailgun.domain', { apiKey: 'secret', domain: 'mg.example.com/../x' }, mailgun],
  ['mailgun.region', { apiKey: 'secret', domain: 'mg.example.com', region: 'global' }, mailgun],
  ['ses.region', { ...keys, region: 'evil.example/' }, ses],
  ['ses.accessKeyId', { ...keys, accessKeyId: undefined }, ses],
  ['ses.secretAccessKey', { ...keys, secretAccessKey: ' secret' }, ses],
  ['ses.sessionToken', { ...keys, sessionToken: '' }, ses],
])('names %s in the error, not its value: %j', (option, options, create) => {
  const call = (): unknown => create(options as never)
  const named = option === 'postmark.serverToken' ? /^postmark\.(apiKey|serverToken)$/ : option
  expect(call).toThrow(ConfigurationError)
  expect(call).toThrow(expect.objectContaining({ option: expect.stringMatching(named) as string }))
  expect(call).not.toThrow(/secret(?!Access)/)
})

test.each<[Create, unknown, string]>([
  [resend, undefined, 'resend: must be an object, got undefined'],
  [resend, {}, 'resend.apiKey: must be printable ASCII without spaces, got undefined'],
  [
    resend,
    { apiKey: '' },
    'resend.apiKey: must be printable ASCII without spaces, got an empty string',
  ],
  [
    resend,
    { apiKey: 123_456 },
    'resend.apiKey: must be printable ASCII without spaces, got number',
  ],
  [
    resend,
    { apiKey: 'k', key: 'k' },
    'resend.key: is unknown, must be one of apiKey, fetch, timeout, baseUrl',
  ],
  [
    resend,
    { apiKey: 'k', timeout: 601 },
    'resend.timeout: must be seconds, more than 0 and at most 600, got 601',
  ],
  [
    resend,
    { apiKey: 'k', timeout: '5' },
    'resend.timeout: must be seconds, more than 0 and at most 600, got string',
  ],
  [resend, { apiKey: 'k', fetch: null }, 'resend.fetch: must be a function, got null'],
  [
    resend,
    { apiKey: 'k', baseUrl: 'http://a.example' },
    'resend.baseUrl: must be an https URL without credentials, query and fragment, got string',
  ],
  [
    sendgrid,
    { apiKey: 'k', region: 'us' },
    'sendgrid.region: must be one of global, eu, got string',
  ],
  [mailgun, { apiKey: 'k', domain: 'localhost' }, 'mailgun.domain: must be a domain, got string'],
  [
    ses,
    { ...keys, region: 'a.b' },
    'ses.region: must be lower-case letters, digits and dashes, got string',
  ],
])('names the option, what was expected and what was found: %o %o', (create, options, message) => {
  const call = (): unknown => create(options as never)
  expect(call).toThrow(expect.objectContaining({ name: 'ConfigurationError', message }))
})

describe.each(senders)('$name', ({ create, acceptedStatus }) => {
  test.each<[string, HttpMailerOptions]>([
    ['baseUrl', { baseUrl: 'http://api.example.com' }],
    ['baseUrl', { baseUrl: 'http://localhost.example.com' }],
    ['baseUrl', { baseUrl: 'https://user:pass@api.example.com' }],
    ['baseUrl', { baseUrl: 'https://api.example.com/?x=1' }],
    ['baseUrl', { baseUrl: 'https://api.example.com/?' }],
    ['baseUrl', { baseUrl: 'https://api.example.com/#x' }],
    ['baseUrl', { baseUrl: 'api.example.com' }],
    ['baseUrl', { baseUrl: 'ftp://localhost' }],
    ['timeout', { timeout: 0 }],
    ['timeout', { timeout: Number.POSITIVE_INFINITY }],
    ['fetch', { fetch: 'fetch' as never }],
  ])('refuses %s %j', (option, options) => {
    const ends = expect.stringMatching(new RegExp(`^[a-z]+\\.${option}$`)) as string
    expect(() => create(options)).toThrow(expect.objectContaining({ option: ends }))
  })

  test('uses the given fetch, and the URL of the service', async () => {
    const calls: [string, RequestInit][] = []
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      calls.push([url, init])
      return new Response(null, { status: acceptedStatus })
    }
    await create({ fetch }).send(createSignInMail())
    expect(calls).toHaveLength(1)
    const [url, init] = calls[0] as [string, RequestInit]
    expect(new URL(url).protocol).toBe('https:')
    expect(init).toMatchObject({ method: 'POST', redirect: 'manual' })
    expect(init.signal).toBeInstanceOf(AbortSignal)
  })
})

test.each<[string, (options: HttpMailerOptions) => { send: unknown }]>([
  ['https://api.resend.com/emails', (o) => resend({ apiKey: 'k', ...o })],
  ['https://api.postmarkapp.com/email', (o) => postmark({ serverToken: 'k', ...o })],
  ['https://api.sendgrid.com/v3/mail/send', (o) => sendgrid({ apiKey: 'k', ...o })],
  [
    'https://api.eu.sendgrid.com/v3/mail/send',
    (o) => sendgrid({ apiKey: 'k', region: 'eu', ...o }),
  ],
  [
    'https://api.mailgun.net/v3/mg.app.example/messages',
    (o) => mailgun({ apiKey: 'k', domain: 'mg.app.example', ...o }),
  ],
  [
    'https://api.eu.mailgun.net/v3/mg.app.example/messages',
    (o) => mailgun({ apiKey: 'k', domain: 'mg.app.example', region: 'eu', ...o }),
  ],
  [
    'https://email.eu-central-1.amazonaws.com/v2/email/outbound-emails',
    (o) => ses({ ...keys, ...o }),
  ],
  [
    'https://proxy.example/mail/emails',
    (o) => resend({ apiKey: 'k', baseUrl: 'https://proxy.example/mail/', ...o }),
  ],
])('sends to %s', async (expected, create) => {
  let requested = ''
  const fetch = async (url: string): Promise<Response> => {
    requested = url
    return new Response(null, { status: url.endsWith('/mail/send') ? 202 : 200 })
  }
  await (create({ fetch }) as ReturnType<typeof resend>).send(createSignInMail())
  expect(requested).toBe(expected)
})
