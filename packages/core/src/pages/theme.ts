import { ConfigurationError } from '../errors.ts'
import type { Provider } from '../ports/provider.ts'
import { assertKnownNames } from '../lib/known-names.ts'
import type { Markup } from './html.ts'

/** The CSS colours of the pages in one colour scheme. The defaults keep WCAG 2.2 AA: 4.5:1 for text. */
export interface Palette {
  readonly background: string
  readonly surface: string
  readonly text: string
  readonly muted: string
  readonly border: string
  readonly accent: string
  readonly accentText: string
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
  /** The marks on the buttons: `marks` or `createMarks()` of `@latchkey/core/pages/marks`. Default: none */
  readonly marks?: Marks
  /** The links below every page. Default: none */
  readonly legal?: LegalOptions
}

/** A checked name and logo. */
export interface Brand {
  readonly name: string
  /** The logo, or the name. */
  readonly head: Markup
  /** Whether the logo is an image, which the Content-Security-Policy must allow. */
  readonly hasImage: boolean
}

/** Returns the mark on the button of a provider. */
export type Marks = (provider: Pick<Provider, 'id' | 'type'>) => Markup | undefined

/** The links below every page: absolute http(s) URLs, or paths on the service's origin. */
export interface LegalOptions {
  readonly terms?: string
  readonly privacy?: string
}

/** The option `theme`, checked. */
export interface Theme extends Pick<ThemeOptions, 'brand' | 'marks' | 'legal'> {
  /** The style sheet: exactly the text whose hash the Content-Security-Policy contains. */
  readonly style: string
}

/**
 * Checks the option `theme`.
 *
 * @throws ConfigurationError naming the member that cannot be used
 */
export function resolveTheme(theme: ThemeOptions | undefined): Theme {
  if (!theme) return unbranded
  const { brand, marks, legal } = theme
  if (brand && !brand.head) throw new ConfigurationError('theme.brand', 'must be made by brand()')
  if (marks && typeof marks !== 'function') {
    throw new ConfigurationError('theme.marks', 'must be made by createMarks()')
  }
  assertKnownNames('theme.legal', legal, ['terms', 'privacy'])
  for (const [name, url] of Object.entries(legal ?? {})) {
    if (/^(https?:\/\/|\/(?![/\\]))/.test(url) && URL.canParse(url, 'https://host')) continue
    throw new ConfigurationError(`theme.legal.${name}`, 'must be an http(s) URL or a path')
  }
  return { ...theme, style: styleSheet(theme) }
}

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
  const { colorScheme = 'auto', radius = 8, fontFamily = systemFonts } = theme
  if (!['auto', 'light', 'dark'].includes(colorScheme)) {
    throw new ConfigurationError('theme.colorScheme', 'must be auto, light or dark')
  }
  if (!(radius >= 0 && radius <= 64)) {
    throw new ConfigurationError('theme.radius', 'must be a number of pixels from 0 to 64')
  }
  if (!/^[\w\s,"'-]+$/.test(fontFamily)) {
    throw new ConfigurationError('theme.fontFamily', 'must be a list of font names')
  }
  const day = toCustomProperties('light', light, theme)
  const night = toCustomProperties('dark', dark, theme)
  const colors = toColorRules(colorScheme, day, night)
  return `${colors}:root{--radius:${radius}px;--font:${fontFamily}}${rules}`
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
    if (!cssColor.test(value)) throw new ConfigurationError(option, 'must be a CSS colour')
  }
  return Object.entries({ ...base, ...over })
    .map(([token, value]) => `--${token}:${value}`)
    .join(';')
}

