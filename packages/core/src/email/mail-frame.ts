import { html } from '../pages/html.ts'
import type { Markup } from '../pages/html.ts'
import type { Language } from '../ports/messages.ts'

/** The styles of emails: mail programs drop style sheets. */
export const mailStyle = {
  body: 'margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif',
  button:
    'display:inline-block;padding:12px 24px;border-radius:8px;background:#1d5bb8;color:#ffffff;font-weight:600;text-decoration:none',
  code: 'font:600 28px/1.5 ui-monospace,monospace;letter-spacing:4px',
  small: 'font-size:14px;color:#57606a;overflow-wrap:anywhere',
}

/**
 * Renders the document of an email, which loads nothing. Mail programs drop the attributes of `html` and `body`: an
 * element inside repeats language and direction.
 */
export function mailFrame({ tag, messages }: Language, title: string, content: Markup): string {
  return `<!doctype html>
${html`<html lang="${tag}" dir="${messages.direction}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width,initial-scale=1" />
    <title>${title}</title>
  </head>
  <body style="${mailStyle.body}">
    <div lang="${tag}" dir="${messages.direction}">
      ${content}
    </div>
  </body>
</html>`}
`
}
