import { ConfigurationError } from '../lib/errors.ts'
import { checkKind, kindError } from '../lib/kind.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import type { Names } from '../lib/known-names.ts'
import { createBrand } from './brand.ts'
import type { BrandOptions } from './brand.ts'
import { brandRules } from './brand-rules.ts'
import { createStyle, madeThemes, palettes } from './theme.ts'
import type { LegalOptions, Marks, Palette, Theme } from './theme.ts'

export type { BrandOptions } from './brand.ts'
export type { LegalOptions, Palette, Theme } from './theme.ts'

/** The options of {@link createTheme}. */
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
  /** The name, the logo and the colour of the service. Default: none, and the pages name the host */
  readonly brand?: BrandOptions
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

const names: Names<ThemeOptions> = {
  colorScheme: true,
  light: true,
  dark: true,
  radius: true,
  fontFamily: true,
  brand: true,
  marks: true,
  legal: true,
  providersFirst: true,
  stylesheet: true,
}

/**
 * Creates the look of the built-in pages and of emails, the option `theme`.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { createTheme } from '@latchkey/core/pages/theme'
 *
 *   declare const config: AuthConfig
 *   const logo = '<svg viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="currentColor" /></svg>'
 *   const theme = createTheme({ brand: { name: 'Example', logo, color: '#0b6e4f' }, radius: 4 })
 *   const auth = createAuth({ ...config, theme })
 *
 * @throws ConfigurationError naming the member that cannot be used
 */
export function createTheme(options: ThemeOptions): Theme {
  checkOptions(options)
  const { brand: given, colorScheme, radius, fontFamily, light: _, dark: __, ...others } = options
  const brand = given === undefined ? undefined : createBrand(given)
  const toPalette = (scheme: 'light' | 'dark'): Palette => {
    const over = options[scheme]
    const base = { ...palettes[scheme], ...over }
    return { ...base, ...brand?.toColors?.(scheme, base), ...over }
  }
  const [light, dark] = [toPalette('light'), toPalette('dark')]
  const style = createStyle({ colorScheme, radius, fontFamily, light, dark })
  const theme = brand ? { ...others, brand, style: style + brandRules } : { ...others, style }
  madeThemes.add(theme)
  return theme
}

/** A path without a query, which a source of a Content-Security-Policy cannot have. */
const cssPath = /^\/[\w~-][\w./~-]*$/

function checkOptions(options: ThemeOptions): void {
  checkKind('theme', options ?? null, 'an object')
  checkKnownNames('theme', options, Object.keys(names))
  checkStyle(options)
  checkLegal(options.legal)
  const { marks, providersFirst, stylesheet } = options
  if (marks !== undefined && typeof marks !== 'function') {
    throw new ConfigurationError('theme.marks', 'must be made by createMarks()')
  }
  checkKind('theme.providersFirst', providersFirst, 'true or false')
  checkKind('theme.stylesheet', stylesheet, 'a string')
  if (stylesheet !== undefined && !cssPath.test(stylesheet)) {
    throw new ConfigurationError('theme.stylesheet', 'must be a path such as /brand.css')
  }
}

function checkLegal(legal: LegalOptions | undefined): void {
  checkKind('theme.legal', legal, 'an object')
  checkKnownNames('theme.legal', legal, ['terms', 'privacy'])
  for (const [name, url] of Object.entries(legal ?? {})) {
    checkKind(`theme.legal.${name}`, url, 'a string')
    if (url === undefined) continue
    if (/^(https?:\/\/|\/(?![/\\]))/.test(url) && URL.canParse(url, 'https://host')) continue
    throw new ConfigurationError(`theme.legal.${name}`, 'must be an http(s) URL or a path')
  }
}

function checkStyle({
  colorScheme = 'auto',
  radius = 8,
  fontFamily = 'serif',
  light,
  dark,
}: ThemeOptions): void {
  if (!['auto', 'light', 'dark'].includes(colorScheme)) {
    throw kindError('theme.colorScheme', 'auto, light or dark', colorScheme)
  }
  checkKind('theme.radius', radius, 'a number')
  if (!(radius >= 0 && radius <= 64)) {
    throw new ConfigurationError('theme.radius', 'must be a number of pixels from 0 to 64')
  }
  checkKind('theme.fontFamily', fontFamily, 'a string')
  if (!/^[\w\s,"'-]+$/.test(fontFamily)) {
    throw new ConfigurationError('theme.fontFamily', 'must be a list of font names')
  }
  checkColors('light', light)
  checkColors('dark', dark)
}

function checkColors(scheme: 'light' | 'dark', colors: Partial<Palette> = {}): void {
  checkKind(`theme.${scheme}`, colors, 'an object')
  for (const [token, value] of Object.entries(colors)) {
    const option = `theme.${scheme}.${token}`
    if (!Object.hasOwn(palettes.light, token)) {
      throw new ConfigurationError(option, 'is not a token')
    }
    checkKind(option, value, 'a string')
    if (!cssColor.test(value)) throw new ConfigurationError(option, 'must be a CSS colour')
  }
}

const cssColor = /^(#[\da-f]{3,8}|[a-z]+|(rgb|hsl|hwb|lab|lch|oklab|oklch)a?\([\d.,%\s/a-z-]+\))$/i
