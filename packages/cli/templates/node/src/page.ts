import { style } from './style.ts'

/**
 * Renders a page.
 *
 * @param content HTML: escape the texts in it
 */
export function page(title: string, content: string) {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="/favicon.svg">
    <title>${escape(title)}</title>
    <style>${style}</style>
  </head>
  <body>
    <main>${content}</main>
  </body>
</html>
`
}

/** Escapes a text for HTML. */
export function escape(text: string) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
