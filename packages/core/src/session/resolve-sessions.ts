import { callJwtAgain } from '../kernel/decisions.ts'
import type { AuthConfig } from '../kernel/config.ts'
import type { ServiceStorage } from '../kernel/context.ts'
import type { SessionOptions } from '../kernel/session-options.ts'
import type { SessionToken } from './session-claims.ts'
import type { Keys } from '../crypto/seal.ts'
import { ConfigurationError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { StorageGroup } from '../ports/storage.ts'
import { requireStorage, tokenCapabilities } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { createCookieSessions } from './cookie-session.ts'
import { noImports } from './session-imports.ts'
import type { ImportOptions, SessionImporter, SessionImports } from './session-imports.ts'
import type { SessionLimits, SessionStrategy } from './session.ts'
import type { CookieAccessTokens, SessionTokenKeeper } from '../access-tokens/token-keeper.ts'
import { isList } from '../lib/members.ts'

const DAY = 86_400

/**
 * Checks `session.maxAge`, `session.updateAge` and `session.absoluteMaxAge`.
 *
 * @throws ConfigurationError naming the option
 */
export function resolveSessionLimits(session: SessionOptions<SessionToken> = {}): SessionLimits {
  const { maxAge = 30 * DAY, absoluteMaxAge = Infinity } = session
  checkSeconds('session.maxAge', maxAge, 1, 400 * DAY)
  const { updateAge = Math.min(DAY, Math.floor(maxAge / 2)) } = session
  // A session that is renewed too late would end while it is used.
  checkSeconds('session.updateAge', updateAge, 0, maxAge - 1)
  if (absoluteMaxAge !== Infinity)
    checkSeconds('session.absoluteMaxAge', absoluteMaxAge, 1, Number.MAX_SAFE_INTEGER)
  return { maxAge, updateAge, absoluteMaxAge }
}

/**
 * Returns the JSON of the option `session.empty`.
 *
 * @throws ConfigurationError if it is neither `object` nor `null`
 */
export function resolveEmptySession({ empty = 'object' }: SessionOptions<SessionToken> = {}):
  object | null {
  if (empty === 'object') return {}
  if (empty === 'null') return null
  throw new ConfigurationError('session.empty', "must be 'object' or 'null'")
}

/** What to write for the strategies of next-auth. */
const hints: ReadonlyMap<unknown, string> = new Map([
  ['jwt', ": next-auth's jwt is cookie"],
  ['database', ": next-auth's database is storage"],
])

/** What {@link resolveSessions} creates a strategy from. */
interface SessionParts {
  readonly keys: Keys
  readonly limits: SessionLimits
  readonly runtime: Runtime
}

/**
 * Creates the strategy of the option `session.strategy`.
 *
 * @throws ConfigurationError if the storage cannot do what the options need
 */
export function resolveSessions(
  { session = {}, callbacks = {} }: AuthConfig<unknown, SessionToken>,
  storage: ServiceStorage | undefined,
  { keys, limits, runtime }: SessionParts,
): SessionStrategy {
  const { strategy = storage ? 'storage' : 'cookie', revocable = false } = session
  const accessTokens = resolveAccessTokens(session.accessTokens, strategy, storage)
  if (strategy === 'cookie') {
    const register = revocable ? requireStorage(storage, 'session.revocable', lists) : undefined
    const { random } = runtime
    const sealer = keys.session
    return createCookieSessions({ sealer, limits, random, register, storage, accessTokens })
  }
  if (strategy !== 'storage') {
    const hint = hints.get(strategy) ?? ''
    throw new ConfigurationError('session.strategy', `must be cookie or storage${hint}`)
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
  return kept.code.createSessions({ storage: kept, limits, random: runtime.random, storesToken })
}

/**
 * Checks `session.acceptsDeletedUsers`. Without it, warns of sessions that outlive their users: those in a
 * cookie, if there is a storage from which users are deleted (I-58).
 *
 * @throws ConfigurationError if the sessions end with their users
 */
export function checkDeletedUsers(
  { acceptsDeletedUsers: isAccepted }: SessionOptions<SessionToken> = {},
  { sessions, storage, log }: Pick<ImportParts, 'sessions' | 'storage' | 'log'>,
): void {
  if (isAccepted && sessions.isStored) throw deletedUsersError('is for the strategy cookie')
  if (isAccepted && sessions.isRevocable) {
    throw deletedUsersError('must be false with session.revocable')
  }
  if (isAccepted || !storage || sessions.isRevocable) return
  const advice = 'set session.revocable, or accept it by session.acceptsDeletedUsers'
  log.warn(`a deleted user stays signed in until the session cookie is renewed: ${advice}`, {})
}

function deletedUsersError(problem: string): ConfigurationError {
  return new ConfigurationError('session.acceptsDeletedUsers', problem)
}

/** Creates what the option `session.accessTokens` keeps; undefined without it. */
function resolveAccessTokens(
  option: CookieAccessTokens | undefined,
  strategy: string,
  storage: GuardedStorage | undefined,
): SessionTokenKeeper | undefined {
  if (option === undefined) return undefined
  if (strategy !== 'cookie') throw accessTokensError('is for the strategy cookie')
  const capabilities = storage?.capabilities ?? []
  if (tokenCapabilities.every((needed) => capabilities.includes(needed))) {
    throw accessTokensError('must be left out: the storage keeps access tokens')
  }
  if (typeof option?.createKeeper !== 'function') {
    throw accessTokensError('must be cookieAccessTokens()')
  }
  return option.createKeeper()
}

function accessTokensError(problem: string): ConfigurationError {
  return new ConfigurationError('session.accessTokens', problem)
}

/** What revocable cookie sessions need of the storage. */
const lists: readonly StorageGroup[] = ['sessions', 'sessionLists']

/**
 * Creates the import of the option `session.importFrom`.
 *
 * @throws ConfigurationError if one is not an importer, or lacks `until` although nothing would keep
 *   which sessions have ended
 */
export function resolveImports(
  { session = {}, callbacks = {} }: AuthConfig<unknown, SessionToken>,
  { keys, ...parts }: ImportParts,
): SessionImports {
  const { storage } = parts
  const { importFrom: importers = [] } = session
  if (!isList(importers)) throw importersError()
  for (const importer of importers) {
    const { createImports, until, needs = [] }: SessionImporter = Object(importer)
    if (typeof createImports !== 'function') throw importersError()
    if (until === undefined && !storage?.capabilities.includes('revocations')) {
      const problem = 'needs a date: no storage keeps which sessions were ended'
      throw new ConfigurationError('session.importFrom.until', problem)
    }
    if (needs.length > 0) requireStorage(storage, 'session.importFrom', needs)
  }
  const toToken: ImportOptions['toToken'] = (token) => callJwtAgain(callbacks, token)
  const [first] = importers
  if (!first) return noImports
  const signer = keys.import
  return first.createImports({ ...parts, sources: importers, signer, toToken })
}

function importersError(): ConfigurationError {
  const problem = 'must be a list of session importers, such as nextAuthV4({ secret })'
  return new ConfigurationError('session.importFrom', problem)
}

/** What {@link resolveImports} creates the import from. */
interface ImportParts {
  readonly keys: Keys
  readonly sessions: SessionStrategy
  readonly storage: GuardedStorage | undefined
  readonly log: Log
  readonly capabilities: ImportOptions['capabilities']
}

function checkSeconds(option: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new ConfigurationError(option, `must be whole seconds from ${least} to ${most}`)
}
