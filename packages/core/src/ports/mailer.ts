/** A mailbox as structured data, so that no mailer has to parse text. */
export interface MailAddress {
  /** `local@domain` */
  readonly address: string
  readonly name?: string | undefined
}

/** One email. */
export interface Mail {
  readonly to: MailAddress
  readonly from: MailAddress
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Sends email. `@latchkey/mail` has implementations. */
export interface Mailer {
  /**
   * Resolves when the email has been accepted for delivery.
   *
   * @throws Error if it was not accepted
   */
  send(mail: Mail): Promise<void>
}

/** The brand of an email, which loads no logo. */
export interface MailBrand {
  readonly name: string
  /** The colour of the button. Default: the one of an unbranded page */
  readonly color?: string
  /** The text on it. Default: white */
  readonly colorText?: string
}
