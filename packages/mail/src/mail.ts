import type { Mail, MailAddress } from '@latchkey/core'
import { toAsciiDomain } from '@latchkey/core/email-address'
import { MailError } from './mail-error.ts'

/**
 * Headers of every mail: no out-of-office notes in return, please (RFC 3834 §5; the second is how
 * Exchange is asked).
 */
export const headers: Readonly<Record<string, string>> = {
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'OOF, AutoReply',
}

/**
 * The mail as it may be put into headers: names and subject on one line, without control
 * characters; both addresses proven, in ASCII.
 *
 * @throws MailError where an address is none
 */
export function safeMail({ to, from, subject, text, html }: Mail): Mail {
  return {
    to: safeAddress('to', to),
    from: safeAddress('from', from),
    subject: oneLine(subject),
    text,
    html,
  }
}

/** Whatever ends a line anywhere, and everything else that cannot be seen, becomes a space. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

function safeAddress(field: string, { address, name }: MailAddress): MailAddress {
  const safe = asciiAddress(address)
  // Not the address itself: this goes to the log.
  if (safe === undefined) throw new MailError(`the address of "${field}" is none to send to`)
  const shown = name && oneLine(name)
  return shown ? { address: safe, name: shown } : { address: safe }
}

/**
 * `local@domain` with its domain as DNS knows it. Local parts beyond ASCII are refused: few servers
 * take them, and Amazon's never do.
 */
function asciiAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0))
  const domain = toAsciiDomain(text.slice(at + 1), asciiName)
  if (!domain || !/^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/i.test(local)) return undefined
  return `${local}@${domain}`
}

const asciiName = /^[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?$/i

/** An address for services that take them as text: `"Name" <local@domain>` (RFC 5322 §3.4). */
export function addressText({ address, name }: MailAddress): string {
  if (!name) return address
  return `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}" <${address}>`
}

/** The same in ASCII, for services that leave the encoding to us (RFC 2047 §5). */
export function asciiAddressText({ address, name }: MailAddress): string {
  if (!name || /^[ -~]+$/.test(name)) return addressText({ address, name })
  return `${encodedWords(name)} <${address}>`
}

/** Bytes that fit into one encoded word of 75 characters (RFC 2047 §2). */
const MAX_BYTES = 45

function encodedWords(text: string): string {
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
  return [...words, Uint8Array.from(word)].map(encodedWord).join(' ')
}

function encodedWord(bytes: Uint8Array): string {
  return `=?UTF-8?B?${btoa(String.fromCharCode(...bytes))}?=`
}
