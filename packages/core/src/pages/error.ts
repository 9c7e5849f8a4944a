import type { ErrorCode } from '../errors.ts'
import { alertBox, hostOf, html, layout } from './layout.ts'
import type { PageContext } from './layout.ts'
import { fill } from './messages.ts'

export interface ErrorView extends PageContext {
  /** Where another try begins; absent where the service has no address to lead to. */
  readonly signInUrl: string | undefined
  readonly error: ErrorCode
}

/** The error page. The code chooses one of our sentences; nothing of the request is repeated. */
export function errorPage(view: ErrorView): string {
  const { messages } = view.language
  return layout(
    view,
    messages.error,
    html`<h1>${messages.error}</h1>
      ${alertBox(view.language, view.error)}
      ${
        view.signInUrl &&
        html`<p><a href="${view.signInUrl}">${messages.signIn}</a></p>
          <p><a href="${view.origin}">${fill(messages.back, hostOf(view.origin))}</a></p>`
      }`,
  )
}
