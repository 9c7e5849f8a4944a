import { hiddenFields, html, layout } from '@latchkey/core/capability'
import type { Markup, PageContext } from '@latchkey/core/capability'
import { fill, fillIsolated } from '@latchkey/core/capability/pages'
import type { AuthorizationServerTexts } from '../texts.ts'

/** A scope as the consent page shows it. */
export interface ShownScope {
  readonly name: string
  readonly text: string
  /** Whether the user cannot take it away. */
  readonly isRequired: boolean
}

/** The values of {@link renderConsentPage}. */
export interface ConsentView extends PageContext {
  readonly texts: AuthorizationServerTexts
  /** The URL that the form posts to. */
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly clientName: string
  /** Where the user is sent back: a host, or a private scheme. */
  readonly host: string
  readonly isOnDevice: boolean
  readonly userName: string
  readonly scopes: readonly ShownScope[]
  /** Where another user can sign in. */
  readonly otherAccountUrl: string
}

/** The prefix of the fields of scopes. */
export const SCOPE_FIELD = 'scope:'

/** Renders the page that asks whether a client may act for the user. */
export function renderConsentPage(view: ConsentView): string {
  const { texts, language } = view
  const heading = fill(texts.heading, view.clientName)
  const boxes = view.scopes.map(toBox)
  return layout(
    view,
    heading,
    html`<h1>${fillIsolated(texts.heading, view.clientName)}</h1>
      <p class="muted">${fillIsolated(texts.continuesAt, view.host)}</p>
      ${view.isOnDevice ? html`<p role="status">${texts.onThisDevice}</p>` : undefined}
      <form method="post" action="${view.action}">
        ${hiddenFields(view.fields)}
        ${boxes.length > 0 ? html`<p>${texts.scopes}</p>` : undefined}
        ${boxes}
        <button type="submit" name="decision" value="allow" class="primary">${texts.allow}</button>
        <button type="submit" name="decision" value="deny">${texts.deny}</button>
      </form>
      <p class="hint muted">${fillIsolated(language.messages.signedInAs, view.userName)}</p>
      <p class="links">
        <a href="${view.otherAccountUrl}">${language.messages.useAnotherAccount}</a>
      </p>`,
  )
}

/** Renders the box of a scope. */
export function toBox({ name, text, isRequired }: ShownScope): Markup {
  return isRequired
    ? html`<label><input type="checkbox" checked disabled />${text}</label>`
    : html`<label
        ><input type="checkbox" name="${SCOPE_FIELD}${name}" value="true" checked />${text}</label
      >`
}

/** The values of {@link renderNoticePage}. */
export interface NoticeView extends PageContext {
  readonly heading: string
  readonly sentence?: string | undefined
  /** A link to another host: its URL, and its text. Without a sentence, the browser continues by itself. */
  readonly link?: { readonly url: string; readonly text: string } | undefined
}

/** Renders a page that says why a request ends here, or leads to the client. */
export function renderNoticePage(view: NoticeView): string {
  const { heading, sentence, link } = view
  const refresh = link && html`<meta http-equiv="refresh" content="0;url=${link.url}" />`
  return layout(
    view,
    heading,
    html`<h1>${heading}</h1>
      ${sentence === undefined ? undefined : html`<p class="muted">${sentence}</p>`}
      ${link && html`<a class="button primary" href="${link.url}">${link.text}</a>`}`,
    { head: sentence === undefined ? refresh : undefined },
  )
}
