import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { smtp } from '@latchkey/mail/smtp'
import type { MailError, SmtpMailer, SmtpOptions } from '@latchkey/mail/smtp'
import { afterEach, describe, expect, test } from 'vitest'
import { link, signInMail } from './support/mails.ts'
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

function mailerOf(...[options]: Parameters<typeof smtp>): SmtpMailer {
  const mailer = smtp(options)
  open.push(() => mailer.close())
  return mailer
}

/** The error of a sending that must fail. */
async function failureOf(options: SmtpOptions): Promise<MailError> {
  const error: unknown = await mailerOf(options)
    .send(signInMail())
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'MailError' })
  const { message, cause } = error as MailError
  expect(cause).toBeUndefined()
  for (const secret of [auth.pass, auth.user, 'alice', link, '123456']) {
    expect(message).not.toContain(secret)
  }
  return error as MailError
}

describe('a mail', () => {
  test('arrives as it was given, in text and in HTML', async () => {
    const server = await serve()
    const mail = signInMail({
      text: 'Grüße 👋\n.\n..dots\nFrom me\n',
      html: '<p>Grüße 👋 = ü</p>\n',
    })
    await mailerOf(server.url).send(mail)
    const received = await server.mailTo('alice@example.com')
    expect(received.envelope).toEqual({ from: 'sign-in@app.example', to: ['alice@example.com'] })
    expect(received.subject).toBe('Sign in to app.example')
    expect(received.header('from')).toBe('Example <sign-in@app.example>')
    expect(received.header('to')).toBe('alice@example.com')
    expect(received.text.replaceAll('\r\n', '\n')).toBe(mail.text)
    expect(received.html.replaceAll('\r\n', '\n')).toBe(mail.html)
  })

  test('its link survives whatever the encoding of the body', async () => {
    const server = await serve()
    await mailerOf(server.url).send(signInMail())
    const received = await server.mailTo('alice@example.com')
    expect(received.text).toContain(link)
    expect(received.html).toContain(link.replace('&', '&amp;'))
  })

  test('asks for no automatic answers, and names no software', async () => {
    const server = await serve()
    await mailerOf(server.url).send(signInMail())
    const received = await server.mailTo('alice@example.com')
    expect(received.header('auto-submitted')).toBe('auto-generated')
    expect(received.header('x-auto-response-suppress')).toBe('OOF, AutoReply')
    expect(received.header('content-type')).toMatch(/^multipart\/alternative;/)
    expect(received.header('message-id')).toMatch(/^<[^<>@\s]+@app\.example>$/)
    expect(received.header('date')).toMatch(/\+0000$/)
    expect(received.header('x-mailer')).toBeUndefined()
  })

  test('what looks like a file or an address stays text', async () => {
    const server = await serve()
    const odd = { path: '/etc/hostname' } as unknown as string
    const refused = mailerOf(server.url).send(signInMail({ text: odd }))
    await expect(refused).rejects.toMatchObject({ name: 'MailError' })
    expect(server.messages).toEqual([])
  })

  test('is not changed by sending it', async () => {
    const server = await serve()
    const mail = signInMail({ to: Object.freeze({ address: 'Bob@BÜCHER.example' }) })
    await mailerOf(server.url).send(Object.freeze(mail))
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

  test('by STARTTLS, and the password after it', async () => {
    const server = await serve({ starttls: true, auth })
    await mailerOf(trusted(server)).send(signInMail())
    const [mail] = server.messages
    expect(mail).toMatchObject({ secure: true, user: auth.user })
  })

  test('from the first byte on', async () => {
    const server = await serve({ secure: true, auth })
    await mailerOf({ ...trusted(server), secure: true }).send(signInMail())
    expect(server.messages).toMatchObject([{ secure: true, user: auth.user }])
  })

  test('a URL says the same', async () => {
    const server = await serve({ auth })
    const [user, pass] = [auth.user, auth.pass].map((text) => encodeURIComponent(text))
    await mailerOf(`smtp://${user}:${pass}@127.0.0.1:${server.port}`).send(signInMail())
    await mailerOf(new URL(`smtp://${user}:${pass}@localhost:${server.port}/`)).send(signInMail())
    expect(server.messages).toMatchObject([{ user: auth.user }, { user: auth.user }])
  })

  test.each([
    ['a self-signed certificate', {}, /self-signed certificate/],
    ['the certificate of another name', { servername: 'mail.example' }, /mail\.example/],
  ])('%s is refused before the password is sent', async (_, tls, words) => {
    const server = await serve({ secure: true, auth })
    const { ca } = server
    const options = {
      ...trusted(server),
      secure: true,
      tls: 'servername' in tls ? { ca, ...tls } : tls,
    }
    const error = await failureOf(options)
    expect(error.message).toMatch(words)
    expect(server.messages).toEqual([])
  })

  test('a certificate must be right with STARTTLS too', async () => {
    const server = await serve({ starttls: true, auth })
    const { code, message } = await failureOf({ ...trusted(server), tls: {} })
    expect([code, message]).toEqual(['ESOCKET', expect.stringContaining('self-signed')])
    expect(server.messages).toEqual([])
  })

  test('STARTTLS taken away by somebody in the middle ends it, before the password', async () => {
    const server = await serve({ starttls: true, auth })
    const { port, heard } = await stripStarttls(server.port)
    const { code } = await failureOf({ ...trusted(server), port })
    expect(code).toBe('ETLS')
    expect(heard()).not.toMatch(/AUTH PLAIN|MAIL FROM|alice/)
    expect(server.messages).toEqual([])
  })

  // 127.0.0.2 is nobody else's either, but is not among the names of loopback.
  test.runIf(process.platform === 'linux')('off loopback it is required by default', async () => {
    const server = await serve({ host: '127.0.0.2' })
    const { code } = await failureOf({ host: server.host, port: server.port })
    expect(code).toBe('ETLS')
    await mailerOf({ host: server.host, port: server.port, requireTls: false }).send(signInMail())
    await mailerOf(`${server.url}?requireTls=false`).send(signInMail())
    expect(server.messages).toHaveLength(2)
  })

  test('on loopback it is not tried: a local server has a certificate of its own making', async () => {
    const server = await serve({ starttls: true })
    await mailerOf(server.url).send(signInMail())
    expect(server.messages).toMatchObject([{ secure: false }])
  })
})

describe('a server that refuses', () => {
  test('the password', async () => {
    const server = await serve({ auth })
    const { host, port } = server
    const wrong = { user: auth.user, pass: 'wrong-Pass-1' }
    const error = await failureOf({ host, port, auth: wrong })
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
  ] as const)('at %s', async (at, status, code) => {
    const message = `5.7.1 <alice@example.com> ${link} 123456 Sign in to app.example is spam`
    const { host, port } = await serve({ fail: { at, status, message } })
    const error = await failureOf({ host, port })
    expect(error).toMatchObject({ status, code })
    expect(error.message).toContain(`${status} 5.7.1 <<address>> <link> … … is spam`)
  })

  test('one mail, and takes the next ones over the connections there are', async () => {
    const fail = { at: 'rcpt' as const, status: 550 }
    const server = await serve({ fail })
    const mailer = mailerOf(server.url)
    for (let i = 0; i < 9; i++) await expect(mailer.send(signInMail())).rejects.toThrow('550')
    // The second one comes while the first one is being reset.
    expect(server.connections()).toBeLessThanOrEqual(2)
  })
})

describe('a server that is not there, or as good as that', () => {
  test('nobody listens', async () => {
    const server = await startSmtp()
    await server.close()
    const { code, message } = await failureOf({ host: server.host, port: server.port })
    expect([code, message]).toEqual(['ESOCKET', expect.stringContaining('ECONNREFUSED')])
  })

  test('a host that does not exist', async () => {
    const { code } = await failureOf({ host: 'nowhere.invalid', timeouts: { connection: 3 } })
    expect(['EDNS', 'ETIMEDOUT']).toContain(code)
  })

  test('it never greets', async () => {
    const port = await listen(createServer(() => undefined))
    const timeouts = { greeting: 0.2 }
    const started = performance.now()
    const { code } = await failureOf({ host: '127.0.0.1', port, timeouts })
    expect(code).toBe('ETIMEDOUT')
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('it answers a word at a time: the whole sending has an end', async () => {
    const port = await listen(
      createServer((socket) => {
        const timer = setInterval(() => socket.write('220-still here\r\n'), 50)
        socket.on('error', () => undefined).on('close', () => clearInterval(timer))
      }),
    )
    const timeouts = { sending: 0.4 }
    const { code, message } = await failureOf({ host: '127.0.0.1', port, timeouts })
    expect([code, message]).toEqual(['EABORT', expect.stringContaining('sending took too long')])
  })

  test('it hangs up on everybody', async () => {
    const port = await listen(createServer((socket) => socket.destroy()))
    const { message } = await failureOf({ host: '127.0.0.1', port })
    expect(message).toMatch(/connection/i)
  })
})

describe('connections', () => {
  test('are used again', async () => {
    const server = await serve()
    const mailer = mailerOf(server.url)
    for (let i = 0; i < 5; i++) await mailer.send(signInMail())
    expect([server.messages.length, server.connections()]).toEqual([5, 1])
  })

  test('or not, without a pool', async () => {
    const server = await serve()
    const mailer = mailerOf({ host: server.host, port: server.port, pool: false })
    for (let i = 0; i < 3; i++) await mailer.send(signInMail())
    expect([server.messages.length, server.connections()]).toEqual([3, 3])
  })

  test('50 mails at once go over five, each to its own recipient', async () => {
    const server = await serve()
    const mailer = mailerOf(server.url)
    const people = Array.from({ length: 50 }, (_, i) => `person-${i}@example.com`)
    await Promise.all(
      people.map((address) => mailer.send(signInMail({ to: { address }, text: address }))),
    )
    expect(server.connections()).toBeLessThanOrEqual(5)
    const pairs = server.messages.map(({ envelope, text }) => [envelope.to.join(), text.trim()])
    expect(pairs.map(String).toSorted()).toEqual(people.map((one) => `${one},${one}`).toSorted())
  })

  test('after close nothing is sent', async () => {
    const server = await serve()
    const mailer = mailerOf(server.url)
    await mailer.send(signInMail())
    mailer.close()
    await expect(mailer.send(signInMail())).rejects.toMatchObject({ name: 'MailError' })
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

/** Somebody between client and server who writes over STARTTLS in the offer and in the command. */
async function stripStarttls(target: number): Promise<{ port: number; heard: () => string }> {
  let heard = ''
  const stripped = (bytes: Buffer): Buffer =>
    Buffer.from(bytes.toString('latin1').replaceAll('STARTTLS', 'X-NOTHING'), 'latin1')
  const port = await listen(
    createServer((client) => {
      const server = connect(target, '127.0.0.1').on('error', () => undefined)
      client.on('data', (bytes) => (heard += bytes.toString('latin1')))
      client.on('data', (bytes) => server.write(stripped(bytes)))
      server.on('data', (bytes) => client.write(stripped(bytes)))
      server.on('close', () => client.destroy())
      client.on('close', () => server.destroy())
    }),
  )
  return { port, heard: () => heard }
}
