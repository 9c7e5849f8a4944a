const font = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif'
const text = `${font};font-size:16px;line-height:24px`
const smallPrint = `${font};font-size:14px;line-height:20px;color:#57606a;word-break:break-word`

/** Inline styles: Gmail drops the style sheet of some accounts, and Outlook on Windows knows no more than these. */
export const mailStyle = {
  ground: 'margin:0;padding:0;background-color:#f4f5f7',
  column: 'width:100%;max-width:480px',
  brand: `${font};padding:0 4px 16px;font-size:18px;line-height:24px;font-weight:600;color:#1b1f24`,
  card: 'padding:32px;background-color:#ffffff;border:1px solid #d5d9de;border-radius:16px;color:#1b1f24',
  heading: `${font};margin:0 0 16px;font-size:22px;line-height:28px;font-weight:600;word-break:break-word`,
  text: `${text};margin:0 0 12px;word-break:break-word`,
  button: 'border-radius:8px;mso-padding-alt:12px 24px',
  link: `${text};display:inline-block;padding:12px 24px;font-weight:600;text-decoration:none`,
  code: 'margin:0 0 24px;font-family:Menlo,Consolas,monospace;font-size:28px;line-height:40px;font-weight:600;letter-spacing:4px',
  small: `${smallPrint};margin:0`,
  note: `${smallPrint};margin:24px 0 12px;padding:16px 0 0;border-top:1px solid #d5d9de`,
}

/**
 * The dark colours of the pages, for mail programs that know them (Apple Mail, Thunderbird), and plain fonts for Outlook on
 * Windows, which replaces a list whose first name is missing by Times.
 */
export const mailStyleSheet = `<style>
      :root { color-scheme: light dark; supported-color-schemes: light dark; }
      @media (prefers-color-scheme: dark) {
        .ground { background-color: #0f1216 !important; }
        .card { background-color: #191d23 !important; border-color: #333a43 !important; }
        .text { color: #e7eaee !important; }
        .small { color: #a2abb6 !important; border-color: #333a43 !important; }
      }
    </style>
    <!--[if mso]><style>* { font-family: Arial, sans-serif !important; }</style><![endif]-->`
