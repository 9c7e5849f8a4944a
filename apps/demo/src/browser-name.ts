import { getParser } from 'bowser'

/**
 * Describes the browser of a session, such as "Chrome on Linux". The text comes from the client: it
 * distinguishes sessions, and proves nothing.
 *
 * @param userAgent The User-Agent header, if the browser sent one
 */
export function describeBrowser(userAgent: string | undefined): string {
  if (userAgent === undefined || userAgent === '') return 'Unknown browser'
  const parser = getParser(userAgent)
  const [browser, system] = [parser.getBrowserName(), parser.getOSName()]
  if (browser === '') return 'Unknown browser'
  return system === '' ? browser : `${browser} on ${system}`
}
