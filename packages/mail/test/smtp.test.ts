import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { smtp } from '@latchkey/mail/smtp'
import type { MailError, SmtpMailer, SmtpOptions } from '@latchkey/mail/smtp'
import { afterEach, describe, expect, test } from 'vitest'
import { createSignInMail, link } from './support/sign-in-mail.ts'
import { startSmtp } from './support/smtp.ts'
import type { TestSmtp, TestSmtpOptions } from './support/smtp.ts'

const auth = { user: 'sign-in@app.example', pass: 'p@ss/wörd:#1' }
const open: (() => unknown)[] = []

afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

async function serve(options?: TestSmtpOptions): Promise<TestSmtp> {
  const server = await startSmtp(options)
  open.push(server.close)
  return server
}

function createMailer(...[options]: Parameters<typeof smtp>): SmtpMailer {
  const mailer = smtp(options)
  open.push(() => mailer.close())
  return mailer
}

/** Returns the error of an email that must fail; it contains no secret and has no cause. */
async function getError(options: SmtpOptions): Promise<MailError> {
  const error: unknown = await createMailer(options)
    .send(createSignInMail())
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'MailError' })
  const { message, cause } = error as MailError
  expect(cause).toBeUndefined()
  for (const secret of [auth.pass, auth.user, 'alice', link, '123456']) {
    expect(message).not.toContain(secret)
  }
  return error as MailError
}

describe('an email', () => {
  test('arrives unchanged in text and HTML', async () => {
    const server = await serve()
    const mail = createSignInMail({
      text: 'Grüße 👋\n.\n..dots\nFrom me\n',
      html: '<p>Grüße 👋 = ü</p>\n',
    })
    await createMailer(server.url).send(mail)
    const received = await server.mailTo('alice@example.com')
    expect(received.envelope).toEqual({ from: 'sign-in@app.example', to: ['alice@example.com'] })
    expect(received.subject).toBe('Sign in to app.example')
    expect(received.header('from')).toBe('Example <sign-in@app.example>')
    expect(received.header('to')).toBe('alice@example.com')
    expect(received.text.replaceAll('\r\n', '\n')).toBe(mail.text)
    expect(received.html.replaceAll('\r\n', '\n')).toBe(mail.html)
  })

  test('arrives with its link intact in text and HTML', async () => {
    const server = await serve()
    await createMailer(server.url).send(createSignInMail())
    const received = await server.mailTo('alice@example.com')
    expect(received.text).toContain(link)
    expect(received.html).toContain(link.replace('&', '&amp;'))
  })

  test('asks for no automatic reply and names no software', async () => {
    const server = await serve()
    await createMailer(server.url).send(createSignInMail())
    const received = await server.mailTo('alice@example.com')
    expect(received.header('auto-submitted')).toBe('auto-generated')
    expect(received.header('x-auto-response-suppress')).toBe('OOF, AutoReply')
    expect(received.header('content-type')).toMatch(/^multipart\/alternative;/)
    expect(received.header('message-id')).toMatch(/^<[^<>@\s]+@app\.example>$/)
    expect(received.header('date')).toMatch(/\+0000$/)
    expect(received.header('x-mailer')).toBeUndefined()
  })

  test('never reads a file or a URL as its text', async () => {
    const server = await serve()
    const file = { path: '/etc/hostname' } as unknown as string
    const refused = createMailer(server.url).send(createSignInMail({ text: file }))
    await expect(refused).rejects.toMatchObject({ name: 'MailError' })
    expect(server.messages).toEqual([])
  })

  test('is not changed by sending', async () => {
    const server = await serve()
    const mail = createSignInMail({ to: Object.freeze({ address: 'Bob@BÜCHER.example' }) })
    await createMailer(server.url).send(Object.freeze(mail))
    expect(mail.to).toEqual({ address: 'Bob@BÜCHER.example' })
  })
})

