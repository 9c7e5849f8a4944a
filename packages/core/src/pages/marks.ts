import { raw } from './html.ts'
import { renderMark } from './mark.ts'
import { checkInlineSvg } from './svg.ts'
import type { Marks } from './theme.ts'

export type { Marks } from './theme.ts'

/**
 * Creates the option `marks` of a theme: some marks of the application, and for all other providers their own. To
 * show none, set `marks: () => undefined`.
 *
 * @param own Inline SVG of basic shapes, by the provider's id, or by its type for all providers whose id is absent
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { createMarks } from '@latchkey/core/pages/marks'
 *   import { createTheme } from '@latchkey/core/pages/theme'
 *
 *   declare const config: AuthConfig
 *   const dot = '<svg viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="currentColor" /></svg>'
 *   const auth = createAuth({ ...config, theme: createTheme({ marks: createMarks({ intranet: dot }) }) })
 *
 * @throws ConfigurationError naming a mark with scripts, event attributes, styles or references to other
 *   documents
 */
export function createMarks(own: Readonly<Record<string, string>>): Marks {
  for (const [name, svg] of Object.entries(own)) checkInlineSvg(`theme.marks.${name}`, svg)
  const entries = new Map(Object.entries(own))
  return (provider) => {
    const svg = entries.get(provider.id) ?? entries.get(provider.type)
    return svg === undefined ? renderMark(provider) : raw(svg)
  }
}
