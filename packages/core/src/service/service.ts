import { checkKnownOptions } from './known-options.ts'
import type { MetadataCache } from '../oauth/issuer-documents.ts'
import type { Outbox } from '../outbox/event-outbox.ts'
import { mayRenew } from '../kernel/points.ts'
import { platform } from '#crypto'
import type { AuthConfig } from '../kernel/config.ts'
import type { SessionToken } from '../session/session-claims.ts'
import { describeOtherCopy } from '../lib/copies.ts'
import { createCsrf } from '../crypto/csrf.ts'
import { createKeys } from '../crypto/seal.ts'
import { resolveSecrets } from '../crypto/secrets.ts'
import { ConfigurationError } from '../lib/errors.ts'
import type { ServiceUrl } from '../http/base-url.ts'
import { createGetBaseUrl, isLoopback, parseServiceUrl } from '../http/base-url.ts'
import { resolveCookieNames } from '../http/cookie-names.ts'
import { createCookieSpecs } from '../http/cookies.ts'
import type { Timeouts } from '../http/outbound-fetch.ts'
import { resolveTrustedHosts } from '../http/trusted-hosts.ts'
import { resolveTrustedOrigins } from '../http/trusted-origins.ts'
import type { Capability, Service, ServiceStorage, StorageCode } from '../kernel/context.ts'
import { platformClock } from '../lib/clock.ts'
import { consoleLogger, createLog } from '../lib/log.ts'
import { checkKind } from '../lib/kind.ts'
import { createExpiringMap } from '../lib/expiring-map.ts'
import { resolveLimits } from '../limits/limits.ts'
import { resolveLimiter } from '../limits/resolve-limiter.ts'
import type { OptionParts } from '../kernel/option-parts.ts'
import { resolvePages } from '../pages/custom-pages.ts'
import { createNegotiate } from '../pages/messages.ts'
import { createPolicy } from '../pages/policy.ts'
import { resolveTheme } from '../pages/theme.ts'
import type { Logger } from '../ports/logger.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { Storage, StoredUsers } from '../ports/storage.ts'
import {
  checkDeletedUsers,
  resolveEmptySession,
  resolveImports,
  resolveSessionLimits,
  resolveSessions,
} from '../session/resolve-sessions.ts'
import { checkJoins } from '../sign-in/join-user.ts'
import { checkCreatesUsers, resolveProviders } from '../sign-in/resolve-providers.ts'
import { declareTypes } from '../storage/guard-storage.ts'
import { createRevocations } from '../storage/revocations.ts'
import { createUsedOnce } from '../limits/used-once.ts'
import { compareIds, createCapabilities, resolveCapabilities } from './resolve-capabilities.ts'

/**
 * Checks a configuration and fills in the defaults.
 *
 * @throws ConfigurationError naming the first option that cannot be used
 */
export function createService(config: AuthConfig<unknown, SessionToken>): Service {
  checkCopies()
  checkKnownOptions(config)
  const serviceUrl = parseServiceUrl(config.serviceUrl, config.allowInsecure === true)
  const limits = resolveSessionLimits(config.session)
  const timeouts = resolveTimeouts(config.timeouts)
  const runtime = { ...defaultRuntime, ...config.runtime }
  const guarded = openStorage(config.storage, timeouts, runtime)
  const log = createLog(resolveLogger(config.logger))
  const trustedHosts = resolveTrustedHosts(config.trustHost, log)
  const { origin } = serviceUrl
  const isPublic = origin ? !isLoopback(new URL(origin)) : trustedHosts.isPublic
  const keys = createKeys(resolveSecrets(config.secret, isPublic), runtime.random)
  const sessions = resolveSessions(config, guarded, { keys, limits, runtime })
  const providers = resolveProviders(config.providers, guarded)
  const checked = resolveCapabilities(config.use, providers)
  const list = checked.toSorted(compareIds)
  const pages = resolveShown(config, serviceUrl, list)
  checkDeletedUsers(config.session, { sessions, storage: guarded, log })
  const capabilities = createCapabilities(list, providers, pages.defaultLanguage.messages)
  const storage = guarded && declareTypes(guarded, capabilities)
  const names = resolveCookieNames(config.cookies, origin, Object.keys(capabilities.cookies))
  const { outbox, metadataCache } = pickImported(config)
  const given = { providers, storage, sessions, log, origin, trustHost: config.trustHost }
  checkTogether(config, checked, given)
  const cookieLife = { maxAge: limits.maxAge, isRevocable: sessions.isRevocable }
  return Object.freeze<Service>({
    basePath: serviceUrl.basePath,
    origin,
    getBaseUrl: createGetBaseUrl({
      serviceUrl,
      trustedHosts,
      allowInsecure: config.allowInsecure === true,
      cookieSpecs: (secure) => createCookieSpecs(names, secure, cookieLife, capabilities.cookies),
    }),
    trustedOrigins: resolveTrustedOrigins(config.trustedOrigins, serviceUrl),
    keys,
    providers,
    ...pickDecisions(config),
    outbox: outbox?.createOutbox({ storage, sessions, runtime, timeouts, log }),
    csrf: createCsrf(keys.csrf, runtime.random),
    storage,
    sessions,
    imports: resolveImports(config, { keys, sessions, storage, log, capabilities }),
    limits: resolveLimits(config.limits),
    limiter: resolveLimiter(config.limiter, storage, timeouts.request, runtime),
    usedOnce: createUsedOnce(storage),
    revocations: createRevocations(storage),
    refreshes: createExpiringMap(MAX_REFRESHES),
    capabilities,
    isStillEnough: (session) => mayRenew(list, session),
    emptySession: resolveEmptySession(config.session),
    ...pages,
    policy: createPolicy(pages.theme, list.map(({ script }) => script).find(Boolean)),
    timeouts,
    getDocuments: metadataCache?.createDocuments({ keys, runtime, log }),
    log,
    runtime,
  })
}

