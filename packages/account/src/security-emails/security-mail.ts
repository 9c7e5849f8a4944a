import { getSecurityTexts } from '../texts.ts'
import { html } from '@latchkey/core/capability'
import { composeMail, fill, formatDuration } from '@latchkey/core/capability/pages'
import type { MailBrand } from '@latchkey/core/capability/pages'
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
  /** The brand of `theme`. Default: none, and the email names the host */
  readonly brand?: MailBrand | undefined
  /** The language of the browser in which it changed; for a call of the server the first one of `messages`. */
  readonly language: Language
}

/** Seconds that the link works. */
export const LINK_LIFETIME = 86_400

/** Writes an email about security, in plain text and in HTML that loads nothing. */
export function writeSecurityMail(mail: SecurityMail): WrittenMail {
  const { url, language, host, brand = { name: host } } = mail
  const texts = getSecurityTexts(language.messages)
  const title = fill(texts.changes[mail.change], brand.name)
  const facts = listFacts(mail)
  const filled = facts.map(({ text, value }) => fill(text, value))
  // Mail programs drop `bdi`: the characters isolate a value of the other direction (Unicode UAX #9).
  const isolated = facts.map(({ text, value }) => fill(text, `\u2068${value}\u2069`))
  return composeMail({
    language,
    brand,
    subject: title,
    before: [
      {
        text: `${title}\n\n${filled.join('\n')}`,
        html: html`${isolated.map((fact) => html`${fact}<br />`)}`,
      },
      ...(mail.hasFurther ? [texts.further] : []),
      texts.wasYou,
      texts.wasNotYou,
    ],
    link: { url, label: texts.endSessions },
    note: fill(texts.note, formatDuration(language.tag, LINK_LIFETIME)),
  })
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
