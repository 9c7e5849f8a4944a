import type { Field } from '../ports/provider.ts'

/**
 * Something on the account page. At its end is one button: `link`, `form`, or else what leads to a page with the forms `change` and
 * `removal`. Beside a link or a form, a second button leads to the page of the removal.
 */
export interface AccountRow {
  /** What it is called. */
  readonly name: string
  /** What is to be known of it, such as its device. */
  readonly facts?: readonly (string | undefined)[]
  /** Seconds since 1970. Default: not shown */
  readonly createdAt?: number | null | undefined
  readonly lastUsedAt?: number | null | undefined
  readonly link?: WayLink
  /** A form in the row itself, of at most one field. */
  readonly form?: AccountForm
  readonly change?: AccountForm
  /** A form in red, for what is lost. */
  readonly removal?: AccountForm
}

/** A form of the account page. */
export interface AccountForm {
  /** The URL that it is posted to. Default: the account page, and `fields` has `action` */
  readonly url?: string
  /** What it posts besides `csrfToken`, `callbackUrl` and `inputs`. */
  readonly fields: Readonly<Record<string, string>>
  /** What the user types. Default: nothing */
  readonly inputs?: readonly AccountInput[]
  /** The heading of its page. Default: the name of the row */
  readonly heading?: string
  /** A sentence above it, on its page. */
  readonly text?: string
  /** The text of its button. Default: `Save`, or `Remove` of a removal */
  readonly button?: string
  /** The recent confirmation that it needs: its page asks for it first. Default: none */
  readonly needs?: 'link' | 'factor'
}

/** A field that the user types. */
export interface AccountInput extends Pick<Field, 'type' | 'autocomplete' | 'maxLength'> {
  readonly name: string
  readonly label: string
  /** Default: empty */
  readonly value?: string
  /** Default: false */
  readonly required?: boolean
}

/** A link of the account page. */
export interface WayLink {
  readonly url: string
  readonly text: string
}

/** Why nothing was changed. */
export type ChangeProblem = 'gone' | 'isEmail' | 'lastWay' | 'lastFactor' | 'invalidName'
