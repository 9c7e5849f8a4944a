import { withTimeout } from '@latchkey/core/timeout'
import type { Driver, Result, Statement } from './driver.ts'
import type { SqlStorageOptions } from './storage.ts'

/** The options of the storages over a pool of connections to a server. */
export interface PoolStorageOptions<Fields = unknown> extends SqlStorageOptions<Fields> {
  /**
   * Seconds after which a call fails if the server has not answered, the wait for a connection included:
   * more than 0, and less than the option `timeouts.request` of `createAuth`, which does not free the
   * connection. `migrate` and `sweep` have no such limit. Default: 8
   */
  readonly timeout?: number
}

/** A pool of connections, as {@link createPoolRunner} uses it. */
export interface Pool {
  /** Takes a connection out of the pool. */
  readonly connect: () => Promise<Connection>
  /** Returns what runs one statement. Default: `connect` */
  readonly share?: () => Connection
  /** The commands that begin a transaction with READ COMMITTED, whatever the server's default is. */
  readonly begin: readonly string[]
}

/** A connection that was taken out of a {@link Pool}. */
export interface Connection {
  readonly execute: (statement: Statement) => Promise<Result>
  /** Runs a statement that is not prepared and whose result does not matter. */
  readonly command: (sql: string) => PromiseLike<unknown>
  /** Gives the connection back to the pool. */
  readonly release: () => void
  /** Closes the connection. */
  readonly discard: (error: unknown) => void
  /** Cancels the running statement, if the client cannot close a single connection. */
  readonly cancel?: () => void
  /** Whether the client has released the connection because of an error. Absent if it never does. */
  readonly isReleasedBy?: (error: unknown) => boolean
}

/** Creates `Driver.run`: one statement runs by itself, several run in a transaction. */
export function createPoolRunner(pool: Pool): Driver['run'] {
  return (statements, timeout) => {
    let connection: Connection | undefined
    let failure: Error | undefined
    const run = async (): Promise<readonly Result[]> => {
      const [first, ...others] = statements
      const isSingle = first !== undefined && others.length === 0
      const taken = endOnce((isSingle && pool.share?.()) || (await pool.connect()))
      connection = taken
      if (!failure)
        return isSingle ? runOne(taken, first) : runInTransaction(taken, pool, statements)
      taken.release()
      throw failure
    }
    const stop = (problem: string): Error => {
      const error = new Error(`the database: ${problem}`)
      failure = error
      if (connection?.cancel) connection.cancel()
      // The statement may continue at the server, so no other may use its connection.
      else connection?.discard(error)
      return error
    }
    return timeout === undefined ? run() : withTimeout(run(), timeout, stop)
  }
}

/** Makes the end of a connection idempotent: one that is discarded is not released any more. */
function endOnce(connection: Connection): Connection {
  let hasEnded = false
  const once =
    <Args extends readonly unknown[]>(end: (...args: Args) => void) =>
    (...args: Args): void => {
      if (!hasEnded) end(...args)
      hasEnded = true
    }
  return {
    ...connection,
    release: once(connection.release),
    discard: once(connection.discard),
  }
}

async function runOne(connection: Connection, statement: Statement): Promise<readonly Result[]> {
  try {
    return [await connection.execute(statement)]
  } finally {
    connection.release()
  }
}

async function runInTransaction(
  connection: Connection,
  { begin }: Pick<Pool, 'begin'>,
  statements: readonly Statement[],
): Promise<readonly Result[]> {
  try {
    for (const command of begin) await connection.command(command)
    const results: Result[] = []
    for (const statement of statements) results.push(await connection.execute(statement))
    await connection.command('COMMIT')
    connection.release()
    return results
  } catch (error) {
    if (!connection.isReleasedBy?.(error)) await rollBack(connection)
    throw error
  }
}

async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.command('ROLLBACK')
    connection.release()
  } catch (error) {
    // If ROLLBACK fails, discard the connection.
    connection.discard(error)
  }
}
