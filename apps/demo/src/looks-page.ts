import { languageNames, looks } from './looks.ts'
import type { Look } from './looks.ts'
import { html, renderPage } from './page.ts'
import { scenes } from './scenes.ts'

/** Renders the page that leads to all pages in every theme, and to the sign-in page in every language. */
export function renderLooksPage(): string {
  return renderPage(
    'Themes and languages',
    html`<h1>Themes and languages</h1>
      <p class="muted">Each option of the theme, with every page and email.</p>
      <section aria-labelledby="themes">
        <h2 id="themes">Themes, light and dark</h2>
        <nav aria-labelledby="themes">
          ${Object.entries(looks).map(
            ([name, { title }]) => html`<a class="button" href="/looks/${name}">${title}</a>`,
          )}
        </nav>
      </section>
      <section aria-labelledby="languages">
        <h2 id="languages">Languages</h2>
        <p class="muted">A browser gets its own; each is an import. Sign in on the one that you like.</p>
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

/** Renders the page that shows every scene in one theme. */
export function renderLookPage(name: string, { title }: Look): string {
  return renderPage(
    title,
    html`<h1>${title}</h1>
      <p class="muted">Pictures of every page and email: their forms do nothing. The sign-in page works.</p>
      <nav aria-label="This theme">
        <a class="button primary" href="/looks/${name}/en">Sign in on it</a>
        <a class="button" href="/looks">Back</a>
      </nav>
      <ul class="scenes">
        ${Object.entries(scenes).map(([scene, { title: text }]) => {
          const url = `/looks/${name}/en/${scene}`
          return html`<li>
            <a href="${url}">${text}</a>
            <iframe src="${url}" title="${text}" loading="lazy" sandbox></iframe>
          </li>`
        })}
      </ul>`,
    'gallery',
  )
}
