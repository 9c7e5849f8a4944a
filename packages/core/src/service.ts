import { createCookieRows } from './http/cookies.ts'
import type { CookieNames } from './http/cookies.ts'
import { createCsrf } from './crypto/csrf.ts'
import type { Csrf } from './crypto/csrf.ts'
import { toUtf8 } from './crypto/encoding.ts'
import { ConfigurationError } from './errors.ts'
import { memoryLimiter, storageLimiter } from './limits/limiters.ts'
import { resolveLimits } from './limits/limits.ts'
import type { Limits } from './limits/limits.ts'
import { consoleLogger, createLog } from './lib/log.ts'
import type { Log } from './lib/log.ts'
import { createReplayGuard } from './lib/replay-guard.ts'
import type { ReplayGuard } from './lib/replay-guard.ts'
import type { Timeouts } from './http/outbound-fetch.ts'
import { createNegotiate } from './pages/messages.ts'
import type { Negotiate } from './pages/messages.ts'
import { createPolicy } from './pages/policy.ts'
import { styleSheet } from './pages/theme.ts'
import type {
  AuthConfig,
  Callbacks,
  CookiesOptions,
  Events,
  PagesOptions,
  SessionOptions,
  SessionToken,
} from './config.ts'
import type { Limiter } from './ports/limiter.ts'
import type { Provider } from './ports/provider.ts'
import type { Runtime } from './ports/runtime.ts'
import type { SessionImporter } from './ports/session-importer.ts'
import type { Capability } from './ports/storage.ts'
import { createKeys } from './crypto/seal.ts'
import type { Keys } from './crypto/seal.ts'
import { createCookieSessions } from './session/cookie-session.ts'
import type { SessionLimits, SessionStrategy } from './session/session.ts'
import { guardStorage, requireStorage } from './storage/guard-storage.ts'
import type { GuardedStorage } from './storage/guard-storage.ts'
import { checkFields } from './sign-in/check-fields.ts'
import { createStoredSessions } from './session/stored-session.ts'
import { createMemoryRevocations } from './storage/revocations.ts'
import type { Revocations } from './storage/revocations.ts'
import { createGetBaseUrl, isLoopback, parseServiceUrl } from './http/base-url.ts'
import type { BaseUrl, ServiceUrl } from './http/base-url.ts'

/** The configuration, checked, with its defaults, frozen. */
export interface Service {
  readonly basePath: string
  /** Returns the base URL of a request (I-1, I-2). */
  readonly getBaseUrl: (requestUrl: string) => BaseUrl
  readonly keys: Keys
  readonly providers: ReadonlyMap<string, Provider>
  readonly callbacks: Callbacks<unknown, SessionToken>
  readonly events: Events
  readonly csrf: Csrf
  /** Undefined if nothing is stored. */
  readonly storage: GuardedStorage | undefined
  readonly sessions: SessionStrategy
  readonly importers: readonly SessionImporter[]
  /** Cookies of former services that were revoked (I-45). */
  readonly revocations: Revocations
  readonly limits: Limits
  readonly limiter: Limiter
  /** Flows that were taken: each works once (I-21). */
  readonly spentFlows: ReplayGuard
  /** Token refreshes that failed: requests of this process that wait for one stop waiting. */
  readonly failedRefreshes: ReplayGuard
  readonly update: SessionOptions<SessionToken>['update'] | undefined
  readonly pages: PagesOptions
  readonly style: string
  /** Returns the Content-Security-Policy of the pages at an origin. */
  readonly policy: (origin: string) => string
  readonly negotiate: Negotiate
  readonly timeouts: Timeouts
  readonly log: Log
  readonly runtime: Runtime
}

const DAY = 86_400

/**
 * Checks a configuration and fills in the defaults.
 *
 * @throws ConfigurationError naming the first option that cannot be used
 */
export function createService(config: AuthConfig<unknown, SessionToken>): Service {
  refuseUnknown(config)
  const serviceUrl = parseServiceUrl(config.serviceUrl)
  const limits = resolveSession(config.session)
  const storage = config.storage && guardStorage(config.storage)
  const style = styleSheet(config.theme)
  const runtime = { ...platform, ...config.runtime }
  const keys = createKeys(resolveSecrets(config.secret), runtime.random)
  const names = resolveCookieNames(config.cookies, serviceUrl.origin)
  const service: Service = {
    basePath: serviceUrl.basePath,
    getBaseUrl: createGetBaseUrl({
      serviceUrl,
      trustHost: config.trustHost === true,
      allowInsecure: config.allowInsecure === true,
      cookieRows: (secure) => createCookieRows(names, secure, limits.maxAge),
    }),
    keys,
    providers: resolveProviders(config.providers, storage),
    callbacks: config.callbacks ?? {},
    events: config.events ?? {},
    csrf: createCsrf(keys.csrf, runtime.random),
    storage,
    sessions: resolveSessions(config, storage, { keys, limits, runtime }),
    importers: resolveImporters(config.session?.importFrom, storage),
    revocations: createMemoryRevocations(),
    limits: resolveLimits(config.limits),
    limiter: resolveLimiter(config.limiter, storage),
    spentFlows: createReplayGuard(),
    failedRefreshes: createReplayGuard(),
    update: config.session?.update,
    pages: resolvePages(config.pages, serviceUrl),
    style,
    policy: createPolicy(style),
    negotiate: createNegotiate(config.messages),
    timeouts: resolveTimeouts(config.timeouts),
    log: createLog(config.logger ?? consoleLogger),
    runtime,
  }
  return Object.freeze(service)
}

