import { consoleLogger, parseServiceUrl } from '@latchkey/core'
import type { AuthConfig, Events, LogDetails, Logger, SessionToken } from '@latchkey/core'
import { names, ownNames } from './attributes.ts'
import type { Instruments } from './instruments.ts'
import { getRequestSpan } from './request-span.ts'

/** Returns the same listeners, which count sign-ins and sign-outs before. */
export function countEvents<Session, Token extends SessionToken>(
  events: Events<Session, Token> | undefined,
  getInstruments: () => Instruments,
): Events<Session, Token> {
  return {
    ...events,
    signIn(event) {
      const { provider, isNewUser } = event
      const attributes = { [ownNames.provider]: provider, [ownNames.isNewUser]: isNewUser }
      getInstruments().signIns.add(1, attributes)
      return events?.signIn?.(event)
    },
    signInFailed(event) {
      const { provider, error } = event
      const attributes = { [ownNames.provider]: provider, [names.errorType]: error }
      getInstruments().failedSignIns.add(1, attributes)
      return events?.signInFailed?.(event)
    },
    signOut(event) {
      getInstruments().signOuts.add(1)
      return events?.signOut?.(event)
    },
  }
}

/** The members of the configuration that decide how a refusal is counted. */
type Logging = Pick<AuthConfig, 'logger' | 'serviceUrl' | 'allowInsecure'>

/** Returns the same logger, which counts refused requests before, by code and route. */
export function countRefusals(config: Logging, getInstruments: () => Instruments): Logger {
  const { logger = consoleLogger } = config
  const { basePath } = parseServiceUrl(config.serviceUrl, config.allowInsecure)
  const count =
    (level: keyof Logger) =>
    (message: string, details: LogDetails): unknown => {
      // Only the line of a request that was refused has an error and its route.
      if (details.error !== undefined && details.route !== undefined) {
        countRefusal(getInstruments(), message, details, basePath + details.route)
      }
      return logger[level]?.(message, details)
    }
  return { error: count('error'), warn: count('warn'), debug: count('debug') }
}

function countRefusal(
  { refusals, limits }: Instruments,
  message: string,
  { error, provider }: LogDetails,
  route: string,
): void {
  const attributes = {
    [names.errorType]: error,
    [names.route]: route,
    ...(provider !== undefined && { [ownNames.provider]: provider }),
  }
  refusals.add(1, attributes)
  getRequestSpan()?.setAttribute(ownNames.errorCode, String(error))
  if (error !== 'RateLimited') return
  const limit = getLimit(message)
  limits.add(1, { [ownNames.limit]: limit, [names.route]: route })
  getRequestSpan()?.setAttribute(ownNames.limit, limit)
}

/** A provider's own limit, such as the one of typed codes, has no name. */
function getLimit(message: string): string {
  return /^the limit (\w+) is reached$/.exec(message)?.[1] ?? '_OTHER'
}
