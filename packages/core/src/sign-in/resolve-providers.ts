import { ConfigurationError, providerError } from '../lib/errors.ts'
import { isOwnField, isProtocolField } from '../http/body.ts'
import { checkCalled } from '../lib/called-function.ts'
import { checkKind, getKind, kindError } from '../lib/kind.ts'
import type { Provider } from '../ports/provider.ts'
import type { SessionStrategy } from '../session/session.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { isList } from '../lib/members.ts'
import { provesUser } from '../lib/proves-user.ts'

/**
 * Checks the option `providers`.
 *
 * @returns The providers by id, in the order of the configuration
 *
 * @throws ConfigurationError naming the provider
 */
export function resolveProviders(
  providers: readonly Provider[],
  storage: GuardedStorage | undefined,
): ReadonlyMap<string, Provider> {
  if (!isList(providers)) throw kindError('providers', 'a list such as [github({ … })]', providers)
  if (providers.length === 0) {
    throw new ConfigurationError('providers', 'must name at least one provider')
  }
  const byId = new Map<string, Provider>()
  for (const [index, provider] of providers.entries()) {
    checkProvider(provider, index)
    checkLogout(provider)
    const { id, needs = [], linkByVerifiedEmail, outOfBand } = provider
    if (needs.length > 0 || outOfBand) requireStorage(storage, `providers.${id}`, needs)
    if (linkByVerifiedEmail) requireStorage(storage, `providers.${id}.linkByVerifiedEmail`, [])
    if (byId.has(id)) {
      const problem = `the id "${id}" is given twice: give one of them another id`
      throw new ConfigurationError('providers', problem)
    }
    byId.set(id, provider)
  }
  checkDistinctIds(providers)
  checkUserIds(providers, storage)
  return byId
}

/** Some providers use the application's own user ids: a subject could equal one of these ids (I-46). */
function checkDistinctIds(providers: readonly Provider[]): void {
  const named = providers.find(({ subjectAsUserId }) => subjectAsUserId)
  const other = providers.find(
    (provider) =>
      provider !== named &&
      (provider.subjectAsUserId || provider.userId !== undefined || provesUser(provider)),
  )
  if (!named || !other) return
  const problem = `cannot be used with ${other.id}, whose ids of users have no prefix either`
  throw providerError(named.id, 'subjectAsUserId', problem)
}

/**
 * Checks `createsUsers` of the providers: a session in the storage belongs to a user there.
 *
 * @throws ConfigurationError naming the provider
 */
export function checkCreatesUsers(
  providers: ReadonlyMap<string, Provider>,
  { isRevocable }: Pick<SessionStrategy, 'isRevocable'>,
): void {
  for (const { id, createsUsers = true } of providers.values()) {
    const option = 'createsUsers'
    checkKind(`providers.${id}.${option}`, createsUsers, 'true or false')
    if (createsUsers || !isRevocable) continue
    const needed = 'requires sessions in cookies that are not revocable'
    throw providerError(id, option, `${needed}: others need a stored user`)
  }
}

/** Checks the functions that name the ids of users (I-46). */
function checkUserIds(providers: readonly Provider[], storage: GuardedStorage | undefined): void {
  for (const provider of providers) {
    const { id, userId, subjectAsUserId } = provider
    if (userId === undefined) continue
    const error = (problem: string): ConfigurationError => providerError(id, 'userId', problem)
    checkKind(`providers.${id}.userId`, userId, 'a function')
    if (subjectAsUserId) throw error('cannot be used with subjectAsUserId')
    if (provesUser(provider)) throw error('is for providers with accounts')
    const other = providers.find((each) => each.userId === userId)
    // With a storage the second account that gets an id is refused.
    if (storage || other?.id === id) continue
    throw error(`is also the userId of ${other?.id}: it cannot distinguish their subjects`)
  }
}

function checkProvider(provider: Provider, index: number): void {
  checkCalled('providers', provider)
  if (typeof provider !== 'object' || provider === null) {
    const problem = `[${index}] must be a provider, such as github({ … }), found ${getKind(provider)}`
    throw new ConfigurationError('providers', problem)
  }
  const { id, mark, checks } = provider
  if (typeof id !== 'string' || !/^[a-z0-9-]{1,64}$/.test(id)) {
    const found = typeof id === 'string' && id ? `the id "${id}"` : `[${index}].id, ${getKind(id)},`
    throw new ConfigurationError('providers', `${found} must match [a-z0-9-]+`)
  }
  if (typeof provider.begin !== 'function' || typeof provider.finish !== 'function') {
    const problem = `${id} must have the functions begin and finish: a provider of next-auth needs fromAuthJs()`
    throw new ConfigurationError('providers', problem)
  }
  checkProviderKind(provider)
  if (mark !== undefined && !inlineSvg.test(mark)) {
    throw providerError(id, 'mark', 'must be one <svg> of basic shapes, such as githubMark')
  }
  if (checks?.length === 0) {
    throw new ConfigurationError('providers', `the checks of ${id} must not be empty`)
  }
  checkFields(provider)
}

function checkLogout({ id, openid }: Provider): void {
  if (openid?.logout === undefined || typeof openid.logout?.begin === 'function') return
  const entry = '@latchkey/core/rp-initiated-logout'
  throw providerError(id, 'logout', `must be rpInitiatedLogout(), of ${entry}`)
}

/** A redirect proves an account at the provider. What `kind` has replaced would change whose the subjects are, if it were ignored. */
function checkProviderKind(provider: Provider): void {
  const { id, type, kind = 'account', factorType } = provider
  const old = ['provesByForm', 'findsUserById', 'signsInByFactor'].find((name) => name in provider)
  if (old !== undefined) throw providerError(id, old, 'is kind now')
  if (!['account', 'user', 'factor'].includes(kind)) {
    throw kindError(`providers.${id}.kind`, 'account, user or factor', kind)
  }
  const isWrong =
    type === 'credentials' ? kind === 'account' : /^(oidc|oauth)$/.test(type) && kind !== 'account'
  if (isWrong) throw providerError(id, 'kind', `does not fit the type ${type}`)
  if ((kind === 'factor') !== (typeof factorType === 'string')) {
    throw providerError(id, 'factorType', 'must be the type of factor of the kind factor')
  }
}

/** Elements that draw, with attributes that neither act nor refer to other documents. */
const inlineSvg =
  /^(?=<svg)(<\/?(svg|g|path|circle|rect)( (?!on|style|href|src)[\w-]+="(?!url)[^"<>&]*")* ?\/?>)+$/

function checkFields(provider: Provider): void {
  const { id, fields = {} } = provider
  // A form that proves the identity has no callback.
  const isTaken = provesUser(provider) ? isOwnField : isProtocolField
  for (const name of Object.keys(fields)) {
    if (!/^[A-Za-z][\w-]*$/.test(name)) {
      throw providerError(id, 'fields', `the name "${name}" must match [A-Za-z][\\w-]*`)
    }
    if (isTaken(name)) {
      throw providerError(id, 'fields', `"${name}" is a protocol field: choose another name`)
    }
  }
}
