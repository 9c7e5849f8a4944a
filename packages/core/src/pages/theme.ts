import { ConfigurationError } from '../lib/errors.ts'
import { checkKind, kindError } from '../lib/kind.ts'
import { checkKnownNames } from '../lib/known-names.ts'
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

/** The look of the built-in pages. Without it they are unbranded. */
export interface ThemeOptions {
  /** `auto` follows the user's system. Default: `auto` */
  readonly colorScheme?: 'auto' | 'light' | 'dark'
  /** Replaces light colours. */
  readonly light?: Partial<Palette>
  /** Replaces dark colours. */
  readonly dark?: Partial<Palette>
  /** The corner radius: CSS pixels, 0 to 64. Default: 8 */
  readonly radius?: number
  /** A CSS `font-family` list. Default: the system's fonts */
  readonly fontFamily?: string
  /** What `brand()` of `@latchkey/core/pages/brand` makes. Default: none */
  readonly brand?: Brand
  /** The marks on the buttons: `createMarks()` of `@latchkey/core/pages/marks`. Default: those of the providers */
  readonly marks?: Marks
  /** The links below every page. Default: none */
  readonly legal?: LegalOptions
  /** Whether the sign-in page has the buttons of providers above the forms. Default: false */
  readonly providersFirst?: boolean
  /**
   * A CSS file on the service's origin, such as `/brand.css`, which every page loads after its own style sheet,
   * except pages that show a key or recovery codes. It can load nothing else. Default: none
   */
  readonly stylesheet?: string
}

/** A checked name, logo and colour. */
export interface Brand extends MailBrand {
  /** The logo, or the name. */
  readonly head: Markup
  /** The rules of the head. */
  readonly rules: string
  /**
   * Returns the colours of the brand, which contrast with a palette.
   *
   * @throws ConfigurationError naming the colour of the palette that cannot be compared
   */
  readonly toColors?: (scheme: 'light' | 'dark', palette: Palette) => Partial<Palette>
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

/** The option `theme`, checked. */
export interface Theme extends Pick<
  ThemeOptions,
  'brand' | 'marks' | 'legal' | 'providersFirst' | 'stylesheet'
> {
  /** The style sheet: exactly the text whose hash the Content-Security-Policy contains. */
  readonly style: string
}

/**
 * Checks the option `theme`.
 *
 * @param additions What other options add to the style sheet
 * @throws ConfigurationError naming the member that cannot be used
 */
export function resolveTheme(
  theme: ThemeOptions | undefined,
  additions: ReadonlySet<string>,
): Theme {
  const rules = [...additions].join('')
  if (!theme) return rules === '' ? unbranded : { style: styleSheet({}) + rules }
  const { brand, marks, legal, stylesheet } = theme
  if (brand !== undefined && brand?.head === undefined)
    throw new ConfigurationError('theme.brand', 'must be made by brand()')
  if (marks && typeof marks !== 'function') {
    throw new ConfigurationError('theme.marks', 'must be made by createMarks()')
  }
  checkKind('theme.stylesheet', stylesheet, 'a string')
  if (stylesheet !== undefined && !cssPath.test(stylesheet)) {
    throw new ConfigurationError('theme.stylesheet', 'must be a path such as /brand.css')
  }
  checkKnownNames('theme.legal', legal, ['terms', 'privacy'])
  for (const [name, url] of Object.entries(legal ?? {})) {
    checkKind(`theme.legal.${name}`, url, 'a string')
    if (url === undefined) continue
    if (/^(https?:\/\/|\/(?![/\\]))/.test(url) && URL.canParse(url, 'https://host')) continue
    throw new ConfigurationError(`theme.legal.${name}`, 'must be an http(s) URL or a path')
  }
  return { ...theme, style: styleSheet(theme) + rules }
}

/** A path without a query, which a source of a Content-Security-Policy cannot have. */
const cssPath = /^\/[\w~-][\w./~-]*$/

let unbrandedStyle: string | undefined

/** Its style sheet is made for the first page: a cold isolate that answers `/session` needs none. */
const unbranded: Theme = {
  get style() {
    return (unbrandedStyle ??= styleSheet({}))
  },
}

const light: Palette = {
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
}

const dark: Palette = {
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
}

const systemFonts = 'system-ui,-apple-system,"Segoe UI",Roboto,sans-serif'

/**
 * Returns the style sheet of every page. The Content-Security-Policy contains its hash.
 *
 * @throws ConfigurationError if a token is not a CSS colour, radius or font list
 */
function styleSheet(theme: ThemeOptions): string {
  const { brand, colorScheme = 'auto', radius = 8, fontFamily = systemFonts } = theme
  if (!['auto', 'light', 'dark'].includes(colorScheme)) {
    throw kindError('theme.colorScheme', 'auto, light or dark', colorScheme)
  }
  if (!(radius >= 0 && radius <= 64)) {
    throw new ConfigurationError('theme.radius', 'must be a number of pixels from 0 to 64')
  }
  checkKind('theme.fontFamily', fontFamily, 'a string')
  if (!/^[\w\s,"'-]+$/.test(fontFamily)) {
    throw new ConfigurationError('theme.fontFamily', 'must be a list of font names')
  }
  const day = toCustomProperties('light', light, theme)
  const night = toCustomProperties('dark', dark, theme)
  const colors = toColorRules(colorScheme, day, night)
  return `${colors}:root{--radius:${radius}px;--font:${fontFamily}}${styleRules}${brand?.rules ?? ''}`
}

function toColorRules(colorScheme: 'auto' | 'light' | 'dark', day: string, night: string): string {
  if (colorScheme === 'light') return `:root{color-scheme:light;${day}}`
  if (colorScheme === 'dark') return `:root{color-scheme:dark;${night}}`
  return `:root{color-scheme:light dark;${day}}@media(prefers-color-scheme:dark){:root{${night}}}`
}

function toCustomProperties(scheme: 'light' | 'dark', base: Palette, theme: ThemeOptions): string {
  const over = theme[scheme] ?? {}
  for (const [token, value] of Object.entries(over)) {
    const option = `theme.${scheme}.${token}`
    if (!Object.hasOwn(base, token)) throw new ConfigurationError(option, 'is not a token')
    checkKind(option, value, 'a string')
    if (!cssColor.test(value)) throw new ConfigurationError(option, 'must be a CSS colour')
  }
  const colors = theme.brand?.toColors?.(scheme, { ...base, ...over })
  return Object.entries({ ...base, ...colors, ...over })
    .map(([token, value]) => `--${token}:${value}`)
    .join(';')
}

const cssColor = /^(#[\da-f]{3,8}|[a-z]+|(rgb|hsl|hwb|lab|lch|oklab|oklch)a?\([\d.,%\s/a-z-]+\))$/i
