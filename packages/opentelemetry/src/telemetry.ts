import type { AuthConfig, createAuth, SessionToken, SessionTypes } from '@latchkey/core'
import { getErrorType, names } from './attributes.ts'
import { countEvents, countRefusals } from './counters.ts'
import { createInstruments } from './instruments.ts'
import type { Instruments, TelemetryOptions } from './instruments.ts'
import { traceFetch } from './outbound.ts'
import { traceHandle } from './request-span.ts'
import { traceStorage } from './storage.ts'

/**
 * Returns a `createAuth` whose services have traces and metrics: a span for each request, call of the
 * storage and outbound request, their durations, and counters of sign-ins, refusals and limits. Without an SDK
 * of OpenTelemetry nothing is recorded.
 *
 * No attribute has a token, an email address, the id of a user or a query.
 *
 * @param create `createAuth` of `@latchkey/core`
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { github } from '@latchkey/core/providers/github'
 *   import { telemetry } from '@latchkey/opentelemetry'
 *
 *   const auth = telemetry(createAuth)({
 *     serviceUrl: 'https://example.com',
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *   })
 */
export function telemetry(
  create: typeof createAuth,
  options: TelemetryOptions = {},
): typeof createAuth {
  const getInstruments = createInstruments(options)
  return (config) => {
    const auth = create({ ...config, ...instrument(config, getInstruments) })
    return Object.assign({}, auth, { handle: traceHandle(auth, getInstruments) })
  }
}

/**
 * Returns a configuration with the spans and metrics of {@link telemetry}, without the spans of requests: for
 * frameworks that create the service themselves and have their own spans, such as `@latchkey/next`.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { instrumentConfig } from '@latchkey/opentelemetry'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth(instrumentConfig(config, { databaseSystem: 'postgresql' }))
 *
 * @throws ConfigurationError `serviceUrl`
 */
export function instrumentConfig<
  Session,
  Token extends SessionToken,
  Fields,
  Renewed extends SessionToken,
  Updated extends SessionToken,
  Emitted extends SessionTypes,
>(
  config: AuthConfig<Session, Token, Fields, Renewed, Updated, Emitted>,
  options: TelemetryOptions = {},
): AuthConfig<Session, Token, Fields, Renewed, Updated, Emitted> {
  return { ...config, ...instrument(config, createInstruments(options)) }
}

/**
 * Returns a function that counts transactions that are tried again, as after a deadlock: the option
 * `onRetry` of storages.
 *
 * @example
 *   import { countRetries } from '@latchkey/opentelemetry'
 *   import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
 *
 *   const storage = nodeSqliteStorage('./latchkey.sqlite', { onRetry: countRetries() })
 */
export function countRetries(options: TelemetryOptions = {}): (error: unknown) => void {
  const getInstruments = createInstruments(options)
  return (error) => {
    const { retries, databaseSystem } = getInstruments()
    retries.add(1, {
      [names.errorType]: getErrorType(error),
      ...(databaseSystem !== undefined && { [names.dbSystem]: databaseSystem }),
    })
  }
}

/** Returns the options that have spans and metrics. */
function instrument<
  Session,
  Token extends SessionToken,
  Fields,
  Renewed extends SessionToken,
  Updated extends SessionToken,
  Emitted extends SessionTypes,
>(
  config: AuthConfig<Session, Token, Fields, Renewed, Updated, Emitted>,
  getInstruments: () => Instruments,
): Pick<
  AuthConfig<Session, Token, Fields, Renewed, Updated, Emitted>,
  'storage' | 'runtime' | 'events' | 'logger'
> {
  const { storage, runtime, events } = config
  const send = runtime?.fetch ?? ((url, init) => fetch(url, init))
  return {
    ...(storage && { storage: traceStorage(storage, getInstruments) }),
    runtime: { ...runtime, fetch: traceFetch(send, getInstruments) },
    events: countEvents(events, getInstruments),
    logger: countRefusals(config, getInstruments),
  }
}
