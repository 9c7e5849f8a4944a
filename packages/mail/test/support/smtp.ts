/** A real SMTP server that records its emails, for every test that sends email. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server'
import { getSelfSigned } from '@latchkey/test-support/certificate'
import { parseMime } from './mime.ts'
import type { ParsedMime } from './mime.ts'

export interface TestSmtpOptions {
  /** Whether STARTTLS is offered. Default: false */
  readonly starttls?: boolean
  /** Whether TLS begins with the first byte. Default: false */
  readonly secure?: boolean
  /** The only account that may send. Default: none, AUTH is not offered */
  readonly auth?: { readonly user: string; readonly pass: string }
  /** Refuses at this step. Default: with status 550 */
  readonly fail?: {
    readonly at: 'connect' | 'mail' | 'rcpt' | 'data'
    readonly status?: number
    readonly message?: string
  }
  /** The IP address to listen on. Default: 127.0.0.1 */
  readonly host?: string
}

/** An email as it arrived. */
export interface ReceivedMail extends ParsedMime {
  readonly envelope: { readonly from: string; readonly to: readonly string[] }
  /** The user of AUTH. */
  readonly user: string | undefined
  /** Whether it arrived over TLS. */
  readonly secure: boolean
  readonly raw: string
}

export interface TestSmtp extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** `smtp://127.0.0.1:…`, without user and password */
  readonly url: string
  /** The server's self-signed certificate for localhost and 127.0.0.1, in PEM; empty without TLS. */
  readonly ca: string
  readonly messages: readonly ReceivedMail[]
  /** Returns the number of connections so far. */
  readonly connections: () => number
  /** Resolves with the first email to an email address, which may have arrived already. */
  readonly mailTo: (address: string) => Promise<ReceivedMail>
  readonly close: () => Promise<void>
}

/** Starts a server on loopback with a free port. */
export async function startSmtp(options: TestSmtpOptions = {}): Promise<TestSmtp> {
  const { host = '127.0.0.1', secure = false, starttls = false } = options
  const tls = secure || starttls ? getSelfSigned() : undefined
  const messages: ReceivedMail[] = []
  const waiting = new Set<() => void>()
  let connections = 0
  const server = new SMTPServer({
    ...createHandlers(options, {
      connected: () => connections++,
      received: (mail) => {
        messages.push(mail)
        for (const check of waiting) check()
      },
    }),
    ...(tls && { key: tls.key, cert: tls.certificate }),
    secure,
    logger: false,
    closeTimeout: 100,
    authOptional: !options.auth,
    allowInsecureAuth: true,
    disabledCommands: [...(starttls ? [] : ['STARTTLS']), ...(options.auth ? [] : ['AUTH'])],
  })
  server.on('error', () => undefined) // some tests close connections in the handshake
  server.listen(0, host)
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const close = (): Promise<void> => new Promise((resolve) => server.close(resolve))
  return {
    host,
    port,
    url: `${secure ? 'smtps' : 'smtp'}://${host}:${port}`,
    ca: tls?.certificate ?? '',
    messages,
    connections: () => connections,
    mailTo: (address) =>
      new Promise((resolve) => {
        const check = (): void => {
          const mail = messages.find(({ envelope }) => envelope.to.includes(address))
          if (!mail) return
          waiting.delete(check)
          resolve(mail)
        }
        waiting.add(check)
        check()
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface Listeners {
  readonly connected: () => void
  readonly received: (mail: ReceivedMail) => void
}

function createHandlers({ auth, fail }: TestSmtpOptions, { connected, received }: Listeners) {
  const errorAt = (step: string): Error | null => {
    if (fail?.at !== step) return null
    const { status = 550, message = 'refused by the test' } = fail
    return Object.assign(new Error(message), { responseCode: status })
  }
  return {
    onConnect(_, done) {
      connected()
      done(errorAt('connect'))
    },
    onAuth({ username, password }, _, done) {
      if (username === auth?.user && password === auth?.pass) return done(null, { user: username })
      // Some servers repeat the credentials in their reply, which must not reach the log.
      const sent = Buffer.from(`\0${username}\0${password}`).toString('base64')
      const message = `no ${username}:${password} ${sent} here`
      return done(Object.assign(new Error(message), { responseCode: 535 }))
    },
    onMailFrom: (_address, _session, done) => done(errorAt('mail')),
    onRcptTo: (_address, _session, done) => done(errorAt('rcpt')),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', done) // clients may close the connection
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('latin1')
        const error = errorAt('data')
        if (!error) received({ ...parseMime(raw), ...describeSession(session), raw })
        done(error)
      })
    },
  } satisfies SMTPServerOptions
}

function describeSession({ envelope, user, secure }: SMTPServerSession) {
  const { mailFrom, rcptTo } = envelope
  return {
    envelope: { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) },
    user: typeof user === 'string' ? user : undefined,
    secure,
  }
}
