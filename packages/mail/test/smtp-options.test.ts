import { ConfigurationError } from '@latchkey/core'
import { smtp } from '@latchkey/mail/smtp'
import type { SmtpOptions } from '@latchkey/mail/smtp'
import { expect, test } from 'vitest'
import { parseSmtpOptions } from '../src/smtp-options.ts'

const host = 'smtp.example.com'
const invalidHost =
  'must have a valid host, and a port from 1 to 65535: percent-encode / ? # @ : in a password'

test.each<[string, unknown]>([
  ['smtp', undefined],
  ['smtp', null],
  ['smtp', 25],
  ['smtp.host', {}],
  ['smtp.host', { host: '' }],
  ['smtp.host', { host: 'smtp.example.com\r\nx' }],
  ['smtp.host', { host: 'https://smtp.example.com' }],
  ['smtp.port', { host, port: 0 }],
  ['smtp.port', { host, port: 70_000 }],
  ['smtp.port', { host, port: '587' }],
  ['smtp.secure', { host, secure: 'yes' }],
  ['smtp.requireTLS', { host, requireTLS: false }],
  ['smtp.rejectUnauthorized', { host, rejectUnauthorized: false }],
  ['smtp.tls.rejectUnauthorized', { host, tls: { rejectUnauthorized: false } }],
  ['smtp.tls.ca', { host, tls: { ca: '/etc/ssl/ca.pem' } }],
  ['smtp.auth', { host, auth: 'user:pass' }],
  ['smtp.auth.pass', { host, auth: { user: 'secret-user' } }],
  ['smtp.auth.password', { host, auth: { user: 'u', pass: 'p', password: 'secret' } }],
  ['smtp.maxConnections', { host, maxConnections: 0 }],
  ['smtp.timeouts.socket', { host, timeouts: { socket: 0 } }],
  ['smtp.timeouts.sending', { host, timeouts: { sending: Number.NaN } }],
  ['smtp.timeouts.idle', { host, timeouts: { idle: 5 } }],
  ['smtp.url', ''],
  ['smtp.url', 'smtp.example.com'],
  ['smtp.url', 'https://secret:secret@smtp.example.com'],
  ['smtp.url', 'smtp://secret:secret#1@smtp.example.com'],
  ['smtp.url', 'smtp://secret:secr/et@smtp.example.com'],
  ['smtp.url', 'smtp://secret:se%cret@smtp.example.com'],
  ['smtp.url', 'smtp://smtp.example.com/path'],
  ['smtp.url', 'smtp://smtp.example.com?pool=true'],
  ['smtp.url', 'smtp://smtp.example.com?requireTls=no'],
  ['smtp.auth.pass', 'smtp://secret@smtp.example.com'],
  ['smtp.host', 'smtp://'],
])('names %s in the error, not its value: %j', (option, options) => {
  const create = (): unknown => smtp(options as SmtpOptions)
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(expect.objectContaining({ option }))
  expect(create).not.toThrow(/secret/)
})

test.each<[unknown, string]>([
  ['secret', 'smtp.url: must begin with smtp:// or smtps://'],
  ['smtp:secret@smtp.example.com', 'smtp.url: must begin with smtp:// or smtps://'],
  ['smtp://smtp.example.com:99999', `smtp.url: ${invalidHost}`],
  ['smtp://smtp.example.com:0', `smtp.url: ${invalidHost}`],
  ['smtps://smtp.example.com:secret', `smtp.url: ${invalidHost}`],
  ['smtp://user:secr/et@smtp.example.com', `smtp.url: ${invalidHost}`],
  ['smtp://smtp example.com', `smtp.url: ${invalidHost}`],
  [25, 'smtp: must be an object, got number'],
  [{}, 'smtp.host: must be set, got undefined'],
  [{ hst: host }, 'smtp.hst: is unknown'],
  [{ host: '' }, 'smtp.host: must be a host name or an IP address, got an empty string'],
  [
    { host: 'user:secret@example.com' },
    'smtp.host: must be a host name or an IP address, got string',
  ],
  [{ host, port: '587' }, 'smtp.port: must be an integer from 1 to 65535, got string'],
  [{ host, port: 70_000 }, 'smtp.port: must be an integer from 1 to 65535, got 70000'],
  [{ host, port: Number.NaN }, 'smtp.port: must be an integer from 1 to 65535, got NaN'],
  [{ host, maxConnections: 1.5 }, 'smtp.maxConnections: must be an integer from 1 to 100, got 1.5'],
  [{ host, pool: null }, 'smtp.pool: must be true or false, got null'],
  [{ host, auth: 'user:secret' }, 'smtp.auth: must be an object, got string'],
  [{ host, auth: 123_456 }, 'smtp.auth: must be an object, got number'],
  [{ host, auth: { user: 'u' } }, 'smtp.auth.pass: must be set, got undefined'],
  [
    { host, auth: { user: 'u', pass: 123_456 } },
    'smtp.auth.pass: must be a non-empty string, got number',
  ],
  [{ host, tls: { ca: ['secret'] } }, 'smtp.tls.ca.0: must be certificates in PEM, got string'],
  [
    { host, timeouts: { socket: 601 } },
    'smtp.timeouts.socket: must be seconds, more than 0 and at most 600, got 601',
  ],
])('names the option, what was expected and what was found: %j', (options, message) => {
  const create = (): unknown => smtp(options as SmtpOptions)
  expect(create).toThrow(expect.objectContaining({ name: 'ConfigurationError', message }))
})

test.each<[string | SmtpOptions, object]>([
  [
    'smtp://smtp.example.com',
    { host, port: 587, secure: false, requireTls: true, ignoreTls: false },
  ],
  ['smtps://smtp.example.com', { host, port: 465, secure: true }],
  ['smtp://[::1]:1025', { host: '::1', port: 1025, requireTls: false, ignoreTls: true }],
  ['smtp://localhost:1025', { host: 'localhost', requireTls: false }],
  ['smtp://localhost.example.com', { requireTls: true }],
  ['smtp://mailpit:1025?requireTls=false', { requireTls: false, ignoreTls: false }],
  ['smtp://a%40b:p%2Fq@smtp.example.com', { auth: { user: 'a@b', pass: 'p/q' } }],
  [{ host, port: 465 }, { secure: true }],
  [{ host, secure: true }, { port: 465 }],
  [
    { host, timeouts: { socket: 60 } },
    {
      pool: true,
      maxConnections: 5,
      timeouts: { connection: 5, greeting: 5, socket: 60, sending: 10 },
    },
  ],
])('parses %j', (options, settings) => {
  expect(parseSmtpOptions(options)).toMatchObject(settings)
})
