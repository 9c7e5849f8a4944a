/** What each browser has in its User-Agent; those that imitate another one come before it. */
const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|OPT|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bVersion\/[\d.]+ .*Safari\//],
]

/** What each system has in the User-Agent, in the same order. */
const systems: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
]

/**
 * Returns a short description of a browser in no language, such as `Firefox (Windows)`. It has only names that are
 * listed here, so that a User-Agent cannot say anything else to a user.
 *
 * @returns Undefined if neither browser nor system is known
 */
export function describeBrowser(userAgent: string | undefined): string | undefined {
  const text = userAgent?.slice(0, 255) ?? ''
  const browser = find(browsers, text)
  const system = find(systems, text)
  return browser !== undefined && system !== undefined
    ? `${browser} (${system})`
    : (browser ?? system)
}

function find(rows: typeof browsers, text: string): string | undefined {
  return rows.find(([, pattern]) => pattern.test(text))?.[0]
}
