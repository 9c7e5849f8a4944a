import { cloudflare } from '@latchkey/mail/cloudflare'
import { consoleMailer } from '@latchkey/mail/console'
import type { Env } from './env.ts'

/** Creates what sends emails. "console" prints them in the terminal: for development only. */
export function createMailer(env: Env) {
  return env.AUTH_EMAIL_SERVER === 'console' ? consoleMailer() : cloudflare(env.MAIL)
}
