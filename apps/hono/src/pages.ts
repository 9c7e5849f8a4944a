import type { DefaultSession } from '@latchkey/core'
import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { Note } from './notes.ts'

/** Markup in which every value is escaped. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>

/** Renders the public page. */
export function renderHomePage(session: DefaultSession | null, service: string): Markup {
  if (!session) {
    return renderDocument(
      'Notes',
      html`<p>Notes that only you can read.</p>
        <p><a href="${service}/signin">Sign in</a></p>`,
    )
  }
  return renderDocument(
    `Hello, ${getName(session)}`,
    html`<p><a href="/notes">Your notes</a></p>
      <p><a href="${service}/signout">Sign out</a></p>`,
  )
}

/** Renders the private page. */
export function renderNotesPage(session: DefaultSession, notes: readonly Note[]): Markup {
  return renderDocument(
    `Notes of ${getName(session)}`,
    html`<form method="post" action="/notes">
        <label for="text">A new note</label>
        <input id="text" name="text" required maxlength="1000" autocomplete="off">
        <button>Add</button>
      </form>
      <ul>${notes.map(renderNote)}</ul>
      <p><a href="/">Back</a></p>`,
  )
}

/** Renders an error page. */
export function renderErrorPage(sentence: string): Markup {
  return renderDocument(
    'Something went wrong',
    html`<p role="alert">${sentence}</p>
      <p><a href="/">Back</a></p>`,
  )
}

function renderNote({ id, text }: Note): Markup {
  return html`<li>
      <form method="post" action="/notes/${id}/delete">
        <span>${text}</span>
        <button aria-label="Delete: ${text}">Delete</button>
      </form>
    </li>`
}

function getName({ user }: DefaultSession): string {
  return user.name ?? user.email ?? 'you'
}

function renderDocument(title: string, body: Markup): Markup {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <link rel="icon" href="data:,">
    <title>${title}</title>
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      ${body}
    </main>
  </body>
</html>
`
}

/** The content of `/style.css`. */
export const style = `:root { color-scheme: light dark; }
body { margin: 2rem auto; max-width: 34rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
label { display: block; }
input, button { min-height: 2.75rem; padding: 0.25rem 0.75rem; font: inherit; }
ul { padding: 0; list-style: none; }
li form { display: flex; gap: 1rem; align-items: center; justify-content: space-between; }
span { overflow-wrap: anywhere; min-width: 0; }
`
