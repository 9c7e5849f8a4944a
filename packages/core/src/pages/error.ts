import { html } from './html.ts'
import { alert, backLink, layout } from './layout.ts'
import type { PageContext } from './layout.ts'

/** The values of {@link renderErrorPage}. */
export interface ErrorView extends PageContext {
  /** The URL of the sign-in page; undefined if the service's origin is unknown (I-2). */
  readonly signInUrl: string | undefined
  readonly heading: string
  /** One of our texts; nothing of the request is repeated. */
  readonly message: string
  /** The label of the link to the sign-in page. Default: `signIn` */
  readonly label?: string | undefined
}

/** Renders the error page: what happened, and what to do. */
export function renderErrorPage(view: ErrorView): string {
  const { signIn } = view.language.messages
  return layout(
    view,
    view.heading,
    html`<h1>${view.heading}</h1>
      ${alert(view.message)}
      ${
        view.signInUrl &&
        html`<a class="button primary" href="${view.signInUrl}">${view.label ?? signIn}</a>
          ${view.origin === '' ? undefined : backLink(view)}`
      }`,
  )
}
