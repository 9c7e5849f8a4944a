import { ConfigurationError, createAuth, parseServiceUrl } from '@latchkey/core'
import type { Auth, AuthConfig, PagesOptions, SessionToken, SessionTypes } from '@latchkey/core'
import { logConfigurationError } from './configuration-error.ts'

/** A configuration, or a function that returns it or a promise of it. Its types are the types of `AuthConfig`. */
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
 * Creates the service, and returns a function that returns it. In `next build`, which has no secrets, a
 * function that returns the configuration is called by the first request instead.
 *
 * Concurrent calls wait for one configuration. If that fails, the next call tries again: the cause may
 * have been a secret store that could not be reached.
 *
 * @throws ConfigurationError if the configuration is invalid. If it is a promise, the error is logged instead
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
  type Config = AuthConfig<Session, Token, Fields, Renewed, Updated, Emitted>
  let created: NextService<Session, Token> | undefined
  let pending: Promise<NextService<Session, Token>> | undefined
  const start = (config: Promise<Config>): Promise<NextService<Session, Token>> =>
    (pending = Promise.resolve(config)
      .then((resolved) => (created = createNextService(resolved)))
      .finally(() => (pending = undefined)))
  const get = typeof source === 'function' ? source : () => source
  if (typeof source !== 'function') created = createNextService(source)
  else if (!isBuild()) {
    // Next.js drops what a module throws that it loads when the server starts: the log has it.
    const config = logged(() => call<Config>(source))
    if (isPromise(config)) start(config).catch(logIfInvalid)
    else created = logged(() => createNextService(config))
  }
  return async () => created ?? pending ?? start(Promise.resolve().then(get))
}

/** Returns whether `next build` evaluates the module. */
function isBuild(): boolean {
  return process.env['NEXT_PHASE'] === 'phase-production-build'
}

/** Calls the function of an application. An error that it throws rejects: the next call may succeed. */
function call<T extends object>(get: () => Awaitable<T>): Awaitable<T> {
  try {
    return get()
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) throw thrown
    return Promise.reject(thrown)
  }
}

/** An application may have promises of another kind than this realm's. */
function isPromise<T extends object>(value: Awaitable<T>): value is Promise<T> {
  return 'then' in value && typeof value.then === 'function'
}

function logged<T>(work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    logIfInvalid(thrown)
    throw thrown
  }
}

function logIfInvalid(thrown: unknown): void {
  if (thrown instanceof ConfigurationError) logConfigurationError(thrown)
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
