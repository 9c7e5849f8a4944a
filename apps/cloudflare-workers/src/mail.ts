import { ConfigurationError } from '@latchkey/core'
import type { Provider } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import { cloudflare } from '@latchkey/mail/cloudflare'
import type { SendEmail } from '@latchkey/mail/cloudflare'
import { read, readFlag } from './variables.ts'
import type { Variables } from './variables.ts'

/** The variables that {@link readEmail} knows. */
export const emailVariables: readonly string[] = ['AUTH_EMAIL_FROM', 'AUTH_EMAIL_CODE']

/** A binding of the kind `send_email`. */
export interface MailEnv extends Variables {
  readonly MAIL?: SendEmail | undefined
}

/**
 * Sign-in by e-mail, where `AUTH_EMAIL_FROM` is set. The binding alone means nothing: it costs
 * nothing to have it in wrangler.jsonc.
 *
 * @throws ConfigurationError where a variable or the binding is missing or cannot be used
 */
export function readEmail(env: MailEnv): Provider | undefined {
  const from = read(env, 'AUTH_EMAIL_FROM')
  const code = readFlag(env, 'AUTH_EMAIL_CODE')
  if (from === undefined && !code) return undefined
  if (from === undefined) {
    throw new ConfigurationError('AUTH_EMAIL_FROM', 'is missing: such as sign-in@example.com')
  }
  const mailer = cloudflare(mailBinding(env))
  try {
    return email({ mailer, from, code })
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    throw new ConfigurationError('AUTH_EMAIL_FROM', thrown.problem)
  }
}

function mailBinding({ MAIL }: MailEnv): SendEmail {
  if (typeof MAIL?.send === 'function') return MAIL
  throw new ConfigurationError('MAIL', 'must be a binding of the kind send_email')
}
