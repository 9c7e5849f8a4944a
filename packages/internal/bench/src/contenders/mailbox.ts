import type { Mailer } from '@latchkey/core'
import { claims } from './contender.ts'

/** Collects the sign-in links of emails, by recipient. */
export class Mailbox implements Mailer {
  readonly #links = new Map<string, string>()
  #requests = 0
  /** The number of emails that were received. */
  received = 0

  /** Returns an email address that no request had before: limits count by email address. */
  createRecipient(): string {
    this.#requests += 1
    return `${this.#requests}.${claims.email}`
  }

  async send({ to, text }: Parameters<Mailer['send']>[0]): Promise<void> {
    this.receive(to.address, /https?:\S+/.exec(text)?.[0] ?? '')
  }

  receive(recipient: string, link: string): void {
    this.received += 1
    this.#links.set(recipient, link)
  }

  /** Removes a link and returns it; an empty one if no email was sent. */
  take(recipient: string): string {
    const link = this.#links.get(recipient) ?? ''
    this.#links.delete(recipient)
    return link
  }
}
