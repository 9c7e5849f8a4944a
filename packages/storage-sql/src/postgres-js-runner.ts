import { runCall } from './call.ts'
import type { Call } from './call.ts'
import type { Driver, Result, Row, Statement, Value } from './driver.ts'
import { isPostgresRefusal } from './postgres.ts'
import { createRecovery } from './recovery.ts'

/** The members of a `Sql` of postgres.js that the storage uses. */
export interface PostgresJs extends PostgresJsQueries {
  begin<T>(work: (transaction: PostgresJsQueries) => Promise<T>): Promise<unknown>
  readonly options?: object
}

/** Runs queries in postgres.js. */
export interface PostgresJsQueries {
  unsafe(sql: string, params: Value[], options: PostgresJsQueryOptions): PostgresJsQuery
}

/** The options of a query that the storage uses. */
export interface PostgresJsQueryOptions {
  /** Whether the statement is prepared. */
  readonly prepare: boolean
  /**
   * What `begin` of postgres.js uses itself. Called when a connection sends the query, unless it has values
   * and is not prepared yet. If it returns false, no other query is sent before the answer.
   */
  readonly onexecute?: (connection: PostgresJsConnection) => boolean
}

/** A connection of postgres.js, which only {@link PostgresJsQueryOptions.onexecute} gives away. */
export interface PostgresJsConnection {
  /** Called in place of the next query when the connection is ready, if it has the property `release`. */
  reserved: (() => unknown) | null
  /** Closes the connection. It connects again when it is needed. */
  terminate(): void
}

/** A query that postgres.js runs. */
export interface PostgresJsQuery extends PromiseLike<
  readonly object[] & { readonly count: number }
> {
  /** Asks the server to cancel the query. The promise that it returns is not part of its type. */
  cancel(): unknown
  /** Null until the query is sent; not part of its type. */
  readonly state?: unknown
}

/**
 * Creates `Driver.run` over postgres.js.
 *
 * @param patience Seconds for which a call without a time limit tries a refused connection again
 */
export function createPostgresJsRunner(client: PostgresJs, patience: number): Driver['run'] {
  limitBackoff(client)
  const recovery = createRecovery(isRefusal)
  const ping = async (): Promise<void> => {
    await client.unsafe('SELECT 1', [], { prepare: false })
  }
  return (statements, timeout) => {
    let attempt: Attempt | undefined
    const run = async (call: Call): Promise<readonly Result[]> => {
      for (;;) {
        if (recovery.getRefusal() !== undefined) await recovery.connect(ping, call)
        const failure = call.getFailure()
        if (failure) throw failure
        const trying = createAttempt(client, call)
        attempt = trying
        try {
          return await trying.run(statements)
        } catch (error) {
          if (trying.wasSent() || !isRefusal(error) || call.hasGivenUp()) throw error
          recovery.report(error)
        }
      }
    }
    const stop = (): void => void attempt?.stop()
    return runCall({ timeout, patience, run, stop, getCause: recovery.getRefusal })
  }
}

/** One attempt to run a batch. */
interface Attempt {
  readonly run: (statements: readonly Statement[]) => Promise<readonly Result[]>
  /** Whether a statement may have reached the server. */
  readonly wasSent: () => boolean
  /** Ends the statement that runs. It never rejects. */
  readonly stop: () => Promise<void>
}

function createAttempt(client: PostgresJs, call: Call): Attempt {
  let running: Running | undefined
  let isStopping = false
  let hasBegun = false
  const execute: Execute = async (queries, statement, place) => {
    running = start(queries, statement, place)
    const result = await running.result
    // COMMIT would give a connection that is about to be closed to the next caller.
    if (isStopping) await new Promise(ignore)
    return result
  }
  return {
    run: async (statements) => {
      const [first, ...others] = statements
      if (first && others.length === 0) return [await execute(client, first, { isShared: true })]
      const results: Result[] = []
      await client.begin(async (transaction) => {
        const failure = call.getFailure()
        if (failure) throw failure
        hasBegun = true
        try {
          await runInTransaction(transaction, statements, execute, results)
        } catch (error) {
          // After an error `begin` sends ROLLBACK, also to a closed socket, which ends the process. If the
          // connection breaks, it rejects without waiting for this promise.
          if (isStopping || isConnectionError(error)) await new Promise(ignore)
          throw error
        }
      })
      return results
    },
    wasSent: () => hasBegun || (running?.isSent() ?? false),
    async stop() {
      isStopping = running?.canStop() ?? false
      await running?.stop()
    },
  }
}