const platform: Runtime = {
  fetch: (url, init) => fetch(url, init),
  now: () => Date.now(),
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
}

const options: Readonly<Record<keyof AuthConfig, true>> = {
  secret: true,
  providers: true,
  serviceUrl: true,
  trustHost: true,
  allowInsecure: true,
  storage: true,
  callbacks: true,
  session: true,
  events: true,
  pages: true,
  theme: true,
  messages: true,
  cookies: true,
  limits: true,
  limiter: true,
  timeouts: true,
  logger: true,
  runtime: true,
}

function refuseUnknown(config: object): void {
  const unknown = Object.keys(config).find((option) => !Object.hasOwn(options, option))
  if (unknown !== undefined) throw new ConfigurationError(unknown, 'is not an option')
}

function resolveSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets: readonly unknown[] = typeof secret === 'string' ? [secret] : (secret ?? [])
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw new ConfigurationError(
      'secret',
      'is missing: expected a random string of 32 bytes or more',
    )
  }
  return secrets.map((candidate) => {
    if (typeof candidate === 'string' && toUtf8(candidate).byteLength >= 32) return candidate
    throw new ConfigurationError('secret', 'must be a random string of 32 bytes or more')
  })
}

function resolveProviders(
  providers: readonly Provider[],
  storage: GuardedStorage | undefined,
): ReadonlyMap<string, Provider> {
  if (!Array.isArray(providers) || providers.length === 0) {
    throw new ConfigurationError('providers', 'must name at least one provider')
  }
  const byId = new Map<string, Provider>()
  for (const provider of providers as readonly Provider[]) {
    const { id, checks } = provider
    if (typeof id !== 'string' || !/^[a-z0-9-]{1,64}$/.test(id)) {
      throw new ConfigurationError('providers', `the id "${id}" must match [a-z0-9-]+`)
    }
    if (typeof provider.begin !== 'function' || typeof provider.finish !== 'function') {
      throw new ConfigurationError('providers', `${id} must have the functions begin and finish`)
    }
    if (checks?.length === 0) {
      throw new ConfigurationError('providers', `the checks of ${id} must not be empty`)
    }
    checkFields(provider)
    const { needs = [], linkByVerifiedEmail } = provider
    if (needs.length > 0) requireStorage(storage, `providers.${id}`, needs)
    if (linkByVerifiedEmail) requireStorage(storage, `providers.${id}.linkByVerifiedEmail`, [])
    if (byId.has(id)) throw new ConfigurationError('providers', `the id "${id}" is given twice`)
    byId.set(id, provider)
  }
  return byId
}

function resolveSession(session: SessionOptions<SessionToken> = {}): SessionLimits {
  const { maxAge = 30 * DAY, absoluteMaxAge = Infinity } = session
  assertSeconds('session.maxAge', maxAge, 1, 400 * DAY)
  const { updateAge = Math.min(DAY, Math.floor(maxAge / 2)) } = session
  // A session that is renewed too late would end while it is used.
  assertSeconds('session.updateAge', updateAge, 0, maxAge - 1)
  if (absoluteMaxAge !== Infinity)
    assertSeconds('session.absoluteMaxAge', absoluteMaxAge, 1, Number.MAX_SAFE_INTEGER)
  return { maxAge, updateAge, absoluteMaxAge }
}

interface SessionParts {
  readonly keys: Keys
  readonly limits: SessionLimits
  readonly runtime: Runtime
}

function resolveSessions(
  { session = {}, callbacks = {} }: AuthConfig<unknown, SessionToken>,
  storage: GuardedStorage | undefined,
  { keys, limits, runtime }: SessionParts,
): SessionStrategy {
  const { strategy = storage ? 'storage' : 'cookie', revocable = false } = session
  if (strategy === 'cookie') {
    const register = revocable ? requireStorage(storage, 'session.revocable', lists) : undefined
    const { random } = runtime
    return createCookieSessions({ sealer: keys.session, limits, random, register, storage })
  }
  if (strategy !== 'storage') {
    throw new ConfigurationError('session.strategy', 'must be cookie or storage')
  }
  if (revocable) throw new ConfigurationError('session.revocable', 'is for the strategy cookie')
  const kept = requireStorage(storage, 'session.strategy', ['sessions'])
  const needData = {
    'callbacks.jwt': callbacks.jwt,
    'session.update': session.update,
    'session.absoluteMaxAge': session.absoluteMaxAge,
  }
  for (const [option, value] of Object.entries(needData)) {
    if (value !== undefined) requireStorage(storage, option, ['sessionData'])
  }
  const storesToken = Boolean(callbacks.jwt ?? session.update)
  return createStoredSessions({ storage: kept, limits, random: runtime.random, storesToken })
}

