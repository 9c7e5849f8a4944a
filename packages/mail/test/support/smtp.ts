/** A real SMTP server that keeps what it is sent: for every test that sends mail. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server'
import { selfSigned } from './certificate.ts'
import { parseMime } from './mime.ts'
import type { ParsedMime } from './mime.ts'

export interface TestSmtpOptions {
  /** STARTTLS is offered. */
  readonly starttls?: boolean
  /** TLS from the first byte on. */
  readonly secure?: boolean
  /** Whom it serves; without it everybody, and AUTH is not offered. */
  readonly auth?: { readonly user: string; readonly pass: string }
  /** Refuses at this step, in these words. */
  readonly fail?: {
    readonly at: 'connect' | 'mail' | 'rcpt' | 'data'
    readonly status?: number
    readonly message?: string
  }
  /** The address to listen at. Default: 127.0.0.1 */
  readonly host?: string
}

/** One mail as it arrived. */
export interface ReceivedMail extends ParsedMime {
  readonly envelope: { readonly from: string; readonly to: readonly string[] }
  /** Who had signed in. */
  readonly user: string | undefined
  /** Whether it came over TLS. */
  readonly secure: boolean
  readonly raw: string
}

export interface TestSmtp extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** `smtp://127.0.0.1:…`, without user and password */
  readonly url: string
  /** The server's own certificate, for those who are to trust it: for localhost and 127.0.0.1. */
  readonly ca: string
  readonly messages: readonly ReceivedMail[]
  /** Connections made so far. */
  readonly connections: () => number
  /** Resolves with the first mail to an address, which may have arrived already. */
  readonly mailTo: (address: string) => Promise<ReceivedMail>
  readonly close: () => Promise<void>
}

/** Starts a server on loopback, at a port of its own. */
export async function startSmtp(options: TestSmtpOptions = {}): Promise<TestSmtp> {
  const { host = '127.0.0.1', secure = false, starttls = false } = options
  const tls = secure || starttls ? selfSigned() : undefined
  const messages: ReceivedMail[] = []
  const waiting = new Set<() => void>()
  let connections = 0
  const server = new SMTPServer({
    ...steps(options, {
      connected: () => connections++,
      received: (mail) => {
        messages.push(mail)
        for (const look of waiting) look()
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
  server.on('error', () => undefined) // clients that hang up in a handshake are what some tests are about
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
        const look = (): void => {
          const mail = messages.find(({ envelope }) => envelope.to.includes(address))
          if (!mail) return
          waiting.delete(look)
          resolve(mail)
        }
        waiting.add(look)
        look()
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface Listeners {
  readonly connected: () => void
  readonly received: (mail: ReceivedMail) => void
}

function steps({ auth, fail }: TestSmtpOptions, { connected, received }: Listeners) {
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
      // Some servers repeat what they were given: no log may have it.
      const sent = Buffer.from(`\0${username}\0${password}`).toString('base64')
      const said = `no ${username}:${password} ${sent} here`
      return done(Object.assign(new Error(said), { responseCode: 535 }))
    },
    onMailFrom: (_address, _session, done) => done(errorAt('mail')),
    onRcptTo: (_address, _session, done) => done(errorAt('rcpt')),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', done) // clients may hang up in the middle
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('latin1')
        const error = errorAt('data')
        if (!error) received({ ...parseMime(raw), ...circumstances(session), raw })
        done(error)
      })
    },
  } satisfies SMTPServerOptions
}

function circumstances({ envelope, user, secure }: SMTPServerSession) {
  const { mailFrom, rcptTo } = envelope
  return {
    envelope: { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) },
    user: typeof user === 'string' ? user : undefined,
    secure,
  }
}
