import { raw } from './html.ts'
import { checkInlineSvg } from './svg.ts'
import type { Marks } from './theme.ts'

export type { Marks } from './theme.ts'

/**
 * Draws a mark: lines on a grid of 24, in the colour of the text.
 *
 * @param paths The `d` of its paths (SVG 2 §9.3)
 */
function draw(paths: string): string {
  return (
    '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" ' +
    `stroke-linecap="round" stroke-linejoin="round"><path d="${paths}" /></svg>`
  )
}

const envelope = draw('M3.5 6h17v12h-17zM4 6.5l8 6.5l8-6.5')
const key = draw('M4.5 15.5a4 4 0 1 1 8 0a4 4 0 1 1-8 0M11.5 12.5L19.5 4.5M16 8l3 3')
const globe = draw(
  'M3 12a9 9 0 1 1 18 0a9 9 0 1 1-18 0M3 12h18M12 3c-5 5.5-5 12.5 0 18M12 3c5 5.5 5 12.5 0 18',
)
const shield = draw('M12 3l7.5 3v5.5c0 4.5-3 7.5-7.5 9.5c-4.5-2-7.5-5-7.5-9.5V6zM9 12l2 2l4-4')
const code = draw('M8.5 7.5L4 12l4.5 4.5M15.5 7.5L20 12l-4.5 4.5M13.5 5l-3 14')
const speech = draw('M4 5h16v11h-8.5L7 20v-4H4zM8 9h8M8 12h5')
const people = draw(
  'M5.5 8.5a3.5 3.5 0 1 1 7 0a3.5 3.5 0 1 1-7 0M2.5 20c0-4 3-6.5 6.5-6.5s6.5 2.5 6.5 6.5' +
    'M15.5 5.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2 1 3.5 3 3.5 5.5',
)
const building = draw('M5 20.5V3.5h9v17M14 9h5v11.5M2.5 20.5h19M8 7.5h3M8 11.5h3M8 15.5h3')
const play = draw('M3.5 5h17v14h-17zM10 9v6l5-3z')
const fingerprint = draw(
  'M5 15.5V11a7 7 0 0 1 14 0v3.5M8.5 19c.5-1.5.5-3 .5-5v-3a3 3 0 0 1 6 0v3.5c0 2-.3 4-1 6' +
    'M12 11v4c0 2-.2 3.7-.8 5.5',
)
const phone = draw('M7 2.5h10v19H7zM10.5 18.5h3')

/** By the provider's id or type. */
const drawings: Readonly<Record<string, string>> = {
  email: envelope,
  credentials: key,
  oauth: globe,
  oidc: shield,
  passkey: fingerprint,
  apple: phone,
  google: globe,
  yahoo: globe,
  yandex: globe,
  github: code,
  gitlab: code,
  bitbucket: code,
  huggingface: code,
  linear: code,
  vercel: code,
  discord: speech,
  slack: speech,
  line: speech,
  kakao: speech,
  reddit: speech,
  facebook: people,
  linkedin: people,
  twitter: people,
  patreon: people,
  atlassian: building,
  hubspot: building,
  'microsoft-entra-id': building,
  okta: building,
  salesforce: building,
  workos: building,
  spotify: play,
  tiktok: play,
  twitch: play,
  zoom: play,
}

/**
 * Neutral marks for the buttons of the sign-in page, the option `theme.marks`. They say what kind of
 * account a button leads to, and copy no trademark.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { marks } from '@latchkey/core/pages/marks'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, theme: { marks } })
 */
export const marks: Marks = ({ id, type }) => toMarkup(drawings[id] ?? drawings[type])

/**
 * Creates marks of the application, the option `theme.marks`.
 *
 * @param own Inline SVG of basic shapes, by the provider's id, or by its type for all providers whose id is absent
 * @param others The marks of all other providers. Default: none
 *
 * @example
 *   import { createMarks, marks } from '@latchkey/core/pages/marks'
 *
 *   const dot = '<svg viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="currentColor" /></svg>'
 *   const theme = { marks: createMarks({ intranet: dot }, marks) }
 *
 * @throws ConfigurationError naming a mark with scripts, event attributes, styles or references to other
 *   documents
 */
export function createMarks(own: Readonly<Record<string, string>>, others?: Marks): Marks {
  for (const [name, svg] of Object.entries(own)) checkInlineSvg(`theme.marks.${name}`, svg)
  const entries = new Map(Object.entries(own))
  return (provider) =>
    toMarkup(entries.get(provider.id) ?? entries.get(provider.type)) ?? others?.(provider)
}

function toMarkup(svg: string | undefined): ReturnType<Marks> {
  return svg === undefined ? undefined : raw(svg)
}
