import type { ThemeOptions } from '@latchkey/core/pages/theme'

/** A logo of basic shapes in the colour of the text. */
const logo =
  '<svg viewBox="0 0 40 40" fill="none"><rect width="40" height="40" rx="10" fill="#1d5bb8" />' +
  '<path d="M12 26V14l8 8l8-8v12" stroke="#fff" stroke-width="3.5" stroke-linejoin="round" /></svg>'

/** A theme with everything that it can have. */
export const branded: ThemeOptions = {
  brand: { name: 'Meridian', logo },
  legal: { terms: '/terms', privacy: 'https://example.com/privacy' },
}
