import { languageNames, looks } from './looks.ts'
import { html, renderPage } from './page.ts'

/** Renders the page that leads to the sign-in page in every theme and language. */
export function renderLooksPage(): string {
  return renderPage(
    'Themes and languages',
    html`<h1>Themes and languages</h1>
      <p class="muted">The same sign-in page. Each of them works: sign in on the one that you like.</p>
      <section aria-labelledby="themes">
        <h2 id="themes">Themes, light and dark</h2>
        <nav aria-labelledby="themes">
          ${Object.entries(looks).map(
            ([name, { title }]) => html`<a class="button" href="/looks/${name}/en">${title}</a>`,
          )}
        </nav>
      </section>
      <section aria-labelledby="languages">
        <h2 id="languages">Languages</h2>
        <p class="muted">A browser gets its own; each is an import.</p>
        <nav aria-labelledby="languages">
          ${Object.entries(languageNames).map(
            ([tag, name]) =>
              html`<a class="button" lang="${tag}" href="/looks/plain/${tag}">${name}</a>`,
          )}
        </nav>
      </section>
      <a class="button" href="/">Back</a>`,
    'wide',
  )
}
