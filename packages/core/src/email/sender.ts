import { ConfigurationError } from '../lib/errors.ts'
import { checkCalled } from '../lib/called-function.ts'
import type { MailAddress, Mailer } from '../ports/mailer.ts'
import { parseEmailAddress } from './email-address.ts'

/** How emails are sent. */
interface MailOptions {
  readonly mailer: Mailer
  /** The sender: `local@domain`, `Name <local@domain>`, or both parts as an object. */
  readonly from: string | MailAddress
}

/**
 * Checks how emails are sent, and returns the sender.
 *
 * @param option What the options are of, such as `providers.email`
 * @throws ConfigurationError naming `mailer` or `from`
 */
export function checkMailOptions(option: string, { mailer, from }: MailOptions): MailAddress {
  checkCalled(`${option}.mailer`, mailer)
  if (typeof mailer?.send !== 'function') {
    throw new ConfigurationError(`${option}.mailer`, 'must have the function send')
  }
  const sender = typeof from === 'string' ? parseText(from) : from
  if (typeof sender?.address === 'string' && parseEmailAddress(sender.address)) return sender
  const problem = 'must be an email address, or a name with one in angle brackets'
  throw new ConfigurationError(`${option}.from`, problem)
}

function parseText(text: string): MailAddress {
  const [, name, address] = /^\s*"?([^"<>]*?)"?\s*<([^<>]+)>\s*$/.exec(text) ?? []
  if (address === undefined) return { address: text.trim() }
  return name ? { address, name } : { address }
}
