import type { Driver, Result, Statement } from './driver.ts'

/** A pool of connections, as {@link createPoolRunner} uses it. */
export interface Pool {
  /** Runs one statement on any connection. */
  readonly execute: (statement: Statement) => Promise<Result>
  /** Takes a connection out of the pool. */
  readonly connect: () => Promise<Connection>
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
  /** Whether the client has released the connection because of an error. Absent if it never does. */
  readonly isReleasedBy?: (error: unknown) => boolean
}

/** Creates `Driver.run`: one statement runs by itself, several run in a transaction. */
export function createPoolRunner(pool: Pool): Driver['run'] {
  return async (statements) => {
    const [first, ...others] = statements
    if (first && others.length === 0) return [await pool.execute(first)]
    return runInTransaction(await pool.connect(), pool.begin, statements)
  }
}

async function runInTransaction(
  connection: Connection,
  begin: readonly string[],
  statements: readonly Statement[],
): Promise<Result[]> {
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
