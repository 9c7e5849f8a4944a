import type { Mail, MailAddress } from '@latchkey/core'
import { MailError } from './mail-error.ts'
import { toAsciiDomain } from '@latchkey/core/unstable'

/** The headers of every email: they ask for no automatic reply (RFC 3834 §5, and Exchange's own). */
export const commonHeaders: Readonly<Record<string, string>> = {
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'OOF, AutoReply',
}

/**
 * Returns an email that is safe to put into headers: names and subject in one line without control
 * characters, both email addresses checked and in ASCII.
 *
 * @throws MailError if an email address is not valid
 */
export function sanitizeMail({ to, from, subject, text, html }: Mail): Mail {
  return {
    to: sanitizeAddress('to', to),
    from: sanitizeAddress('from', from),
    subject: toSingleLine(subject),
    text,
    html,
  }
}

/** Replaces every kind of line end, and the other characters that are invisible, by spaces. */
function toSingleLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

function sanitizeAddress(field: string, { address, name }: MailAddress): MailAddress {
  const ascii = toAsciiAddress(address)
  if (!ascii) {
    // Without the email address: the message goes to the log.
    throw new MailError(`"${field}" must be an email address with an ASCII local part`)
  }
  const line = name && toSingleLine(name)
  return line ? { address: ascii, name: line } : { address: ascii }
}

const addressPattern = /^([a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64})@(.+)$/i
const domainPattern = /^[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?$/i

/** Local parts beyond ASCII are refused: few servers accept them, and Amazon SES never does. */
function toAsciiAddress(text: string): string | undefined {
  const [, local, host = ''] = addressPattern.exec(text) ?? []
  const ascii = toAsciiDomain(host, domainPattern)
  return local && ascii && `${local}@${ascii}`
}

/** Formats a mailbox: `"Name" <local@domain>`, or `local@domain` without a name (RFC 5322 §3.4). */
export function formatMailbox({ address, name }: MailAddress): string {
  if (!name) return address
  return `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}" <${address}>`
}

/** Formats a mailbox in ASCII, for services that do not encode names themselves (RFC 2047 §5). */
export function formatAsciiMailbox({ address, name }: MailAddress): string {
  if (!name || /^[ -~]+$/.test(name)) return formatMailbox({ address, name })
  return `${toEncodedWords(name)} <${address}>`
}

/** Bytes that fit into one encoded word of 75 characters (RFC 2047 §2). */
const MAX_BYTES = 45

function toEncodedWords(text: string): string {
  const words: Uint8Array[] = []
  let word: number[] = []
  for (const character of text) {
    const bytes = new TextEncoder().encode(character)
    if (word.length + bytes.length > MAX_BYTES) {
      words.push(Uint8Array.from(word))
      word = []
    }
    word.push(...bytes)
  }
  return [...words, Uint8Array.from(word)].map(toEncodedWord).join(' ')
}

function toEncodedWord(bytes: Uint8Array): string {
  return `=?UTF-8?B?${btoa(String.fromCharCode(...bytes))}?=`
}
