/** An email that a library has handed to its mail server. */
export interface Mail {
  /** The mailboxes that the mail server delivers it to. */
  readonly recipients: readonly string[]
  readonly text: string
  /** What the library took for an email address. */
  readonly address: string
}

/** The emails of a subject, in order. */
export class Mails {
  readonly #mails: Mail[] = []

  /** Keeps an email to one email address, which a mail server may read as several mailboxes. */
  receive(address: string, text: string, recipients: readonly string[] = [address]): void {
    this.#mails.push({ address, text, recipients })
  }

  get all(): readonly Mail[] {
    return this.#mails
  }

  /** Whether a mailbox got an email. */
  hasMail(recipient: string): boolean {
    return this.#mails.some(({ recipients }) => recipients.includes(recipient))
  }

  /**
   * Returns the first URL of the newest email to a mailbox.
   *
   * @throws Error if there is no such email
   */
  getLink(recipient: string): string {
    return this.#find(recipient, /https?:\S+/)
  }

  /**
   * Returns the code of the newest email to a mailbox.
   *
   * @throws Error if there is no such email
   */
  getCode(recipient: string): string {
    return this.#find(recipient, /^\d{6,8}$/m)
  }

  #find(recipient: string, pattern: RegExp): string {
    const mail = this.#mails.findLast(({ recipients }) => recipients.includes(recipient))
    const [found] = pattern.exec(mail?.text ?? '') ?? []
    if (found === undefined) throw new Error(`expected an email to ${recipient}, found none`)
    return found
  }
}
