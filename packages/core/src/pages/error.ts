import { alert, getHost, html, layout } from './layout.ts'
import type { PageContext } from './layout.ts'
import { fill } from './messages.ts'

/** The values of {@link renderErrorPage}. */
export interface ErrorView extends PageContext {
  /** The URL of the sign-in page; undefined if the service's origin is unknown (I-2). */
  readonly signInUrl: string | undefined
  /** One of our texts; nothing of the request is repeated. */
  readonly message: string
}

/** Renders the error page. */
export function renderErrorPage(view: ErrorView): string {
  const { messages } = view.language
  return layout(
    view,
    messages.error,
    html`<h1>${messages.error}</h1>
      ${alert(view.message)}
      ${
        view.signInUrl &&
        html`<p><a href="${view.signInUrl}">${messages.signIn}</a></p>
          <p><a href="${view.origin}">${fill(messages.back, getHost(view.origin))}</a></p>`
      }`,
  )
}