describe('TLS', () => {
  const trusted = (server: TestSmtp): SmtpOptions => ({
    host: server.host,
    port: server.port,
    auth,
    requireTls: true,
    tls: { ca: server.ca },
  })

  test('begins by STARTTLS before the password is sent', async () => {
    const server = await serve({ starttls: true, auth })
    await createMailer(trusted(server)).send(createSignInMail())
    const [mail] = server.messages
    expect(mail).toMatchObject({ secure: true, user: auth.user })
  })

  test('begins with the first byte', async () => {
    const server = await serve({ secure: true, auth })
    await createMailer({ ...trusted(server), secure: true }).send(createSignInMail())
    expect(server.messages).toMatchObject([{ secure: true, user: auth.user }])
  })

  test('is optional on loopback, with a URL as options', async () => {
    const server = await serve({ auth })
    const [user, pass] = [auth.user, auth.pass].map((text) => encodeURIComponent(text))
    await createMailer(`smtp://${user}:${pass}@127.0.0.1:${server.port}`).send(createSignInMail())
    await createMailer(new URL(`smtp://${user}:${pass}@localhost:${server.port}/`)).send(
      createSignInMail(),
    )
    expect(server.messages).toMatchObject([{ user: auth.user }, { user: auth.user }])
  })

  test.each([
    ['a self-signed certificate', {}, /self-signed certificate/],
    ['a certificate for another host name', { servername: 'mail.example' }, /mail\.example/],
  ])('refuses %s before the password is sent', async (_, tls, words) => {
    const server = await serve({ secure: true, auth })
    const { ca } = server
    const options = {
      ...trusted(server),
      secure: true,
      tls: 'servername' in tls ? { ca, ...tls } : tls,
    }
    const error = await getError(options)
    expect(error.message).toMatch(words)
    expect(server.messages).toEqual([])
  })

  test('refuses a self-signed certificate after STARTTLS', async () => {
    const server = await serve({ starttls: true, auth })
    const { code, message } = await getError({ ...trusted(server), tls: {} })
    expect([code, message]).toEqual(['ESOCKET', expect.stringContaining('self-signed')])
    expect(server.messages).toEqual([])
  })

  test('fails before the password is sent if an attacker removes STARTTLS', async () => {
    const server = await serve({ starttls: true, auth })
    const { port, received } = await stripStarttls(server.port)
    const { code } = await getError({ ...trusted(server), port })
    expect(code).toBe('ETLS')
    expect(received()).not.toMatch(/AUTH PLAIN|MAIL FROM|alice/)
    expect(server.messages).toEqual([])
  })

  // 127.0.0.2 is on this machine, but the mailer does not treat it as loopback.
  test.runIf(process.platform === 'linux')('is required by default off loopback', async () => {
    const server = await serve({ host: '127.0.0.2' })
    const { code } = await getError({ host: server.host, port: server.port })
    expect(code).toBe('ETLS')
    await createMailer({ host: server.host, port: server.port, requireTls: false }).send(
      createSignInMail(),
    )
    await createMailer(`${server.url}?requireTls=false`).send(createSignInMail())
    expect(server.messages).toHaveLength(2)
  })

  test('is not tried on loopback, since a local server has a self-signed certificate', async () => {
    const server = await serve({ starttls: true })
    await createMailer(server.url).send(createSignInMail())
    expect(server.messages).toMatchObject([{ secure: false }])
  })
})

