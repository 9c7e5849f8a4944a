import { runCall } from './call.ts'
import type { Call } from './call.ts'
import type { Driver, Result, Statement } from './driver.ts'
import { createRecovery } from './recovery.ts'
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
  /** The commands that begin a transaction with READ COMMITTED, whatever the server's default is. */
  readonly begin: readonly string[]
  /** Whether `connect` failed because the server accepts no connections for now. */
  readonly isRefusal: (error: unknown) => boolean
  /** Whether a connected server refused a statement before it ran it. Default: it never does */
  readonly isNotReady?: (error: unknown) => boolean
}

/** A connection that was taken out of a {@link Pool}. */
export interface Connection {
  readonly execute: (statement: Statement) => Promise<Result>
  /** Runs a statement that is not prepared and whose result does not matter. */
  readonly command: (sql: string) => Promise<unknown>
  /** Gives the connection back to the pool. */
  readonly release: () => void
  /** Closes the connection. */
  readonly discard: (error: unknown) => void
}

/**
 * Creates `Driver.run`: one statement runs by itself, several run in a transaction. A refused connection
 * is tried again within the time limit of the call, because nothing was sent.
 *
 * @param patience Seconds for which a call without a time limit tries again
 */
export function createPoolRunner(pool: Pool, patience: number): Driver['run'] {
  const { isNotReady = () => false } = pool
  const isRefusal = (error: unknown): boolean => pool.isRefusal(error) || isNotReady(error)
  const recovery = createRecovery(isRefusal)
  return (statements, timeout) => {
    let connection: Connection | undefined
    const open = async (): Promise<Connection> => {
      const taken = endOnce(await pool.connect())
      connection = taken
      if (recovery.getRefusal() !== undefined) await probe(taken)
      return taken
    }
    const run = async (call: Call): Promise<readonly Result[]> => {
      for (;;) {
        const taken = await recovery.connect(open, call)
        const failure = call.getFailure()
        if (failure) {
          taken.release()
          throw failure
        }
        try {
          return await runStatements(taken, pool, statements)
        } catch (error) {
          if (!isNotReady(error) || call.hasGivenUp()) throw error
          recovery.report(error)
        }
      }
    }
    // The statement may continue at the server, so no other may use its connection.
    const stop = (error: Error): void => connection?.discard(error)
    return runCall({ timeout, patience, run, stop, getCause: recovery.getRefusal })
  }
}

/**
 * Checks a connection after a refusal: the pool may have kept one from before it, and a server that
 * accepts connections may not run statements yet.
 */
async function probe(connection: Connection): Promise<void> {
  try {
    await connection.command('SELECT 1')
  } catch (error) {
    connection.discard(error)
    throw error
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

async function runStatements(
  connection: Connection,
  pool: Pool,
  statements: readonly Statement[],
): Promise<readonly Result[]> {
  const [first, ...others] = statements
  return first && others.length === 0
    ? runOne(connection, first)
    : runInTransaction(connection, pool, statements)
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
    await rollBack(connection)
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
