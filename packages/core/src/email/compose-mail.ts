import { html, raw } from '../pages/html.ts'
import type { Markup } from '../pages/html.ts'
import type { Mail, MailBrand } from '../ports/mailer.ts'
import type { Language } from '../ports/messages.ts'
import { mailStyle as style, mailStyleSheet } from './mail-style.ts'

/** The written parts of an email. */
export type WrittenMail = Pick<Mail, 'subject' | 'text' | 'html'>

/** A sentence, or its text and its markup. */
export type Sentence = string | { readonly text: string; readonly html: Markup }

/** The content of an email, from top to bottom. */
export interface MailContent {
  readonly language: Language
  readonly brand: MailBrand
  readonly subject: string
  /** The sentences above the button. They say what the link does: plain text has no heading. */
  readonly before: readonly Sentence[]
  readonly link: { readonly url: string; readonly label: string }
  /** A code to type, which is written from left to right. Gmail and Outlook drop `bdi`. */
  readonly code?: { readonly label: string; readonly value: string } | undefined
  /** The sentences below the button and the code. Default: none */
  readonly after?: readonly string[]
  /** The small print: how long the link works, and what to do with an unexpected email. */
  readonly note: string
}

/** Writes an email in plain text and in HTML that loads nothing. */
export function composeMail(content: MailContent): WrittenMail {
  const { subject, before, link, code, after = [], note } = content
  const sentences = before.map((each) => (typeof each === 'string' ? each : each.text))
  const codeLines = code ? [code.label, code.value] : []
  const parts = [...sentences, link.url, ...codeLines, ...after, note]
  return { subject, text: `${parts.join('\n\n')}\n`, html: renderMail(content) }
}

/**
 * Renders the document of an email: one column of tables, because Outlook on Windows lays out nothing else. Mail programs
 * drop the attributes of `html` and `body`: elements inside repeat language, direction and background.
 */
function renderMail({ language, brand, subject, ...content }: MailContent): string {
  const { tag, messages } = language
  const side = messages.direction === 'rtl' ? 'right' : 'left'
  return `<!doctype html>
${html`<html lang="${tag}" dir="${messages.direction}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width,initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="supported-color-schemes" content="light dark" />
    <title>${subject}</title>
    ${raw(mailStyleSheet)}
  </head>
  <body class="ground" style="${style.ground}">
    <div lang="${tag}" dir="${messages.direction}" role="article" aria-label="${subject}">
      <table ${table} width="100%" class="ground" style="${style.ground}">
        <tr>
          <td align="center" style="padding:32px 12px">
            <table ${table} width="480" style="${style.column}">
              <tr>
                <td align="${side}" class="text" style="${style.brand}">${brand.name}</td>
              </tr>
              <tr>
                <td align="${side}" class="card text" style="${style.card}">
                  <h1 style="${style.heading}">${subject}</h1>
                  ${renderContent(brand, content)}
                </td>
              </tr>
            </table>
          </td>
        </tr>
      </table>
    </div>
  </body>
</html>`}
`
}

type Content = Omit<MailContent, 'language' | 'brand' | 'subject'>

function renderContent(
  brand: MailBrand,
  { before, link, code, after = [], note }: Content,
): readonly (Markup | undefined)[] {
  return [
    ...before.map((each) => paragraph(typeof each === 'string' ? each : each.html)),
    renderButton(brand, link),
    code && paragraph(code.label),
    code && html`<p style="${style.code}"><span dir="ltr">${code.value}</span></p>`,
    ...after.map(paragraph),
    html`<p class="small" style="${style.note}">${note}</p>
      <p class="small" style="${style.small}"><span dir="ltr">${link.url}</span></p>`,
  ]
}

function paragraph(text: string | Markup): Markup {
  return html`<p style="${style.text}">${text}</p>`
}

/** Outlook on Windows ignores the padding of a link: the cell has it there, and the colour everywhere. */
function renderButton(brand: MailBrand, link: MailContent['link']): Markup {
  const { color = '#1d5bb8', colorText = '#ffffff' } = brand
  return html`<table ${table} style="margin:24px 0">
    <tr>
      <td bgcolor="${color}" style="${style.button}">
        <a href="${link.url}" style="${style.link};color:${colorText}">${link.label}</a>
      </td>
    </tr>
  </table>`
}

const table = raw('role="presentation" border="0" cellpadding="0" cellspacing="0"')
