import { getWayTexts, alert, fill } from '@latchkey/core/capability/pages'
import { html, hiddenFields, layout } from '@latchkey/core/capability'
import type { Markup, PageContext } from '@latchkey/core/capability'
import { getPasswordTexts } from '../texts.ts'

/** A way in of a user besides the password. Times are seconds since 1970. */
export interface OtherWay {
  readonly name: string
  readonly createdAt?: number | null | undefined
  readonly lastUsedAt?: number | null | undefined
  /** What the form posts that removes it. */
  readonly fields: Readonly<Record<string, string>>
}

/** The values of {@link renderWaysPage}. */
export interface WaysView extends PageContext {
  /** The URL that the forms post to. */
  readonly url: string
  /** What each form posts besides. */
  readonly hidden: Readonly<Record<string, string>>
  readonly callbackUrl: string
  /** One of our texts; nothing of the request is repeated. */
  readonly message: string | undefined
  readonly ways: readonly OtherWay[]
  /** Formats the days of times. It is slow to create. */
  readonly days: Intl.DateTimeFormat
}

/** Renders the page on which a user sees, after a reset, what else opens the account (I-55.15). */
export function renderWaysPage(view: WaysView): string {
  const { messages } = view.language
  const { ways: heading } = getWayTexts(messages)
  return layout(
    view,
    heading,
    html`<h1>${heading}</h1>
      <p class="muted">${getPasswordTexts(messages).waysText}</p>
      ${view.message === undefined ? undefined : alert(view.message)}
      ${view.ways.map((way) => wayForm(view, way))}
      <a class="button primary" href="${view.callbackUrl}">${messages.continue}</a>`,
  )
}

function wayForm(view: WaysView, { name, fields, ...times }: OtherWay): Markup {
  const { remove } = getWayTexts(view.language.messages)
  return html`<p class="hint"><bdi>${name}</bdi>${listTimes(view, times)}</p>
    <form method="post" action="${view.url}">
      ${hiddenFields({ ...view.hidden, ...fields })}
      <button type="submit" aria-label="${remove}: ${name}">${remove}</button>
    </form>`
}

function listTimes(
  { days, language }: WaysView,
  { createdAt, lastUsedAt }: Pick<OtherWay, 'createdAt' | 'lastUsedAt'>,
): Markup | undefined {
  if (typeof createdAt !== 'number') return undefined
  const { added, lastUsed } = getWayTexts(language.messages)
  const fillDay = (text: string, time: number): string => fill(text, days.format(time * 1000))
  const used = typeof lastUsedAt === 'number' ? [fillDay(lastUsed, lastUsedAt)] : []
  const facts = [fillDay(added, createdAt), ...used].join(' · ')
  return html`<br /><span class="muted">${facts}</span>`
}