/** Returns what the application decides, and listens to. */
function pickDecisions({
  callbacks = {},
  joinsUnverified,
  events = {},
  session,
}: AuthConfig<unknown, SessionToken>): Pick<
  Service,
  'callbacks' | 'joinsUnverified' | 'events' | 'update'
> {
  return { callbacks, joinsUnverified, events, update: session?.update }
}

/** Returns what the pages are made of. */
function resolveShown(
  { theme, pages, messages }: AuthConfig<unknown, SessionToken>,
  serviceUrl: ServiceUrl,
  list: readonly Capability[],
): Pick<Service, 'theme' | 'pages' | 'negotiate' | 'defaultLanguage'> {
  const negotiate = createNegotiate(messages)
  return {
    theme: resolveTheme(theme, new Set(list.flatMap(({ style = [] }) => style))),
    pages: resolvePages(pages, serviceUrl),
    negotiate,
    defaultLanguage: negotiate(Object.keys(messages ?? {}).at(0) ?? null),
  }
}

/** @throws ConfigurationError if the storage has not brought its code along, or lacks a method that its capabilities promise */
function openStorage(
  storage: Storage | undefined,
  { request }: Timeouts,
  runtime: Runtime,
): ServiceStorage | undefined {
  if (storage === undefined) return undefined
  const { storedUsers: code } = storage
  if (isStorageCode(code)) return { ...code.guardStorage(storage, request, runtime), code }
  throw new ConfigurationError('storage', 'needs the member storedUsers, of @latchkey/core/storage')
}

function isStorageCode(value: StoredUsers | undefined): value is StorageCode {
  return typeof value?.guardStorage === 'function'
}

/** Token refreshes of which a process remembers the latest. */
const MAX_REFRESHES = 10_000

const defaultRuntime: Runtime = {
  fetch: (url, init) => fetch(url, init),
  ...platformClock,
  random: platform.random,
}

function resolveLogger(logger: Logger = consoleLogger): Logger {
  // Without one of the two, what goes wrong would be seen nowhere.
  for (const level of ['error', 'warn'] as const) {
    checkKind(`logger.${level}`, logger[level] ?? null, 'a function')
  }
  return logger
}

/**
 * Returns an option that brings its code along.
 *
 * @param member The function that such an option has
 * @param fields What the configuration must pass to the function of its name, which creates it
 * @throws ConfigurationError if it is another value
 */
function expectOption<T extends object>(
  name: string,
  option: T | undefined,
  member: keyof T,
  fields: string,
): T | undefined {
  if (option === undefined || typeof option?.[member] === 'function') return option
  throw new ConfigurationError(name, `must be ${name}(${fields})`)
}

/** Returns the options that bring their code along. */
function pickImported({ outbox, metadataCache }: AuthConfig<unknown, SessionToken>): {
  readonly outbox: Outbox | undefined
  readonly metadataCache: MetadataCache | undefined
} {
  return {
    outbox: expectOption('outbox', outbox, 'createOutbox', '{ deliver }'),
    metadataCache: expectOption('metadataCache', metadataCache, 'createDocuments', '{ get, set }'),
  }
}

/** @throws ConfigurationError naming an option that does not fit to the others */
function checkTogether(
  { joinsUnverified }: AuthConfig<unknown, SessionToken>,
  checked: readonly Capability[],
  given: Omit<OptionParts, 'requiresSecondFactor'>,
): void {
  checkCreatesUsers(given.providers, given.sessions)
  checkJoins(joinsUnverified, given)
  const parts = {
    ...given,
    requiresSecondFactor: checked.some(({ proven }) => proven?.isRequiredOfAll),
  }
  // What comes along is checked last: an error names what the application has written.
  for (const { check } of checked) check?.(parts)
}

function resolveTimeouts(timeouts: Partial<Timeouts> = {}): Timeouts {
  const { request = 10, callback = 13, answer = callback + 1 } = timeouts
  for (const [name, value] of Object.entries({ request, callback, answer })) {
    if (!(value > 0 && value <= 300)) {
      throw new ConfigurationError(
        `timeouts.${name}`,
        'must be seconds, more than 0 and at most 300',
      )
    }
  }
  return { request, callback, answer }
}

/** @throws ConfigurationError if another version of this package is loaded, whose providers and options do not fit */
function checkCopies(): void {
  const problem = describeOtherCopy()
  if (problem !== undefined) throw new ConfigurationError('@latchkey/core', problem)
}
