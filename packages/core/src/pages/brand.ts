import { ConfigurationError } from '../lib/errors.ts'
import { checkKind } from '../lib/kind.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import { contrast, isHexColor, pickText } from './contrast.ts'
import { html, raw } from './html.ts'
import type { Markup } from './html.ts'
import { checkInlineSvg } from './svg.ts'
import type { Brand, Palette } from './theme.ts'

/** What users know the service by. */
export interface BrandOptions {
  /** What users know the service as: the pages name it in place of the host. */
  readonly name: string
  /**
   * The logo, 40 CSS pixels high: an inline SVG of basic shapes, which may use `currentColor`, or a
   * base64 `data:` URI of an image. Default: the name as text
   */
  readonly logo?: string
  /**
   * The colour of the brand, `#rgb` or `#rrggbb`: the main button of each page, with a text of black or white,
   * and links, darker or lighter where they need it to keep WCAG 2.2 AA. `light` and `dark` of the theme replace
   * what it makes. Default: the colours of the theme
   */
  readonly color?: string
}

/** A brand, and the colours that it makes. */
export interface ColoredBrand extends Brand {
  /**
   * Returns the colours of the brand, which contrast with a palette.
   *
   * @throws ConfigurationError naming the colour of the palette that cannot be compared
   */
  readonly toColors?: (scheme: 'light' | 'dark', palette: Palette) => Partial<Palette>
}

/**
 * Checks the option `brand` of a theme.
 *
 * @throws ConfigurationError if the name is empty, the colour not hexadecimal, or the logo neither a `data:` URI of an image nor an
 *   SVG without scripts, event attributes, styles and references to other documents
 */
export function createBrand(options: BrandOptions): ColoredBrand {
  checkKind('theme.brand', options, 'an object')
  checkKnownNames('theme.brand', options, ['name', 'logo', 'color'])
  const { name, logo, color } = options
  if (typeof name !== 'string' || name.trim() === '') {
    throw new ConfigurationError('theme.brand.name', 'must be a text')
  }
  const head = renderHead(name, logo)
  const shown = { name, head }
  if (color === undefined) return shown
  if (typeof color !== 'string' || !isHexColor(color)) {
    throw new ConfigurationError('theme.brand.color', 'must be a colour such as #0b6e4f')
  }
  return {
    ...shown,
    color,
    colorText: pickText(color),
    toColors: (scheme, palette) => toColors(color, scheme, palette),
  }
}

function renderHead(name: string, logo: string | undefined): Markup {
  if (logo === undefined) return html`<p>${name}</p>`
  if (imageUri.test(logo)) return html`<img src="${logo}" alt="${name}" />`
  checkInlineSvg('theme.brand.logo', logo)
  return html`<span role="img" aria-label="${name}">${raw(logo)}</span>`
}

/** WCAG 2.2 AA: text has 4.5:1 (§1.4.3). A button, which its text names too, must only be visible. */
function toColors(color: string, scheme: 'light' | 'dark', palette: Palette): Partial<Palette> {
  const { surface, background } = palette
  for (const [name, value] of Object.entries({ surface, background })) {
    if (isHexColor(value)) continue
    const problem = 'must be a colour such as #ffffff beside the colour of the brand'
    throw new ConfigurationError(`theme.${scheme}.${name}`, problem)
  }
  const button = contrast(color, [surface], 1.3)
  return {
    accent: contrast(color, [surface, background], 4.5),
    accentText: pickText(button),
    button,
  }
}

const imageUri = /^data:image\/(png|jpeg|gif|webp|avif|svg\+xml);base64,[a-z\d+/]+=*$/i
