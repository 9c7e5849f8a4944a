import { claims } from './contender.ts'

/** Collects the sign-in links of emails, by recipient. */
export class Mailbox {
  readonly #links = new Map<string, string>()
  #requests = 0
  #received = 0

  /** The number of emails that were received. */
  get received(): number {
    return this.#received
  }

  /** Returns an email address that no request had before: limits count by email address. */
  createRecipient(): string {
    this.#requests += 1
    return `${this.#requests}.${claims.email}`
  }

  receive(recipient: string, link: string): void {
    this.#received += 1
    this.#links.set(recipient, link)
  }

  /**
   * Removes a link and returns it.
   *
   * @throws Error if no email was sent
   */
  take(recipient: string): string {
    const link = this.#links.get(recipient)
    if (link === undefined) throw new Error(`expected an email to ${recipient}, found none`)
    this.#links.delete(recipient)
    return link
  }
}
