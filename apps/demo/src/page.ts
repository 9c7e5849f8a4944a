import { createHash } from 'node:crypto'
import { html as template, raw } from 'hono/html'

/** Markup in which every value is escaped. */
export type Markup = ReturnType<typeof raw>

/** Creates markup from a template; values are escaped unless they are markup. */
export const html: (strings: TemplateStringsArray, ...values: readonly Value[]) => Markup =
  template as (strings: TemplateStringsArray, ...values: readonly unknown[]) => Markup

type Value = string | Markup | undefined | readonly Markup[]

/** The style sheet of every page. */
export const styleSheet: string = [
  ':root{color-scheme:light dark;--ground:#f4f5f7;--card:#fff;--text:#1b1f24;--muted:#57606a;',
  '--border:#868e98;--line:#d5d9de;--accent:#1d5bb8;--on-accent:#fff}',
  '@media(prefers-color-scheme:dark){:root{--ground:#0f1216;--card:#191d23;--text:#e7eaee;',
  '--muted:#a2abb6;--border:#6d7783;--line:#333a43;--accent:#8ab8ff;--on-accent:#0b1420}}',
  '*{box-sizing:border-box}',
  'body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;',
  'background:var(--ground);color:var(--text);',
  'font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}',
  'main{width:100%;max-width:30rem;padding:2rem;background:var(--card);border-radius:1rem;',
  'box-shadow:0 1px 3px rgb(0 0 0/.2)}',
  'h1{margin:0;font-size:1.5rem;line-height:1.25}',
  'h2{margin:2rem 0 0;font-size:1rem}.hello{margin-top:1.5rem;font-size:1.25rem}',
  'p{margin:.5rem 0 0}',
  '.muted{color:var(--muted)}',
  'ul{margin:.5rem 0 0;padding-left:1.25rem;overflow-wrap:anywhere}a{color:var(--accent)}',
  'pre{margin:.5rem 0 0;padding:1rem;border-radius:.5rem;background:var(--ground);',
  'white-space:pre-wrap;overflow-wrap:anywhere}',
  '.button,button{display:block;width:100%;min-height:2.75rem;margin-top:.75rem;',
  'padding:.5rem 1rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;',
  'cursor:pointer;border:1px solid var(--border);border-radius:.5rem;color:var(--text);',
  'background:transparent}',
  '.button:hover,button:hover{border-color:var(--accent);color:var(--accent)}',
  '.primary{border-color:var(--accent);background:var(--accent);color:var(--on-accent)}',
  '.primary:hover{color:var(--on-accent);filter:brightness(1.1)}',
  'h1~.button,form{margin-top:1.5rem}.hello~.button{margin-top:.75rem}',
  'main.wide{max-width:46rem}main.gallery{max-width:none}',
  '.scenes{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(24rem,100%),1fr));gap:1.5rem;',
  'margin-top:2rem;padding:0;list-style:none}',
  '.scenes iframe{display:block;width:100%;height:38rem;margin-top:.5rem;border:1px solid var(--line);border-radius:.5rem}',
  'h3{margin:1.25rem 0 0;font-size:1rem;font-weight:600}',
  'label{display:block;margin-top:.75rem}',
  'input:not([type=hidden]){display:block;width:100%;min-height:2.75rem;margin-top:.25rem;',
  'padding:.5rem .75rem;font:inherit;color:inherit;background:transparent;',
  'border:1px solid var(--border);border-radius:.5rem}',
  'nav{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(17rem,100%),1fr));gap:.75rem;margin-top:1rem}',
  'nav .button{display:grid;align-items:center;margin:0}',
  'code{font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}',
  '.exchanges{margin:1.5rem 0 0;padding:0;list-style:none}',
  '.exchanges li{padding:.75rem 1rem;border-left:4px solid var(--accent);background:var(--ground);',
  'border-radius:.25rem}.exchanges li+li{margin-top:.75rem}',
  '.exchanges .service{margin-left:1.5rem;border-left-color:var(--border)}',
  '.exchanges p{margin-top:.25rem}.exchanges .way{margin:0;font-size:.875rem}',
  'dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:.5rem 0 0;font-size:.875rem}',
  'dt{color:var(--muted)}dd{margin:0;min-width:0}dd .muted{display:block}',
  '@media(max-width:30rem){main{padding:1.25rem}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}',
  '.exchanges .service{margin-left:.75rem}}',
  '[hidden]{display:none}',
  ':focus-visible{outline:3px solid var(--accent);outline-offset:2px}',
  '@media(forced-colors:active){main,.button,button{border:1px solid}}',
].join('')

const styleHash = createHash('sha256').update(styleSheet).digest('base64')

/** Headers of every page: it runs no script, loads nothing, and is neither cached nor framed. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

/**
 * Creates a whole document.
 *
 * @param width `wide` for a page with lists, `gallery` for pictures. Default: a card
 */
export function renderPage(
  title: string,
  body: Markup,
  width: '' | 'wide' | 'gallery' = '',
): string {
  return `<!doctype html>
${html`<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <link rel="icon" href="data:,">
    <title>${title}</title>
    <style>${raw(styleSheet)}</style>
  </head>
  <body>
    <main class="${width}">${body}</main>
  </body>
</html>`}
`
}
