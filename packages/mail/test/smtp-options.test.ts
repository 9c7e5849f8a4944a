import { ConfigurationError } from '@latchkey/core'
import { smtp } from '@latchkey/mail/smtp'
import type { SmtpOptions } from '@latchkey/mail/smtp'
import { expect, test } from 'vitest'
import { parseSmtpOptions } from '../src/smtp-options.ts'

const host = 'smtp.example.com'

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
])('%s is named in the error, and no value of it', (option, options) => {
  const make = (): unknown => smtp(options as SmtpOptions)
  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow(expect.objectContaining({ option }))
  expect(make).not.toThrow(/secret/)
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
])('%j', (options, settings) => {
  expect(parseSmtpOptions(options)).toMatchObject(settings)
})