const cssColor = /^(#[\da-f]{3,8}|[a-z]+|(rgb|hsl|hwb|lab|lch|oklab|oklch)a?\([\d.,%\s/a-z-]+\))$/i

const rules = [
  '*{box-sizing:border-box}',
  'body{margin:0;min-height:100vh;min-height:100dvh;padding:2rem 1rem;display:flex;',
  'flex-direction:column;align-items:center;justify-content:center;gap:1.5rem;',
  '--line:color-mix(in srgb,var(--border) 40%,transparent);',
  'background:var(--background);color:var(--text);font:1rem/1.5 var(--font)}',
  'main{width:100%;max-width:25rem;padding:2.5rem;background:var(--surface);',
  'border-radius:calc(var(--radius)*2);',
  'box-shadow:0 0 0 1px var(--line),0 .5rem 2rem rgb(0 0 0/.08)}',
  'header p{font-size:1.25rem;font-weight:600}',
  'header img,header svg{display:block;height:2.5rem;width:auto;max-width:100%}',
  'h1{margin:0;font-size:1.5rem;font-weight:650;line-height:1.25;letter-spacing:-.015em;',
  'overflow-wrap:anywhere;text-wrap:balance}',
  'p{margin:.5rem 0 0;overflow-wrap:anywhere}',
  'header p{margin:0}bdi{font-weight:600}',
  '.muted,.or,footer{color:var(--muted)}',
  '[role=alert],[role=status]{margin-top:1.25rem;padding:.75rem 1rem;',
  'border-radius:var(--radius);background:color-mix(in srgb,var(--accent) 10%,transparent)}',
  '[role=alert]{color:var(--danger);background:var(--dangerSurface)}',
  'h1+[role=alert]{margin-top:.5rem;padding:0;color:var(--muted);background:none}',
  'form{margin-top:1.5rem}form+form{margin-top:.75rem}.or+form{margin-top:0}.hint{margin-top:1.5rem}.hint+form{margin-top:.75rem}',
  'label{display:block;font-weight:500}input:not([type=hidden])+label{margin-top:1rem}',
  'button,input,.button{display:flex;align-items:center;justify-content:center;width:100%;',
  'min-height:3rem;padding:.625rem 1rem;font:inherit;color:var(--text);background:transparent;',
  'border:1px solid var(--border);border-radius:var(--radius)}',
  'input{margin-top:.375rem}input:not([type=hidden])+button{margin-top:1rem}',
  'input[aria-invalid]{border-color:var(--danger)}',
  'input[name=code]{font-size:1.375rem;letter-spacing:.2em;text-align:center}',
  'button,.button{position:relative;font-weight:600;line-height:1.25;text-align:center;',
  'text-decoration:none;overflow-wrap:anywhere;cursor:pointer}',
  'button:hover,.button:hover{background:color-mix(in srgb,var(--accent) 8%,transparent)}',
  '.primary{border-color:var(--accent);color:var(--accentText);background:var(--accent)}',
  '.primary:hover{background:color-mix(in srgb,var(--accent) 88%,var(--text))}',
  '.button{margin-top:1.5rem}form+.button{margin-top:.75rem}',
  '.mark{padding-inline:3rem}.mark svg{position:absolute;inset-inline-start:1rem;',
  'inset-block-start:calc(50% - .625rem);width:1.25rem;height:1.25rem}',
  '.or{display:flex;align-items:center;gap:1rem;margin:1.5rem 0;font-size:.875rem}',
  '.or:before,.or:after{content:"";flex:1;border-top:1px solid var(--line)}',
  'a{color:var(--accent)}.links{margin-top:.75rem;text-align:center}',
  '.links a,footer a{display:inline-flex;align-items:center;min-height:2.75rem;padding:0 .75rem;',
  'text-decoration:none}.links a:hover,footer a:hover{text-decoration:underline}',
  'footer{display:flex;font-size:.875rem}footer a{color:inherit}',
  ':focus-visible{outline:3px solid var(--accent);outline-offset:2px}',
  '@media(max-width:30rem){body{justify-content:start;background:var(--surface)}',
  'main{padding:1rem .5rem;box-shadow:none}}',
  '@media(forced-colors:active){main,button,input,.button{border:1px solid}}',
].join('')
