import { hiddenFields, html, layout } from '@latchkey/core/capability'
import type { PageContext } from '@latchkey/core/capability'
import {
  alert,
  describedByError,
  fill,
  fillIsolated,
  formatDuration,
  raw,
} from '@latchkey/core/capability/pages'
import { toBox } from '../pages/pages.ts'
import type { ShownScope } from '../pages/pages.ts'
import type { AuthorizationServerTexts, DeviceTexts } from '../texts.ts'

/** The field, and the parameter, of the code that the user enters (RFC 8628 §3.3.1). */
export const USER_CODE = 'user_code'

interface View extends PageContext {
  readonly texts: AuthorizationServerTexts & DeviceTexts
  /** The URL that the form posts to. */
  readonly action: string
  readonly csrfToken: string
  readonly userName: string
}

/** The values of {@link renderEntryPage}. */
export interface EntryView extends View {
  /** What stands in the input. */
  readonly typed: string
  readonly message: string | undefined
  /** Where another user can sign in. */
  readonly otherAccountUrl: string
}

/** Renders the page that asks for the code of a device. It asks even if the URL has the code: the user compares it. */
export function renderEntryPage(view: EntryView): string {
  const { texts, language, message } = view
  const { messages } = language
  return layout(
    view,
    texts.deviceHeading,
    html`<h1>${texts.deviceHeading}</h1>
      <p class="muted">${texts.deviceText}</p>
      ${message === undefined ? undefined : alert(message, true)}
      <form method="post" action="${view.action}">
        ${hiddenFields({ csrfToken: view.csrfToken })}
        <label for="code">${texts.deviceCode}</label>
        <input
          id="code"
          name="${USER_CODE}"
          value="${view.typed}"
          required
          maxlength="32"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          dir="ltr"
          ${message === undefined ? undefined : raw(describedByError)}
        />
        <button type="submit" class="primary">${messages.continue}</button>
      </form>
      <p class="hint muted">${fillIsolated(messages.signedInAs, view.userName)}</p>
      <p class="links">
        <a href="${view.otherAccountUrl}">${messages.useAnotherAccount}</a>
      </p>`,
  )
}

/** The values of {@link renderApprovalPage}. */
export interface ApprovalView extends View {
  /** As devices show it. */
  readonly userCode: string
  readonly clientName: string
  readonly scopes: readonly ShownScope[]
  /** Who asked, and how many seconds ago. */
  readonly ip: string | undefined
  readonly browser: string | undefined
  readonly age: number
}

/** Renders the page that asks whether the device may act for the user (RFC 8628 §5.4). */
export function renderApprovalPage(view: ApprovalView): string {
  const { texts, language, userCode } = view
  const facts = [
    fillIsolated(texts.deviceAge, formatDuration(language.tag, view.age)),
    fillIsolated(texts.deviceAddress, view.ip ?? texts.deviceUnknown),
    fillIsolated(texts.deviceBrowser, view.browser ?? texts.deviceUnknown),
  ]
  return layout(
    view,
    fill(texts.heading, view.clientName),
    html`<h1>${fillIsolated(texts.heading, view.clientName)}</h1>
      <p role="status">${texts.deviceWarning}</p>
      ${facts.map((fact) => html`<p class="muted">${fact}</p>`)}
      <form method="post" action="${view.action}">
        ${hiddenFields({ csrfToken: view.csrfToken, [USER_CODE]: userCode })}
        <p>${texts.scopes}</p>
        ${view.scopes.map(toBox)}
        <button type="submit" name="decision" value="allow" class="primary">${texts.allow}</button>
        <button type="submit" name="decision" value="deny">${texts.deny}</button>
      </form>
      <p class="hint muted">${fillIsolated(language.messages.signedInAs, view.userName)}</p>`,
  )
}
