import { createAuth, parseServiceUrl } from '@latchkey/core'
import type { Auth, AuthConfig, PagesOptions, SessionToken } from '@latchkey/core'

/** A configuration, or a function that returns it, or a promise of it. */
export type ConfigSource<Session, Token extends SessionToken> =
  | AuthConfig<Session, Token>
  | (() => AuthConfig<Session, Token> | Promise<AuthConfig<Session, Token>>)

/** The service of an application, with the parts of its configuration that Next.js needs. */
export interface NextService<Session> extends Auth<Session> {
  /** The origin of `serviceUrl`; undefined if that is not set. */
  readonly origin: string | undefined
  readonly pages: PagesOptions
}

/** The type of a service's sessions, which is the return type of `callbacks.session`. */
export type InferSession<Service extends { readonly auth: () => Promise<unknown> }> = NonNullable<
  Awaited<ReturnType<Service['auth']>>
>

/**
 * Returns a function that creates the service at its first call and returns the same one afterwards.
 * A configuration that is not a function is checked at once.
 *
 * Concurrent calls wait for one configuration. If that fails, the next call tries again: the cause may
 * have been a secret store that could not be reached.
 *
 * @throws ConfigurationError if the configuration is not a function and invalid
 */
export function createGetService<Session, Token extends SessionToken>(
  source: ConfigSource<Session, Token>,
): () => Promise<NextService<Session>> {
  let created = typeof source === 'function' ? undefined : createNextService(source)
  let pending: Promise<NextService<Session>> | undefined
  const create = async (): Promise<NextService<Session>> => {
    const config = typeof source === 'function' ? await source() : source
    return (created = createNextService(config))
  }
  return async () => {
    if (created) return created
    pending ??= create().finally(() => (pending = undefined))
    return pending
  }
}

function createNextService<Session, Token extends SessionToken>(
  config: AuthConfig<Session, Token>,
): NextService<Session> {
  const auth = createAuth(config)
  const { origin } = parseServiceUrl(config.serviceUrl, config.allowInsecure)
  return Object.freeze({ ...auth, origin, pages: config.pages ?? {} })
}
