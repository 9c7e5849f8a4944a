import type { Mailer } from '@latchkey/core'

/** Emails to one email address that are kept. */
const KEPT = 8

/** The latest emails to each email address, until it is emptied. */
export class Mailbox implements Mailer {
  readonly #texts = new Map<string, readonly string[]>()

  readonly send: Mailer['send'] = async ({ to, text }) => {
    const previous = this.#texts.get(to.address) ?? []
    this.#texts.set(to.address, [...previous.slice(1 - KEPT), text])
  }

  /** The number of email addresses with emails. */
  get size(): number {
    return this.#texts.size
  }

  /**
   * Returns the latest email to an email address that matches a pattern, as the pattern has matched it, and empties the
   * mailbox.
   *
   * @throws Error if there is none
   */
  take(address: string, pattern: RegExp): string {
    const matches = (this.#texts.get(address) ?? []).flatMap(
      (text) => pattern.exec(text)?.[0] ?? [],
    )
    const latest = matches.at(-1)
    if (latest === undefined) throw new Error(`expected an email with ${pattern.source}`)
    this.empty(address)
    return latest
  }

  /** Removes the emails to an email address. */
  empty(address: string): void {
    this.#texts.delete(address)
  }
}

/** The link of an email that signs in, or sets a password. */
export const callbackLink = /https:\S+\/callback\/\S+/
/** The link of an email about security. */
export const endSessionsLink = /https:\S+\/end-sessions\S+/
/** The code of an email that signs in. */
export const mailedCode = /^\d{8}$/m