/** What revocable cookie sessions need of the storage. */
const lists: readonly Capability[] = ['sessions', 'sessionLists']

function resolveImporters(
  importers: readonly SessionImporter[] = [],
  storage: GuardedStorage | undefined,
): readonly SessionImporter[] {
  for (const importer of importers) {
    if (typeof importer.findCookie !== 'function' || typeof importer.read !== 'function') {
      const problem = 'must be a list of session importers, such as nextAuthV4({ secret })'
      throw new ConfigurationError('session.importFrom', problem)
    }
    if (importer.until === undefined && !storage) {
      const problem = 'needs a date: no storage keeps which sessions were ended'
      throw new ConfigurationError('session.importFrom.until', problem)
    }
  }
  return importers
}

function resolveLimiter(
  limiter: Limiter | undefined,
  storage: GuardedStorage | undefined,
): Limiter {
  if (limiter === undefined) return defaultLimiter(storage)
  if (typeof limiter.take === 'function') return limiter
  throw new ConfigurationError('limiter', 'must have the function take')
}

function defaultLimiter(storage: GuardedStorage | undefined): Limiter {
  return storage?.capabilities.includes('increment') ? storageLimiter(storage) : memoryLimiter()
}

function resolveTimeouts(timeouts: Partial<Timeouts> = {}): Timeouts {
  const { request = 10, callback = 15 } = timeouts
  for (const [name, value] of Object.entries({ request, callback })) {
    if (!(value > 0 && value <= 300)) {
      throw new ConfigurationError(
        `timeouts.${name}`,
        'must be seconds, more than 0 and at most 300',
      )
    }
  }
  return { request, callback }
}

function assertSeconds(option: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new ConfigurationError(option, `must be whole seconds from ${least} to ${most}`)
}

function resolvePages(pages: PagesOptions = {}, { origin, basePath }: ServiceUrl): PagesOptions {
  const own = origin ?? 'http://localhost'
  for (const [name, page] of Object.entries(pages)) {
    if (!pageNames.includes(name)) throw new ConfigurationError(`pages.${name}`, 'is not a page')
    const url = URL.parse(page, own)
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
      throw new ConfigurationError(`pages.${name}`, 'must be an http(s) URL or a path')
    }
    if (url.origin === own && `${url.pathname}/`.startsWith(`${basePath}/`)) {
      throw new ConfigurationError(`pages.${name}`, 'must not be a route of the service itself')
    }
  }
  return pages
}

const pageNames: readonly string[] = ['signIn', 'signOut', 'error', 'verifyRequest']

function resolveCookieNames(cookies: CookiesOptions = {}, origin: string | undefined): CookieNames {
  const names = {
    csrf: cookies.csrf?.name ?? 'latchkey.csrf',
    session: cookies.session?.name ?? 'latchkey.session',
    flow: cookies.flow?.name ?? 'latchkey.flow',
    return: cookies.return?.name ?? 'latchkey.return',
  }
  for (const [cookie, name] of Object.entries(names))
    assertCookieName(`cookies.${cookie}.name`, name)
  assertDistinct(Object.values(names))
  const sessionDomain = cookies.session?.domain
  if (sessionDomain !== undefined) assertDomain(sessionDomain, origin)
  return { ...names, sessionDomain }
}

function assertCookieName(option: string, name: string): void {
  if (!/^[\w!#$%&'*+.^`|~-]{1,64}$/.test(name)) {
    throw new ConfigurationError(option, 'must be a cookie name (RFC 6265 §4.1.1)')
  }
  if (/^__(host|secure)-/i.test(name)) {
    throw new ConfigurationError(option, 'must have no prefix: the service adds its own')
  }
}

/** No name may be a prefix of another: `<name>.<id>`. */
function assertDistinct(names: readonly string[]): void {
  const mixed = names.find((name, i) =>
    names.some((other, j) => i !== j && `${name}.`.startsWith(`${other}.`)),
  )
  if (mixed !== undefined) throw new ConfigurationError('cookies', `the name ${mixed} is taken`)
}

function assertDomain(domain: string, origin: string | undefined): void {
  if (!/^[a-z\d-]+(\.[a-z\d-]+)+$/i.test(domain)) {
    throw new ConfigurationError('cookies.session.domain', 'must be a domain name')
  }
  if (origin === undefined || isLoopback(new URL(origin))) return
  if (`.${new URL(origin).hostname}`.endsWith(`.${domain.toLowerCase()}`)) return
  throw new ConfigurationError(
    'cookies.session.domain',
    'must be the domain of serviceUrl or above',
  )
}
