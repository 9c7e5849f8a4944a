import { getSecurityTexts } from '../pages/end-sessions.ts'
import { html } from '@latchkey/core/capability'
import {
  fillIsolated,
  fill,
  formatDuration,
  mailFrame,
  mailStyle,
} from '@latchkey/core/capability/pages'
import type { Language, SecurityChange, WrittenMail } from '@latchkey/core'

/** The content of an email about security. */
export interface SecurityMail {
  readonly change: SecurityChange
  /** When it changed, in seconds since 1970. */
  readonly at: number
  /** The browser in which it changed, such as `Firefox (Windows)`; undefined if it is not known. */
  readonly browser: string | undefined
  /** The name of the provider, or of the kind of factor: not what its user calls it. */
  readonly detail: string | undefined
  /** Whether there were further changes since the last email. */
  readonly hasFurther: boolean
  /** The link to the page that ends all sessions of the user. */
  readonly url: string
  /** The service's host, with its port unless that is the default. */
  readonly host: string
  /** The language of the browser in which it changed; for a call of the server the first one of `messages`. */
  readonly language: Language
}

/** Seconds that the link works. */
export const LINK_LIFETIME = 86_400

/** Writes an email about security, in plain text and in HTML that loads nothing. */
export function writeSecurityMail(mail: SecurityMail): WrittenMail {
  const { url, language } = mail
  const texts = getSecurityTexts(language.messages)
  const title = fill(texts.changes[mail.change], mail.host)
  const facts = listFacts(mail)
  const further = mail.hasFurther ? [texts.further] : []
  const note = fill(texts.note, formatDuration(language.tag, LINK_LIFETIME))
  const filled = facts.map(({ text, value }) => fill(text, value)).join('\n')
  const parts = [title, filled, ...further, texts.wasYou, texts.wasNotYou, url, note]
  const content = html`<p><strong>${title}</strong></p>
    ${facts.map(({ text, value }) => html`<p>${fillIsolated(text, value)}</p>`)}
    ${further.map((sentence) => html`<p>${sentence}</p>`)}
    <p>${texts.wasYou}</p>
    <p>${texts.wasNotYou}</p>
    <p><a href="${url}" style="${mailStyle.button}">${texts.endSessions}</a></p>
    <p style="${mailStyle.small}">${note}</p>
    <p style="${mailStyle.small}"><bdi dir="ltr">${url}</bdi></p>`
  return {
    subject: title,
    text: `${parts.join('\n\n')}\n`,
    html: mailFrame(language, title, content),
  }
}

/** A text with the value that it is filled with. */
interface Fact {
  readonly text: string
  readonly value: string
}

function listFacts({ at, browser, detail, language }: SecurityMail): readonly Fact[] {
  const texts = getSecurityTexts(language.messages)
  return [
    { text: texts.time, value: formatTime(language.tag, at) },
    ...(browser === undefined ? [] : [{ text: texts.browser, value: browser }]),
    ...(detail === undefined ? [] : [{ text: texts.detail, value: detail }]),
  ]
}

/** Returns a date and time with the name of its zone: the server does not know the zone of the user. */
function formatTime(tag: string, at: number): string {
  const style = { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(tag, style).format(at * 1000)
}
