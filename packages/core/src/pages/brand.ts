import { ConfigurationError } from '../lib/errors.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import { html, raw } from './html.ts'
import { checkInlineSvg } from './svg.ts'
import type { Brand } from './theme.ts'

export type { Brand } from './theme.ts'

/** The options of {@link brand}. */
export interface BrandOptions {
  /** What users know the service as: the pages name it in place of the host. */
  readonly name: string
  /**
   * The logo, 40 CSS pixels high: an inline SVG of basic shapes, which may use `currentColor`, or a
   * base64 `data:` URI of an image. Default: the name as text
   */
  readonly logo?: string
}

/**
 * Creates the brand of the built-in pages, the option `theme.brand`.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { brand } from '@latchkey/core/pages/brand'
 *
 *   declare const config: AuthConfig
 *   const logo = '<svg viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="currentColor" /></svg>'
 *   const auth = createAuth({ ...config, theme: { brand: brand({ name: 'Example', logo }) } })
 *
 * @throws ConfigurationError if the name is empty, or the logo neither a `data:` URI of an image nor an
 *   SVG without scripts, event attributes, styles and references to other documents
 */
export function brand(options: BrandOptions): Brand {
  checkKnownNames('theme.brand', options, ['name', 'logo'])
  const { name, logo } = options
  if (typeof name !== 'string' || name.trim() === '') {
    throw new ConfigurationError('theme.brand.name', 'must be a text')
  }
  if (logo === undefined) return { name, head: html`<p>${name}</p>` }
  if (imageUri.test(logo)) {
    return { name, head: html`<img src="${logo}" alt="${name}" />` }
  }
  checkInlineSvg('theme.brand.logo', logo)
  const head = html`<span role="img" aria-label="${name}">${raw(logo)}</span>`
  return { name, head }
}

const imageUri = /^data:image\/(png|jpeg|gif|webp|avif|svg\+xml);base64,[a-z\d+/]+=*$/i
