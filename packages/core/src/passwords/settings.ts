import type { CapableProvider } from '../kernel/context.ts'
import type { LinkHost } from '../email/link-host.ts'
import type { PasswordMail } from '../email/password-mail.ts'
import type { WrittenMail } from '../email/sign-in-mail.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { MailAddress, Mailer } from '../ports/mailer.ts'
import type { PasswordWork } from '../ports/password.ts'

/** The provider of passwords, with its options checked. */
export interface PasswordSettings {
  readonly provider: CapableProvider
  readonly mailer: Mailer
  readonly from: MailAddress
  /** Seconds until a link expires. */
  readonly maxAge: number
  readonly linkHost: LinkHost | undefined
  /** Whether a new user is asked for a name. */
  readonly asksName: boolean
  readonly write: (mail: PasswordMail) => Awaitable<WrittenMail>
  readonly work: PasswordWork
}

/** The forms of the provider, by the value of `action`. */
export type PasswordAction = 'register' | 'forgot' | 'change'

/** Returns the form that a text names. */
export function toAction(text: string | undefined): PasswordAction | undefined {
  return text === 'register' || text === 'forgot' || text === 'change' ? text : undefined
}
