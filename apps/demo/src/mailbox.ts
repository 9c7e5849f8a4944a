import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { ConfigurationError } from '@latchkey/core'
import type { RunningServer } from '@latchkey/node'

/** An email that was received. */
export interface ReceivedMail {
  readonly to: string
  readonly from: string
  readonly subject: string
  readonly text: string
}

/** A real SMTP server that delivers every email to one mailbox. */
export interface Mailbox extends RunningServer {
  /** Newest first. */
  readonly mails: readonly ReceivedMail[]
}

const MAX_MAILS = 20
/** Bytes. */
const MAX_SIZE = 100_000

/** Stores an email, and reports to the server whether it could be parsed. */
async function receive(
  stream: Readable,
  mails: ReceivedMail[],
  done: (error?: Error) => void,
): Promise<void> {
  try {
    const mail = await PostalMime.parse(await buffer(stream))
    const { to = [], from, subject = '', text = '' } = mail
    mails.unshift({ to: to[0]?.address ?? '', from: from?.address ?? '', subject, text })
    mails.splice(MAX_MAILS)
    done()
  } catch (thrown) {
    done(thrown instanceof Error ? thrown : new Error(String(thrown)))
  }
}

/**
 * Starts the server on localhost.
 *
 * @throws ConfigurationError `MAIL_PORT` if the port is taken
 */
export async function openMailbox(port: number): Promise<Mailbox> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    // The connection does not leave this machine.
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: MAX_SIZE,
    onData(stream, _session, done) {
      void receive(stream, mails, done)
    },
  })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, 'localhost', resolve)
    })
  } catch {
    throw new ConfigurationError('MAIL_PORT', `port ${port} is taken by another program`)
  }
  const stop = (): Promise<boolean> => new Promise((resolve) => server.close(() => resolve(true)))
  return { mails, url: `smtp://localhost:${port}`, stop }
}
