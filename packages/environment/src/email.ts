import type { Mailer } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import type { ConfiguredProvider } from './provider-row.ts'
import { readFlag, readText } from './values.ts'
import type { Variables } from './variables.ts'

/** How an application sends emails. */
export interface MailerSource {
  /** The variable or binding that the mailer is created from: its problems are reported under it. */
  readonly variable: string
  /** Whether it is a variable that, if it is set, asks for sign-in by email. Default: false */
  readonly isRequested?: boolean
  /** @throws ConfigurationError if the variable cannot be used */
  readonly createMailer: () => Mailer
}

/**
 * Reads sign-in by email: `AUTH_EMAIL_FROM`, `AUTH_EMAIL_CODE` and the mailer. Returns undefined if
 * none of them is set.
 */
export function readEmail(
  variables: Variables,
  { variable, isRequested = false, createMailer }: MailerSource,
): ConfiguredProvider | undefined {
  const from = readText(variables, 'AUTH_EMAIL_FROM')
  const code = readFlag(variables, 'AUTH_EMAIL_CODE')
  if (from === undefined && !code && !isRequested) return undefined
  const toVariable = (option: string): string =>
    option === 'providers.email.from' ? 'AUTH_EMAIL_FROM' : variable
  const mailer = variables.attempt(createMailer, toVariable)
  if (from === undefined) {
    variables.report(
      'AUTH_EMAIL_FROM',
      'is missing: set it to the sender, such as Example <sign-in@example.com>',
    )
  }
  if (!mailer || from === undefined) return { id: 'email', provider: undefined }
  return {
    id: 'email',
    provider: variables.attempt(() => email({ mailer, from, code }), toVariable),
  }
}
