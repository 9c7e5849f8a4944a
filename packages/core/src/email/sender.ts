import type { MailAddress } from '../ports/mailer.ts'
import { parseEmailAddress } from './email-address.ts'

/** What is wrong with a sender that {@link parseSender} does not accept. */
export const senderProblem = 'must be an email address, or a name with one in angle brackets'

/** Parses `Name <local@domain>`, or only an email address; undefined if the sender has no valid one. */
export function parseSender(sender: string | MailAddress): MailAddress | undefined {
  const from = typeof sender === 'string' ? parseText(sender) : sender
  const isValid = typeof from?.address === 'string' && parseEmailAddress(from.address) !== undefined
  return isValid ? from : undefined
}

function parseText(text: string): MailAddress {
  const [, name, address] = /^\s*"?([^"<>]*?)"?\s*<([^<>]+)>\s*$/.exec(text) ?? []
  if (address === undefined) return { address: text.trim() }
  return name ? { address, name } : { address }
}
