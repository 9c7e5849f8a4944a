import type { DefaultSession } from '@latchkey/core'
import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { Note } from './notes.ts'

/** Markup in which every value has been escaped. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>

/** The public page. */
export function homePage(session: DefaultSession | null, service: string): Markup {
  if (!session) {
    return layout(
      'Notes',
      html`<p>Notes that nobody else can read.</p>
        <p><a href="${service}/signin">Sign in</a></p>`,
    )
  }
  return layout(
    `Hello, ${nameOf(session)}`,
    html`<p><a href="/notes">Your notes</a></p>
      <p><a href="${service}/signout">Sign out</a></p>`,
  )
}

/** The private page. */
export function notesPage(session: DefaultSession, notes: readonly Note[]): Markup {
  return layout(
    `Notes of ${nameOf(session)}`,
    html`<form method="post" action="/notes">
        <label for="text">A new note</label>
        <input id="text" name="text" required maxlength="1000" autocomplete="off">
        <button>Add</button>
      </form>
      <ul>${notes.map(noteItem)}</ul>
      <p><a href="/">Back</a></p>`,
  )
}

/** A page that says what is wrong. */
export function errorPage(sentence: string): Markup {
  return layout(
    'Something went wrong',
    html`<p role="alert">${sentence}</p>
      <p><a href="/">Back</a></p>`,
  )
}

function noteItem({ id, text }: Note): Markup {
  return html`<li>
      <form method="post" action="/notes/${id}/delete">
        <span>${text}</span>
        <button aria-label="Delete: ${text}">Delete</button>
      </form>
    </li>`
}

function nameOf({ user }: DefaultSession): string {
  return user.name ?? user.email ?? 'you'
}

function layout(title: string, body: Markup): Markup {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
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

/** What `/style.css` says. */
export const style = `:root { color-scheme: light dark; }
body { margin: 2rem auto; max-width: 34rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
label { display: block; }
input, button { min-height: 2.75rem; padding: 0.25rem 0.75rem; font: inherit; }
ul { padding: 0; list-style: none; }
li form { display: flex; gap: 1rem; align-items: center; justify-content: space-between; }
span { overflow-wrap: anywhere; min-width: 0; }
`
