import { ConfigurationError } from '@latchkey/core'
import type { Provider } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import { smtp } from '@latchkey/mail/smtp'
import { read, readFlag } from './variables.ts'
import type { Environment } from './variables.ts'

/** The variables that {@link readEmail} knows. */
export const emailVariables: readonly string[] = [
  'AUTH_EMAIL_SERVER',
  'AUTH_EMAIL_FROM',
  'AUTH_EMAIL_CODE',
]

/** What core and the mailer name, and the variable that it came from. */
const variables: Readonly<Record<string, string>> = { 'providers.email.from': 'AUTH_EMAIL_FROM' }

/**
 * Sign-in by e-mail, where `AUTH_EMAIL_SERVER` is set.
 *
 * @throws ConfigurationError where a variable is missing or cannot be used
 */
export function readEmail(env: Environment): Provider | undefined {
  const server = read(env, 'AUTH_EMAIL_SERVER')
  const from = read(env, 'AUTH_EMAIL_FROM')
  const code = readFlag(env, 'AUTH_EMAIL_CODE')
  if (server === undefined && from === undefined && !code) return undefined
  if (server === undefined) throw missing('AUTH_EMAIL_SERVER', 'smtp://user:password@host:587')
  if (from === undefined) throw missing('AUTH_EMAIL_FROM', 'Example <sign-in@example.com>')
  try {
    return email({ mailer: smtp(server), from, code })
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    throw new ConfigurationError(variables[thrown.option] ?? 'AUTH_EMAIL_SERVER', thrown.problem)
  }
}

function missing(variable: string, example: string): ConfigurationError {
  return new ConfigurationError(variable, `is missing: such as ${example}`)
}
