import { ConfigurationError } from '../errors.ts'

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

/** The design tokens of the built-in pages. */
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
export function styleSheet(theme: ThemeOptions = {}): string {
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
  'body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;',
  'background:var(--background);color:var(--text);font:1rem/1.5 var(--font)}',
  'main{width:100%;max-width:22rem;padding:2rem;background:var(--surface);',
  'border-radius:calc(var(--radius)*2);box-shadow:0 1px 3px rgb(0 0 0/.2)}',
  'h1{margin:0;font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}',
  'p{margin:.5rem 0 0}',
  '.muted{color:var(--muted);overflow-wrap:anywhere}',
  '[role=alert]{margin-top:1rem;padding:.75rem 1rem;border-radius:var(--radius);',
  'color:var(--danger);background:var(--dangerSurface)}',
  '[role=alert]+p{margin-top:1rem}',
  'form{margin-top:1rem}form+form{margin-top:0}form+form label{padding-top:1rem}',
  'label+input{margin-top:.25rem}',
  'label{display:block}label~label{padding-top:.5rem}',
  'button,input{width:100%;min-height:2.75rem;padding:.5rem 1rem;margin-top:.5rem;font:inherit;',
  'border:1px solid var(--border);border-radius:var(--radius);color:var(--text);',
  'background:transparent}',
  'button{margin-top:.75rem;font-weight:600;cursor:pointer}',
  'button:hover{border-color:var(--accent);color:var(--accent)}',
  'button.primary{border-color:var(--accent);color:var(--accentText);background:var(--accent)}',
  'button.primary:hover{filter:brightness(1.1)}',
  'a{color:var(--accent)}',
  ':focus-visible{outline:3px solid var(--accent);outline-offset:2px}',
  '@media(forced-colors:active){main,button,input{border:1px solid}}',
].join('')
