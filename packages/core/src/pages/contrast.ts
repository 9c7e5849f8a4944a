/** Returns whether a text is `#rgb` or `#rrggbb`. */
export function isHexColor(text: string): boolean {
  return /^#([\da-f]{3}){1,2}$/i.test(text)
}

/** Returns black or white: at least 4.58:1 on every colour. */
export function pickText(color: string): string {
  const luminance = getLuminance(color)
  return getRatio(1, luminance) >= getRatio(luminance, 0) ? '#ffffff' : '#000000'
}

/** Returns a colour, mixed with as little black or white as gives it a contrast with all surfaces. */
export function contrast(color: string, surfaces: readonly string[], minimum: number): string {
  const luminances = surfaces.map(getLuminance)
  const channels = toChannels(color)
  const target = pickText(surfaces[0] ?? '') === '#ffffff' ? 255 : 0
  for (let share = 0; share < 100; share++) {
    const mixed = channels.map((channel) =>
      Math.round(channel + ((target - channel) * share) / 100),
    )
    const own = getLuminance(toHex(mixed))
    if (luminances.every((other) => getRatio(own, other) >= minimum)) return toHex(mixed)
  }
  return toHex([target, target, target])
}

function toChannels(color: string): readonly number[] {
  const digits = color.length === 4 ? color.replaceAll(/[^#]/g, '$&$&') : color
  return [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16))
}

function toHex(channels: readonly number[]): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** Returns the relative luminance (WCAG 2.2). */
function getLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = toChannels(color).map((channel) => {
    const share = channel / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns the contrast ratio of two luminances (WCAG 2.2). */
function getRatio(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}
