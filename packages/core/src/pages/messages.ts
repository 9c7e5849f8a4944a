import { ConfigurationError } from '../lib/errors.ts'
import type { ErrorCode } from '../ports/error-code.ts'
import { checkKind } from '../lib/kind.ts'
import { isObject, readMember } from '../lib/members.ts'
import type { Language, Messages } from '../ports/messages.ts'
import { en } from './languages/en.ts'

/**
 * The texts of pages, JSON refusals and emails, by language tag (BCP 47, in any case). English is
 * always available. Other languages are imported from `@latchkey/core/languages/*` or written by the
 * application; English replaces the texts that a language leaves out. An entry `en` replaces single
 * English texts, also if English replaces them in another language. A capability has its texts in its package, such
 * as `@latchkey/passwords/languages/*`; the later texts of a list replace the earlier ones.
 *
 * @example
 *   import type { MessagesOptions } from '@latchkey/core'
 *   import { de } from '@latchkey/core/languages/de'
 *
 *   const messages: MessagesOptions = {
 *     de: { ...de, signIn: 'Einloggen' },
 *     en: { signIn: 'Log in' },
 *   }
 */
export type MessagesOptions = Readonly<Record<string, OneOrMore<PartialMessages> | undefined>>

type OneOrMore<T> = T | readonly T[]

/** Texts of one language. */
type PartialMessages = Partial<Omit<Messages, 'errors'>> & {
  readonly errors?: Partial<Messages['errors']>
}

/** Picks the language of a reply by the request's `Accept-Language` (RFC 9110 §12.5.4). */
export type Negotiate = (header: string | null) => Language

/**
 * Creates the negotiation between English and the configured languages. Default: English
 *
 * @throws ConfigurationError if a tag is not one of BCP 47
 */
export function createNegotiate(options: MessagesOptions | undefined): Negotiate {
  if (!options) return () => onlyEnglish
  const texts = new Map(
    Object.entries(options).map(([tag, over = []]) => [tag.toLowerCase(), [over].flat()]),
  )
  const english = {
    tag: 'en',
    messages: (texts.get('en') ?? []).reduce<Messages>(merge, en),
  }
  const byTag = new Map<string, Language>([['en', english]])
  const byScript = new Map<string, Language>()
  for (const [tag, parts] of texts) {
    const script = toScript(tag)
    if (script === undefined) {
      throw new ConfigurationError(`messages.${tag}`, 'must be a language tag, such as pt-BR')
    }
    for (const part of parts) checkKind(`messages.${tag}`, part, 'an object')
    if (tag === 'en') continue
    const language = { tag, messages: parts.reduce<Messages>(merge, english.messages) }
    byTag.set(tag, language)
    if (!byScript.has(script)) byScript.set(script, language)
  }
  return (header) => {
    for (const range of parseAcceptLanguage(header)) {
      const language = find({ byTag, byScript }, range)
      if (language) return language
    }
    return english
  }
}

const onlyEnglish: Language = { tag: 'en', messages: en }

interface Languages {
  readonly byTag: ReadonlyMap<string, Language>
  /** All but English, by language and script. */
  readonly byScript: ReadonlyMap<string, Language>
}

/** Finds a language by its tag, by the tag without region, else one in the same script: zh-CN is zh-Hans. */
function find({ byTag, byScript }: Languages, range: string): Language | undefined {
  const [language = range] = range.split('-')
  const exact = byTag.get(range) ?? byTag.get(language)
  if (exact || byScript.size === 0) return exact
  return byScript.get(toScript(range) ?? '')
}

/** Returns language and script of a tag, such as `zh-Hans`; undefined if it is not one of BCP 47. */
function toScript(tag: string): string | undefined {
  if (!/^[a-z]{2,3}(-[a-z\d]{2,8})*$/.test(tag)) return undefined
  try {
    const { language, script } = new Intl.Locale(tag).maximize()
    return `${language}-${script}`
  } catch {
    return undefined // the only error of Intl.Locale: the tag is not well-formed
  }
}

/** Fills the `{name}` of a text. */
export function fill(text: string, name: string): string {
  return text.replace('{name}', () => name)
}

/** Returns the sentence of an error code. */
export function errorText(messages: Messages, code: ErrorCode): string {
  return messages.errors[code]
}

/** Returns the sentence of an error: if the email was not sent, the email address may be right. */
export function toSentence(
  { tag, messages }: Language,
  { code, status, retryAfter }: ErrorFacts,
): string {
  if (code === 'EmailSignin') return status < 500 ? messages.notAnEmail : messages.emailNotSent
  if (code !== 'RateLimited' || retryAfter === undefined) return messages.errors[code]
  return fill(messages.retryIn, formatDuration(tag, retryAfter))
}

interface ErrorFacts {
  readonly code: ErrorCode
  readonly status: number
  /** Seconds. */
  readonly retryAfter?: number | undefined
}

/** Returns a duration with its unit, such as `10 minutes`, rounded up. */
export function formatDuration(tag: string, seconds: number): string {
  const [unit, length] = units.find((row) => seconds >= row[1]) ?? (['second', 1] as const)
  const format = new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.ceil(seconds / length))
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** Returns the texts with others in the place of theirs, group by group. */
function merge<Texts extends object>(base: Texts, over: object): Texts {
  const texts = Object.entries({ ...over }).map(([name, text]) => [
    name,
    isObject(text) ? merge(Object(readMember(base, name)), text) : text,
  ])
  return { ...base, ...Object.fromEntries(texts) }
}

/** Returns the language ranges of an `Accept-Language` header, most wanted first, without ranges of `q=0`. */
function parseAcceptLanguage(header: string | null): string[] {
  if (!header) return []
  return header
    .slice(0, 256)
    .split(',')
    .map(parseRange)
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ range }) => range)
}

function parseRange(item: string): { readonly range: string; readonly weight: number } {
  const [range = '', ...parameters] = item.split(';')
  const q = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/i.exec(parameter)?.[1]).find(Boolean)
  return { range: range.trim().toLowerCase(), weight: q === undefined ? 1 : Number(q) || 0 }
}
