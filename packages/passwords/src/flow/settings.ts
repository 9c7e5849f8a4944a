import type { CapableProvider } from '@latchkey/core/capability'
import type { LinkHost, Awaitable } from '@latchkey/core/capability/options'
import type { PasswordMail } from './password-mail.ts'
import type { WrittenMail, MailAddress, Mailer } from '@latchkey/core'
import type { PasswordWork } from '../password-work.ts'

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
