import type { Mail, Mailer } from '@latchkey/core'

/** A mailer that keeps its emails, and the mailboxes that they arrive in. */
export interface Mailbox extends Mailer {
  /** All emails, in order. */
  readonly mails: readonly Mail[]
  /**
   * Resolves to the latest email to an email address; waits for the first one.
   *
   * @throws Error if none arrives within five seconds
   */
  readonly mailTo: (address: string) => Promise<Mail>
  /**
   * Resolves to the sign-in link of the latest email to an email address.
   *
   * @throws Error if none arrives within five seconds, or if the email has no link
   */
  readonly linkTo: (address: string) => Promise<string>
}

/** Milliseconds to wait for an email. */
const PATIENCE = 5000

/**
 * Creates a mailbox, for tests of sign-in by email.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { memoryStorage } from '@latchkey/core/memory'
 *   import { email } from '@latchkey/core/providers/email'
 *   import { Browser, createMailbox } from '@latchkey/testing'
 *
 *   const mailbox = createMailbox()
 *   const { handle } = createAuth({
 *     serviceUrl: 'https://app.example',
 *     secret: 'the secret of these tests has 32 bytes',
 *     storage: memoryStorage(),
 *     providers: [email({ mailer: mailbox, from: 'sign-in@app.example' })],
 *   })
 *   const browser = new Browser(handle, 'https://app.example/api/auth')
 *   await browser.submit('/signin/email', { email: 'alice@example.com' })
 *   await browser.visit(await mailbox.linkTo('alice@example.com'))
 */
export function createMailbox(): Mailbox {
  const mails: Mail[] = []
  const waiting = new Set<() => void>()
  const find = (address: string): Mail | undefined =>
    mails.findLast(({ to }) => to.address === address)
  const mailTo = async (address: string): Promise<Mail> => {
    const end = Date.now() + PATIENCE
    for (;;) {
      const mail = find(address)
      if (mail) return mail
      if (Date.now() >= end) throw new Error(`expected an email to ${address}, found none`)
      await waitForMail(waiting, end - Date.now())
    }
  }
  return {
    mails,
    async send(mail) {
      mails.push(mail)
      for (const wake of waiting) wake()
    },
    mailTo,
    linkTo: async (address) => findLink(await mailTo(address)),
  }
}

/** Resolves when the next email arrives, or after `limit` milliseconds. */
async function waitForMail(waiting: Set<() => void>, limit: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(wake, limit)
    function wake(): void {
      clearTimeout(timer)
      waiting.delete(wake)
      resolve()
    }
    waiting.add(wake)
  })
}

function findLink({ text }: Mail): string {
  const [link] = /https?:\/\/\S+\/callback\/\S+/.exec(text) ?? []
  if (link === undefined) throw new Error('expected a sign-in link in the email, found none')
  return link
}