describe('a refusal', () => {
  test('of the password is reported without it', async () => {
    const server = await serve({ auth })
    const { host, port } = server
    const wrong = { user: auth.user, pass: 'wrong-Pass-1' }
    const error = await getError({ host, port, auth: wrong })
    expect(error).toMatchObject({ code: 'EAUTH', status: 535 })
    expect(error.message).not.toContain(wrong.pass)
    expect(error.message).toMatch(/: 535 no …:… … here$/)
    expect(error.message).toMatch(/^127\.0\.0\.1:\d+: the server refused user and password \(EAUTH/)
  })

  test.each([
    ['connect', 554, 'EPROTOCOL'],
    ['mail', 550, 'EENVELOPE'],
    ['rcpt', 550, 'EENVELOPE'],
    ['data', 554, 'EMESSAGE'],
  ] as const)('at %s is reported with its status', async (at, status, code) => {
    const message = `5.7.1 <alice@example.com> ${link} 123456 Sign in to app.example is spam`
    const { host, port } = await serve({ fail: { at, status, message } })
    const error = await getError({ host, port })
    expect(error).toMatchObject({ status, code })
    expect(error.message).toContain(`${status} 5.7.1 <<email>> <url> … … is spam`)
  })

  test('of one email leaves the connection open for the next one', async () => {
    const fail = { at: 'rcpt' as const, status: 550 }
    const server = await serve({ fail })
    const mailer = createMailer(server.url)
    for (let i = 0; i < 9; i++) await expect(mailer.send(createSignInMail())).rejects.toThrow('550')
    // The second one comes while the first one is being reset.
    expect(server.connections()).toBeLessThanOrEqual(2)
  })
})

describe('a server that does not respond', () => {
  test('because it does not listen', async () => {
    const server = await startSmtp()
    await server.close()
    const { code, message } = await getError({ host: server.host, port: server.port })
    expect([code, message]).toEqual(['ESOCKET', expect.stringContaining('ECONNREFUSED')])
  })

  test('because its host does not exist', async () => {
    const { code } = await getError({ host: 'nowhere.invalid', timeouts: { connection: 3 } })
    expect(['EDNS', 'ETIMEDOUT']).toContain(code)
  })

  test('with a greeting', async () => {
    const port = await listen(createServer(() => undefined))
    const timeouts = { greeting: 0.2 }
    const started = performance.now()
    const { code } = await getError({ host: '127.0.0.1', port, timeouts })
    expect(code).toBe('ETIMEDOUT')
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('in time, but line by line', async () => {
    const port = await listen(
      createServer((socket) => {
        const timer = setInterval(() => socket.write('220-still here\r\n'), 50)
        socket.on('error', () => undefined).on('close', () => clearInterval(timer))
      }),
    )
    const timeouts = { sending: 0.4 }
    const { code, message } = await getError({ host: '127.0.0.1', port, timeouts })
    expect([code, message]).toEqual(['EABORT', expect.stringContaining('sending took too long')])
  })

  test('because it closes every connection', async () => {
    const port = await listen(createServer((socket) => socket.destroy()))
    const { message } = await getError({ host: '127.0.0.1', port })
    expect(message).toMatch(/connection/i)
  })
})

describe('connections', () => {
  test('are reused', async () => {
    const server = await serve()
    const mailer = createMailer(server.url)
    for (let i = 0; i < 5; i++) await mailer.send(createSignInMail())
    expect([server.messages.length, server.connections()]).toEqual([5, 1])
  })

  test('are not reused without a pool', async () => {
    const server = await serve()
    const mailer = createMailer({ host: server.host, port: server.port, pool: false })
    for (let i = 0; i < 3; i++) await mailer.send(createSignInMail())
    expect([server.messages.length, server.connections()]).toEqual([3, 3])
  })

  test('are at most five for 50 simultaneous emails, each to its own recipient', async () => {
    const server = await serve()
    const mailer = createMailer(server.url)
    const addresses = Array.from({ length: 50 }, (_, i) => `user-${i}@example.com`)
    await Promise.all(
      addresses.map((address) => mailer.send(createSignInMail({ to: { address }, text: address }))),
    )
    expect(server.connections()).toBeLessThanOrEqual(5)
    const pairs = server.messages.map(({ envelope, text }) => [envelope.to.join(), text.trim()])
    expect(pairs.map(String).toSorted()).toEqual(
      addresses.map((address) => `${address},${address}`).toSorted(),
    )
  })

  test('send nothing after close', async () => {
    const server = await serve()
    const mailer = createMailer(server.url)
    await mailer.send(createSignInMail())
    mailer.close()
    await expect(mailer.send(createSignInMail())).rejects.toMatchObject({ name: 'MailError' })
    expect(server.messages).toHaveLength(1)
  })
})

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Starts a proxy that overwrites STARTTLS in the server's offer and in the client's command. */
async function stripStarttls(target: number): Promise<{ port: number; received: () => string }> {
  let received = ''
  const stripped = (bytes: Buffer): Buffer =>
    Buffer.from(bytes.toString('latin1').replaceAll('STARTTLS', 'X-NOTHING'), 'latin1')
  const port = await listen(
    createServer((client) => {
      const server = connect(target, '127.0.0.1').on('error', () => undefined)
      client.on('data', (bytes) => (received += bytes.toString('latin1')))
      client.on('data', (bytes) => server.write(stripped(bytes)))
      server.on('data', (bytes) => client.write(stripped(bytes)))
      server.on('close', () => client.destroy())
      client.on('close', () => server.destroy())
    }),
  )
  return { port, received: () => received }
}

describe('verify', () => {
  test('authenticates and sends nothing', async () => {
    const server = await serve({ auth })
    const { user, pass } = auth
    await createMailer({ host: server.host, port: server.port, auth: { user, pass } }).verify()
    expect(server.messages).toEqual([])
  })

  test('rejects if the server refuses the password, without it', async () => {
    const server = await serve({ auth })
    const wrong = { user: auth.user, pass: 'another password' }
    const mailer = createMailer({ host: server.host, port: server.port, auth: wrong })
    const error: unknown = await mailer.verify().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'MailError', code: 'EAUTH' })
    expect((error as MailError).message).not.toContain(wrong.pass)
  })
})
