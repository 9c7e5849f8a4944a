import { createAuth, parseServiceUrl } from '@latchkey/core'
import type { Auth, AuthConfig, PagesOptions, SessionToken, SessionTypes } from '@latchkey/core'

/** A configuration, or a function that returns it, or a promise of it. Its types are those of `AuthConfig`. */
export type ConfigSource<
  Session,
  Token extends SessionToken,
  Fields = unknown,
  Renewed extends SessionToken = Token,
  Updated extends SessionToken = Token,
  Emitted extends SessionTypes = { readonly session: Session; readonly token: Token },
> =
  | AuthConfig<Session, Token, Fields, Renewed, Updated, Emitted>
  | (() => Awaitable<AuthConfig<Session, Token, Fields, Renewed, Updated, Emitted>>)

type Awaitable<T> = T | Promise<T>

/** The service of an application, with the parts of its configuration that Next.js needs. */
export interface NextService<Session, Token extends SessionToken = SessionToken> extends Auth<
  Session,
  Token
> {
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
export function createGetService<
  Session,
  Token extends SessionToken,
  Fields,
  Renewed extends SessionToken,
  Updated extends SessionToken,
  Emitted extends SessionTypes,
>(
  source: ConfigSource<Session, Token, Fields, Renewed, Updated, Emitted>,
): () => Promise<NextService<Session, Token>> {
  let created = typeof source === 'function' ? undefined : createNextService(source)
  let pending: Promise<NextService<Session, Token>> | undefined
  const create = async (): Promise<NextService<Session, Token>> => {
    const config = typeof source === 'function' ? await source() : source
    return (created = createNextService(config))
  }
  return async () => {
    if (created) return created
    pending ??= create().finally(() => (pending = undefined))
    return pending
  }
}

function createNextService<
  Session,
  Token extends SessionToken,
  Fields,
  Renewed extends SessionToken,
  Updated extends SessionToken,
  Emitted extends SessionTypes,
>(
  config: AuthConfig<Session, Token, Fields, Renewed, Updated, Emitted>,
): NextService<Session, Token> {
  const auth = createAuth(config)
  const { origin } = parseServiceUrl(config.serviceUrl, config.allowInsecure)
  return Object.freeze({ ...auth, origin, pages: config.pages ?? {} })
}
