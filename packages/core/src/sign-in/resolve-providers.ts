import { ConfigurationError } from '../errors.ts'
import { isProtocolField } from '../http/body.ts'
import { assertCalled } from '../lib/called-function.ts'
import type { Provider } from '../ports/provider.ts'
import type { SessionStrategy } from '../session/session.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/**
 * Checks the option `providers`.
 *
 * @returns The providers by id, in the order of the sign-in page
 *
 * @throws ConfigurationError naming the provider
 */
export function resolveProviders(
  providers: readonly Provider[],
  storage: GuardedStorage | undefined,
): ReadonlyMap<string, Provider> {
  if (!Array.isArray(providers) || providers.length === 0) {
    throw new ConfigurationError('providers', 'must name at least one provider')
  }
  const byId = new Map<string, Provider>()
  for (const [index, provider] of (providers as readonly Provider[]).entries()) {
    assertProvider(provider, index)
    const { id, needs = [], linkByVerifiedEmail } = provider
    if (needs.length > 0) requireStorage(storage, `providers.${id}`, needs)
    if (linkByVerifiedEmail) requireStorage(storage, `providers.${id}.linkByVerifiedEmail`, [])
    if (byId.has(id)) throw new ConfigurationError('providers', `the id "${id}" is given twice`)
    byId.set(id, provider)
  }
  assertDistinctIds(providers)
  assertUserIds(providers, storage)
  return byId
}

/** Some providers use the application's own user ids: a subject could equal one of these ids (I-46). */
function assertDistinctIds(providers: readonly Provider[]): void {
  const named = providers.find(({ subjectAsUserId }) => subjectAsUserId)
  const other = providers.find(
    (provider) =>
      provider !== named &&
      (provider.subjectAsUserId ||
        provider.userId ||
        provider.findsUserById ||
        provider.provesByForm),
  )
  if (!named || !other) return
  const problem = `cannot be used with ${other.id}, whose ids of users have no prefix either`
  throw new ConfigurationError(`providers.${named.id}.subjectAsUserId`, problem)
}

/**
 * Checks `createsUsers` of the providers: a session in the storage belongs to a user there.
 *
 * @throws ConfigurationError naming the provider
 */
export function assertCreatesUsers(
  providers: ReadonlyMap<string, Provider>,
  { isRevocable }: Pick<SessionStrategy, 'isRevocable'>,
): void {
  for (const { id, createsUsers = true } of providers.values()) {
    const option = `providers.${id}.createsUsers`
    if (typeof createsUsers !== 'boolean') {
      const problem = `must be true or false, found a ${typeof createsUsers}`
      throw new ConfigurationError(option, problem)
    }
    if (createsUsers || !isRevocable) continue
    const needed = 'requires sessions in cookies that are not revocable'
    throw new ConfigurationError(option, `${needed}: others need a stored user`)
  }
}

/** Checks the functions that name the ids of users (I-46). */
function assertUserIds(providers: readonly Provider[], storage: GuardedStorage | undefined): void {
  for (const { id, userId, subjectAsUserId, findsUserById } of providers) {
    if (userId === undefined) continue
    const refuse = (problem: string): ConfigurationError =>
      new ConfigurationError(`providers.${id}.userId`, problem)
    if (typeof userId !== 'function') throw refuse(`must be a function, found a ${typeof userId}`)
    if (subjectAsUserId) throw refuse('cannot be used with subjectAsUserId')
    if (findsUserById) throw refuse('cannot be used with findsUserById')
    const other = providers.find((provider) => provider.userId === userId)
    // With a storage the second account that gets an id is refused.
    if (storage || other?.id === id) continue
    throw refuse(`is also the userId of ${other?.id}: it cannot distinguish their subjects`)
  }
}

function assertProvider(provider: Provider, index: number): void {
  assertCalled('providers', provider)
  if (typeof provider !== 'object' || provider === null) {
    const found = provider === null ? 'null' : typeof provider
    const problem = `[${index}] must be a provider, such as github({ … }), found ${found}`
    throw new ConfigurationError('providers', problem)
  }
  const { id, type, provesByForm, checks } = provider
  if (typeof id !== 'string' || !/^[a-z0-9-]{1,64}$/.test(id)) {
    throw new ConfigurationError('providers', `the id "${id}" must match [a-z0-9-]+`)
  }
  if (typeof provider.begin !== 'function' || typeof provider.finish !== 'function') {
    throw new ConfigurationError('providers', `${id} must have the functions begin and finish`)
  }
  if (type === 'credentials' && !provesByForm) {
    throw new ConfigurationError(
      'providers',
      `${id} of the type credentials must have provesByForm`,
    )
  }
  if (checks?.length === 0) {
    throw new ConfigurationError('providers', `the checks of ${id} must not be empty`)
  }
  checkFields(provider)
}

function checkFields({ id, fields = {} }: Pick<Provider, 'id' | 'fields'>): void {
  for (const name of Object.keys(fields)) {
    const option = `providers.${id}.fields`
    if (!/^[A-Za-z][\w-]*$/.test(name)) {
      throw new ConfigurationError(option, `the name "${name}" must match [A-Za-z][\\w-]*`)
    }
    if (isProtocolField(name)) {
      throw new ConfigurationError(option, `"${name}" is a protocol field: choose another name`)
    }
  }
}
