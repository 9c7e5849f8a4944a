import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Browser } from '@latchkey/testing/browser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSmtp } from '../../../packages/mail/test/support/smtp.ts'
import type { TestSmtp } from '../../../packages/mail/test/support/smtp.ts'
import type { Program } from '@latchkey/test-support/program'
import { startService } from './support/service.ts'

const auth = { user: 'latchkey', pass: 'hunter2 of the mail server' }

let smtp: TestSmtp
let service: Program
let base: string
let folder: string

/** The service as an operator runs it: with STARTTLS, a password, and an additional certificate. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-email-'))
  smtp = await startSmtp({ starttls: true, auth })
  const certificate = join(folder, 'ca.pem')
  await writeFile(certificate, smtp.ca)
  const password = encodeURIComponent(auth.pass)
  service = startService({
    AUTH_SECRET: 'a-secret-of-thirty-two-bytes-or-more',
    AUTH_DATABASE: join(folder, 'latchkey.sqlite'),
    AUTH_EMAIL_SERVER: `smtp://${auth.user}:${password}@localhost:${smtp.port}?requireTls=true`,
    AUTH_EMAIL_FROM: 'Example <sign-in@example.com>',
    AUTH_EMAIL_CODE: 'true',
    NODE_EXTRA_CA_CERTS: certificate,
    PORT: '0',
  })
  const [, url = ''] = await service.waitForOutput(/listening on (\S+)/)
  base = `${url}/api/auth`
})

afterAll(async () => {
  expect(await service.stop()).toMatchObject({ code: 0 })
  await smtp.close()
  await rm(folder, { recursive: true })
})

async function requestEmail(email: string): Promise<Browser> {
  const browser = new Browser(fetch, base)
  const response = await browser.submit('/signin/email', { email })
  expect(response.headers.get('location')).toContain('/verify-request')
  return browser
}

test('an email is sent over TLS with the password, sender and recipient', async () => {
  await requestEmail('Alice@Example.com')
  const mail = await smtp.mailTo('alice@example.com')
  expect(mail).toMatchObject({ user: auth.user, secure: true })
  expect(mail.envelope).toEqual({ from: 'sign-in@example.com', to: ['alice@example.com'] })
})

test('its link signs in in the browser that requested it', async () => {
  const browser = await requestEmail('bob@example.com')
  const { text } = await smtp.mailTo('bob@example.com')
  const [link = ''] = /http\S+/.exec(text) ?? []
  const response = await browser.visit(link)
  expect(response.headers.get('location')).toBe(new URL(base).origin)
  expect(await browser.json('/session')).toMatchObject({ user: { email: 'bob@example.com' } })
})

test('its code signs in in the browser that requested it', async () => {
  const browser = await requestEmail('carol@example.com')
  const { text } = await smtp.mailTo('carol@example.com')
  const [code = ''] = /^\d{8}\r?$/m.exec(text) ?? []
  await browser.submit('/callback/email', { code })
  expect(await browser.json('/session')).toMatchObject({ user: { email: 'carol@example.com' } })
})

/** Fetches over a new connection: the service closes an idle one after five seconds, even before a form is sent. */
const fetchOnce = (request: Request): Promise<Response> => {
  request.headers.set('connection', 'close')
  return fetch(request)
}

test('of 200 browsers that use one link at the same time, one is signed in', async () => {
  await requestEmail('dave@example.com')
  const { text } = await smtp.mailTo('dave@example.com')
  const link = new URL(/http\S+/.exec(text)?.[0] ?? '')
  const fields = Object.fromEntries(link.searchParams)
  const browsers = Array.from({ length: 200 }, () => new Browser(fetchOnce, base))
  const answers = await Promise.all(
    browsers.map((browser) => browser.submit('/callback/email', fields)),
  )
  const signedIn = browsers.filter(({ cookies }) => cookies.has('latchkey.session'))
  expect(signedIn.length).toBeLessThanOrEqual(1)
  const limited = answers.filter(({ status }) => status === 429)
  // All have one IP address: the limit refuses most of them, but not the first 60.
  expect(limited.length).toBeLessThanOrEqual(200 - 50)
  expect(signedIn).toHaveLength(1)
})
