import { AuthError, ConfigurationError } from '../lib/errors.ts'
import { isLoopback } from '../http/base-url.ts'
import { checkKind } from '../lib/kind.ts'
import type { OptionParts } from '../kernel/option-parts.ts'

/**
 * Returns whether a host of a request is the service's own, so that the links of emails may lead there.
 *
 * @param host In the spelling of `URL`, with a port that is not the default one of the scheme
 */
export type LinkHost = (host: string) => boolean

/**
 * Checks that no request chooses the host of a link: it would receive the token of another user.
 *
 * @throws ConfigurationError naming the provider
 */
export function checkLinkHosts(
  { origin, trustHost = false }: Pick<OptionParts, 'origin' | 'trustHost'>,
  option: string,
  linkHost: LinkHost | undefined,
): void {
  checkKind(`${option}.linkHost`, linkHost, 'a function')
  if (origin !== undefined || trustHost === false) return
  if (trustHost === true) {
    const problem = 'trustHost: true lets a request choose the host of the links in emails'
    throw new ConfigurationError(option, `${problem}: set serviceUrl, or list the hosts`)
  }
  const wildcard = trustHost.find(isWildcard)
  if (wildcard === undefined || linkHost) return
  const problem = `trustHost has ${wildcard}, so that a request chooses the host of the links in emails`
  const ways = 'set serviceUrl, or linkHost: (host) => boolean, which names hosts of the service'
  throw new ConfigurationError(option, `${problem}: ${ways}`)
}

/** Returns whether an entry of `trustHost` stands for several hosts: ports of loopback are of one machine. */
function isWildcard(entry: string): boolean {
  const hostname = entry.replace(/:\*$/, '')
  return hostname.startsWith('*.') || (hostname !== entry && !isLoopback({ hostname }))
}

/**
 * Returns the host of a link, for the text of its email. A link to loopback leads to the machine of its reader.
 *
 * @throws AuthError `Configuration` if the application does not name the host
 */
export function getLinkHost(link: string, linkHost: LinkHost | undefined): string {
  const url = new URL(link)
  const { host } = url
  if (!linkHost || isLoopback(url) || linkHost(host) === true) return host
  throw new AuthError('Configuration', `linkHost does not name ${host}: no email was sent`)
}
