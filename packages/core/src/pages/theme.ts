import { ConfigurationError } from '../lib/errors.ts'
import type { MailBrand } from '../ports/mailer.ts'
import type { Markup } from './html.ts'
import type { MarkedProvider } from './mark.ts'
import { styleRules } from './style-rules.ts'

/** The CSS colours of the pages in one colour scheme. The defaults keep WCAG 2.2 AA: 4.5:1 for text. */
export interface Palette {
  readonly background: string
  readonly surface: string
  readonly text: string
  readonly muted: string
  readonly border: string
  /** Links, and the ring of the focus. */
  readonly accent: string
  /** The text of the main button. */
  readonly accentText: string
  /** The main button of a page. Default: `accent` */
  readonly button: string
  readonly danger: string
  readonly dangerSurface: string
}

/** The look of the built-in pages: what `createTheme()` of `@latchkey/core/pages/theme` makes. */
export interface Theme {
  /** The style sheet: exactly the text whose hash the Content-Security-Policy contains. */
  readonly style: string
  readonly brand?: Brand
  readonly marks?: Marks
  readonly legal?: LegalOptions
  readonly providersFirst?: boolean
  readonly stylesheet?: string
}

/** A checked name, logo and colour. */
export interface Brand extends MailBrand {
  /** The logo, or the name. */
  readonly head: Markup
}

/** Returns the mark on the button of a provider. */
export type Marks = (provider: MarkedProvider) => Markup | undefined

/** The links below every page: absolute http(s) URLs, or paths on the service's origin. */
export interface LegalOptions {
  /** The URL of the terms of service. Default: none */
  readonly terms?: string
  /** The URL of the privacy policy. Default: none */
  readonly privacy?: string
}

/** The themes that `createTheme()` has made, checked: a copy with other members is none. */
export const madeThemes: WeakSet<Theme> = new WeakSet()

/**
 * Returns the theme of a service.
 *
 * @param additions What other options add to the style sheet
 * @throws ConfigurationError if `createTheme()` did not make it
 */
export function resolveTheme(theme: Theme | undefined, additions: ReadonlySet<string>): Theme {
  if (theme !== undefined && !madeThemes.has(theme)) {
    throw new ConfigurationError('theme', 'must be made by createTheme()')
  }
  const rules = [...additions].join('')
  const made = theme ?? unbranded
  return rules === '' ? made : { ...made, style: made.style + rules }
}

let unbrandedStyle: string | undefined

/** Its style sheet is made for the first page: a cold isolate that answers `/session` needs none. */
const unbranded: Theme = {
  get style() {
    return (unbrandedStyle ??= createStyle({}))
  },
}

/** The colours of an unbranded page. */
export const palettes: Readonly<Record<'light' | 'dark', Palette>> = {
  light: {
    background: '#f4f5f7',
    surface: '#ffffff',
    text: '#1b1f24',
    muted: '#57606a',
    border: '#868e98',
    accent: '#1d5bb8',
    accentText: '#ffffff',
    button: 'var(--accent)',
    danger: '#98141f',
    dangerSurface: '#fdeeee',
  },
  dark: {
    background: '#0f1216',
    surface: '#191d23',
    text: '#e7eaee',
    muted: '#a2abb6',
    border: '#6d7783',
    accent: '#8ab8ff',
    accentText: '#0b1420',
    button: 'var(--accent)',
    danger: '#ffb4ae',
    dangerSurface: '#3a1b1d',
  },
}

const systemFonts = 'system-ui,-apple-system,"Segoe UI",Roboto,sans-serif'

/** What differs between style sheets: checked values. */
interface StyleOptions {
  readonly colorScheme?: 'auto' | 'light' | 'dark' | undefined
  readonly light?: Palette
  readonly dark?: Palette
  readonly radius?: number | undefined
  readonly fontFamily?: string | undefined
}

/** Returns the style sheet of every page. The Content-Security-Policy contains its hash. */
export function createStyle({
  colorScheme = 'auto',
  light = palettes.light,
  dark = palettes.dark,
  radius = 8,
  fontFamily = systemFonts,
}: StyleOptions): string {
  const colors = toColorRules(colorScheme, toCustomProperties(light), toCustomProperties(dark))
  return `${colors}:root{--radius:${radius}px;--font:${fontFamily}}${styleRules}`
}

function toColorRules(colorScheme: 'auto' | 'light' | 'dark', day: string, night: string): string {
  if (colorScheme === 'light') return `:root{color-scheme:light;${day}}`
  if (colorScheme === 'dark') return `:root{color-scheme:dark;${night}}`
  return `:root{color-scheme:light dark;${day}}@media(prefers-color-scheme:dark){:root{${night}}}`
}

function toCustomProperties(palette: Palette): string {
  return Object.entries(palette)
    .map(([token, value]) => `--${token}:${value}`)
    .join(';')
}