type Execute = (queries: PostgresJsQueries, statement: Statement, place: Place) => Promise<Result>

/** Where a statement runs. */
interface Place {
  /** Whether the connection is shared with other callers until it sends the statement. */
  readonly isShared: boolean
  /** Undefined until it is known. */
  connection?: PostgresJsConnection
}

async function runInTransaction(
  transaction: PostgresJsQueries,
  statements: readonly Statement[],
  execute: Execute,
  results: Result[],
): Promise<void> {
  const place: Place = { isShared: false }
  const onexecute = (connection: PostgresJsConnection): boolean => {
    place.connection = connection
    return true
  }
  // It is sent together with the first statement. If it fails, so does the transaction.
  transaction
    .unsafe('SET TRANSACTION ISOLATION LEVEL READ COMMITTED', [], { prepare: false, onexecute })
    .then(ignore, ignore)
  for (const statement of statements) results.push(await execute(transaction, statement, place))
}

/** A statement that postgres.js has accepted. */
interface Running {
  readonly result: Promise<Result>
  readonly isSent: () => boolean
  /** Whether {@link Running.stop} ends the connection. */
  readonly canStop: () => boolean
  readonly stop: () => Promise<void>
}

function start(queries: PostgresJsQueries, { sql, params }: Statement, place: Place): Running {
  const values = [...params]
  const onexecute = (connection: PostgresJsConnection): boolean => {
    place.connection = connection
    return !place.isShared
  }
  const query = queries.unsafe(sql, values, { prepare: true, onexecute })
  let isRunning = true
  const getResult = async (): Promise<Result> => {
    try {
      const rows = await query
      return { rows: [...rows] as Row[], affected: rows.count }
    } finally {
      isRunning = false
    }
  }
  const isSent = (): boolean => query.state !== null
  const canStop = (): boolean => isRunning && isSent() && place.connection !== undefined
  return {
    result: getResult(),
    isSent,
    canStop,
    async stop() {
      // To cancel a query that is not sent leaves its connection unusable. Without its values the server
      // refuses it.
      if (!isSent()) values.length = 0
      else if (place.connection && canStop()) await cancelAndClose(query, place.connection)
    },
  }
}

/**
 * Cancels a statement and closes its connection, which no other statement uses meanwhile: the server may
 * receive the cancellation after the statement has ended.
 */
async function cancelAndClose(
  query: PostgresJsQuery,
  connection: PostgresJsConnection,
): Promise<void> {
  connection.reserved ??= hold
  try {
    await query.cancel()
  } catch {
    // The server cannot be reached.
  }
  connection.terminate()
}

/** Without `release`, postgres.js would give the connection to the next caller. */
const hold = Object.assign(ignore, { release: true })

/** Failed connections that postgres.js counts at most: it then pauses for a quarter of a second. */
const MAX_FAILURES = 3

/**
 * Lets postgres.js connect again soon. It counts the failures of all connections together and pauses up to
 * 20 seconds, so that a pool of ten would stay closed that long after an outage of one second.
 */
function limitBackoff({ options = {} }: PostgresJs): void {
  const shared: unknown = Reflect.get(options, 'shared')
  if (typeof shared !== 'object' || !shared) return
  let failures = 0
  Object.defineProperty(shared, 'retries', {
    configurable: true,
    get: () => failures,
    set(count: number) {
      failures = Math.min(count, MAX_FAILURES)
    },
  })
}

/** Returns whether postgres.js could not connect. It reports some errors of a previous connection on the next one. */
function isRefusal(error: unknown): boolean {
  const { code }: { readonly code?: unknown } = Object(error)
  if (code === 'CONNECTION_CLOSED' || code === 'CONNECTION_DESTROYED') return true
  return code === 'CONNECT_TIMEOUT' || isPostgresRefusal(error)
}

function isConnectionError(error: unknown): boolean {
  const { code, severity }: { readonly code?: unknown; readonly severity?: unknown } = Object(error)
  if (severity !== undefined) return severity !== 'ERROR'
  return /^(CONNECT|E[A-Z]+$)/.test(String(code)) // CONNECTION_CLOSED, ECONNRESET, …
}

function ignore(): void {}
