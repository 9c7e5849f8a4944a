import { ConfigurationError } from '@latchkey/core'
import type { SqlStorage } from './storage.ts'
import { resolveTimeout } from '@latchkey/core/unstable'

/**
 * Replicas that answer reads of sessions: `GET /session` and `auth.getSession`, for sessions that
 * began and were renewed more than `maxLag` ago.
 *
 * @typeParam Pool The type of the client
 */
export interface Reads<Pool> {
  /** The client of a replica, or of several behind one host name. */
  readonly pool: Pool
  /**
   * Seconds by which a replica may lag, from 1 to 3600. The storage does not measure it: take lagging
   * replicas out of service. A session that is ended elsewhere continues for as long in these reads.
   */
  readonly maxLag: number
}

/** The options of a storage over a server that can have replicas. */
export interface ReadsOptions<Pool> {
  /** Replicas that answer reads of sessions. Default: the primary answers everything */
  readonly reads?: Reads<Pool>
  /** Seconds for one statement. Default: the storage's own */
  readonly timeout?: number
}

/** Seconds in which a replica must answer. Then the primary is asked, which must have time left. */
const PATIENCE = 2
/** Milliseconds in which a replica that has failed is not asked. */
const PAUSE = 5000

/**
 * Opens a storage, and a second one over the replicas if the option `reads` is set.
 *
 * @param open Creates the storage of a client
 * @throws ConfigurationError `timeout` or `reads`
 */
export function openWithReads<Pool, Fields>(
  open: (pool: Pool, timeout: number) => SqlStorage<Fields>,
  pool: Pool,
  { reads, timeout }: ReadsOptions<Pool>,
): SqlStorage<Fields> {
  const seconds = resolveTimeout(timeout)
  const primary = open(pool, seconds)
  if (!reads) return primary
  const { maxLag } = reads
  if (!Number.isInteger(maxLag) || maxLag < 1 || maxLag > 3600) {
    throw new ConfigurationError('reads.maxLag', 'must be a whole number of seconds, 1 to 3600')
  }
  if (!reads.pool) throw new ConfigurationError('reads.pool', 'must be a client of the replica')
  const replica = open(reads.pool, Math.min(PATIENCE, seconds))
  let failedAt = -Infinity
  /** The primary answers for a replica that fails, and for a while after. */
  const findAtReplica: SqlStorage<Fields>['getSessionAndUser'] = async (id, now) => {
    if (performance.now() - failedAt < PAUSE) return undefined
    return replica.getSessionAndUser(id, now).catch(() => {
      failedAt = performance.now()
      return undefined
    })
  }
  return {
    ...primary,
    maxLag,
    async getSessionAndUser(id, now, mayLag) {
      const found = mayLag ? await findAtReplica(id, now) : undefined
      const isOld = found !== undefined && now - found.session.renewedAt > maxLag
      return isOld ? found : primary.getSessionAndUser(id, now)
    },
  }
}
