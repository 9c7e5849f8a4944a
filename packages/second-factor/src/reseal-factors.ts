import { getService, requireStorage } from '@latchkey/core/capability'
import { ConfigurationError } from '@latchkey/core/capability/options'
import type { Factor } from '@latchkey/core'
import type { FactorSealer } from './method.ts'
import type { Proofs, Service, GuardedStorage } from '@latchkey/core/capability'
import { changeFactor } from '@latchkey/core/capability/factors'
import { getFactorStorage, listFactors } from './factors.ts'
import type { Methods } from './factors.ts'
import { createFactorSealer } from './second-input.ts'
import type { SecondFactorProofs } from './settings.ts'

/** The options of {@link resealFactors}. */
export interface ResealOptions {
  /** Whether nothing is stored. Default: false */
  readonly dryRun?: boolean
  /**
   * The ids of the users; one may come twice. Default: every user, of a storage with the capability `userLists`.
   * `redisStorage` has `listFactorUsers()` for it
   */
  readonly userIds?: AsyncIterable<string> | Iterable<string>
  /** Ends the work after the user in progress. */
  readonly signal?: AbortSignal
  /** Is called after each user. */
  readonly onProgress?: (summary: ResealSummary) => void
}

/** What {@link resealFactors} has done. */
export interface ResealSummary {
  /** The number of users. */
  readonly users: number
  /** The number of factors that were sealed with another secret than the first. */
  readonly resealed: number
  /** The number of factors that were not. */
  readonly current: number
  /** Factors that no configured secret opens, or whose method is not configured. */
  readonly unreadable: readonly Pick<Factor, 'userId' | 'type' | 'id'>[]
  /** False if `signal` has ended the work. */
  readonly isComplete: boolean
}

/**
 * Seals everything that second factors keep with the first entry of `secret`, so that a previous one can be
 * removed. Call it when every process has the new secret as its first, and remove the previous one if nothing is
 * unreadable. Users can sign in meanwhile, and it can be stopped and repeated: sessions, unfinished sign-ins and
 * remembered browsers continue.
 *
 * @param auth What `createAuth` returned
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { resealFactors } from '@latchkey/second-factor/reseal-factors'
 *
 *   declare const auth: Auth
 *   async function reseal(): Promise<string> {
 *     const { resealed, unreadable } = await resealFactors(auth)
 *     return `${resealed} sealed with the first secret, ${unreadable.length} unreadable`
 *   }
 *
 * @throws ConfigurationError without `secondFactor()` in `use`, or without `userIds` if the storage lacks the capability
 *   `userLists`
 * @throws AuthError `Unavailable` if the storage fails: what was sealed until then stays so
 */
export async function resealFactors(
  auth: object,
  options: ResealOptions = {},
): Promise<ResealSummary> {
  const work = await createWork(getService(auth, 'resealFactors'), options)
  const { userIds = listUserIds(work.service), signal, onProgress } = options
  let summary: ResealSummary = none
  for await (const userId of userIds) {
    if (signal?.aborted) return { ...summary, isComplete: false }
    summary = add(summary, await resealUser(work, userId))
    onProgress?.(summary)
  }
  return summary
}

const none: ResealSummary = { users: 0, resealed: 0, current: 0, unreadable: [], isComplete: true }
/** Users that are listed in one query. */
const PAGE = 100

interface Work {
  readonly service: Service
  readonly storage: GuardedStorage
  readonly methods: Methods
  readonly isDry: boolean
  /** The header of what the first secret seals. */
  readonly header: string
}

async function createWork(service: Service, { dryRun = false }: ResealOptions): Promise<Work> {
  const { proven } = service.capabilities
  if (!proven || !isOurs(proven))
    throw new ConfigurationError('resealFactors', 'needs secondFactor() in use')
  const header = getHeader(await service.keys.factor.seal({}, 0))
  const storage = getFactorStorage(service)
  return { service, storage, methods: proven.methods, isDry: dryRun, header }
}

function isOurs(proven: Proofs): proven is SecondFactorProofs {
  return 'methods' in proven
}

/** Returns the protected header of a compact JWE (RFC 7516 §7.1): it names the key. */
function getHeader(sealed: string): string {
  return sealed.split('.', 1).join()
}

async function* listUserIds({ storage }: Service): AsyncGenerator<string> {
  const listed = requireStorage(storage, 'resealFactors', ['userLists'])
  for (let last: string | undefined; ;) {
    const users = await listed.listUsers(PAGE, last)
    for (const { id } of users) yield id
    if (users.length < PAGE) return
    last = users.at(-1)?.id
  }
}

type Outcome = 'resealed' | 'current' | 'unreadable'
type Outcomes = readonly (readonly [Factor, Outcome])[]

async function resealUser(work: Work, userId: string): Promise<Outcomes> {
  const outcomes: [Factor, Outcome][] = []
  for (const factor of await listFactors(work.storage, work.methods, userId)) {
    outcomes.push([factor, await resealFactor(work, factor)])
  }
  return outcomes
}

function add(
  { users, resealed, current, unreadable }: ResealSummary,
  added: Outcomes,
): ResealSummary {
  const filter = (outcome: Outcome): Factor[] =>
    added.flatMap(([factor, found]) => (found === outcome ? [factor] : []))
  const failed = filter('unreadable').map(({ userId, type, id }) => ({ userId, type, id }))
  return {
    users: users + 1,
    resealed: resealed + filter('resealed').length,
    current: current + filter('current').length,
    unreadable: [...unreadable, ...failed],
    isComplete: true,
  }
}

/** Stores nothing if the factor is in order; a factor that is used meanwhile is read again. */
async function resealFactor(work: Work, listed: Factor): Promise<Outcome> {
  const first = await toResealed(work, listed)
  if (work.isDry || first.outcome !== 'resealed') return first.outcome
  let outcome: Outcome = 'current'
  await changeFactor(work.storage, listed, async (factor) => {
    const latest = await toResealed(work, factor)
    outcome = latest.outcome
    return latest.data === undefined ? undefined : { data: latest.data }
  })
  return outcome
}

interface Resealed {
  readonly outcome: Outcome
  /** What must be stored. */
  readonly data?: string
}

async function toResealed({ service, methods, header }: Work, factor: Factor): Promise<Resealed> {
  const method = methods.get(factor.type)
  if (!method) return { outcome: 'unreadable' }
  if (method.isProvider || !method.reseal) return { outcome: 'current' }
  const now = Math.floor(service.runtime.now() / 1000)
  const known = createFactorSealer(service.keys, now, factor)
  const headers = new Set<string>()
  const sealer: FactorSealer = {
    seal: (text) => known.seal(text),
    open(sealed) {
      headers.add(getHeader(sealed))
      return known.open(sealed)
    },
  }
  try {
    const data = await method.reseal(factor, { sealer })
    const isCurrent = [...headers].every((each) => each === header)
    return isCurrent ? { outcome: 'current' } : { outcome: 'resealed', data }
  } catch {
    return { outcome: 'unreadable' }
  }
}
