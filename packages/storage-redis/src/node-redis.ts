import { withTimeout } from '@latchkey/core/unstable'
import type { NodeRedisClient, NodeRedisConnection } from './client.ts'
import { pause, PING_TIMEOUT } from './connection.ts'
import type { Connection, ScriptCall } from './connection.ts'
import { getReplyCode, NotSentError } from './errors.ts'

/** Adapts a client of node-redis. It sends no command again after a lost connection. */
export function adaptNodeRedis(client: NodeRedisClient): Connection {
  const { restart, isRestarting } = createRestarts()
  const evaluate =
    (command: 'evalSha' | 'eval') =>
    async (text: string, { keys, args, timeout }: ScriptCall): Promise<unknown> => {
      // A command that waits in the client would otherwise run after its caller has given up. Texts are no buffers.
      const target = client.withCommandOptions?.({ timeout, typeMapping: {} }) ?? client
      try {
        return await target[command](text, { keys, arguments: args })
      } catch (error) {
        throw isRestarting() && isClosed(error) ? new NotSentError(error) : error
      }
    }
  return {
    isCluster: client.masters !== undefined,
    keyPrefix: '',
    evalByHash: evaluate('evalSha'),
    evalByText: evaluate('eval'),
    async reconnect(which) {
      const restartOne = async (connection: NodeRedisConnection): Promise<void> => {
        if (which === 'all' || !(await answers(connection))) restart(connection)
      }
      await Promise.all(getConnections(client).map(restartOne))
    },
  }
}

/**
 * Returns the connections that can be restarted. A pool cannot: it would use connections again that its
 * `destroy` has closed. It is the only client without `isReady`.
 */
function getConnections(client: NodeRedisClient): NodeRedisConnection[] {
  if (client.masters) return client.masters.flatMap((node) => node.client ?? [])
  return client.isReady === undefined ? [] : [client]
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && error.message === 'The client is closed'
}

/** Returns whether a connection answers PING. A refusal is an answer too. */
async function answers(connection: NodeRedisConnection): Promise<boolean> {
  if (!connection.ping) return true
  if (connection.isReady === false) return false
  return withTimeout(connection.ping(), PING_TIMEOUT).then(
    () => true,
    (error) => getReplyCode(error) !== undefined,
  )
}

interface Restarts {
  readonly restart: (connection: NodeRedisConnection) => void
  /** Whether a connection was closed here and is not open again. */
  readonly isRestarting: () => boolean
}

/** Milliseconds between two attempts to open a connection, and their number. */
const [REOPEN_WAIT, REOPEN_ATTEMPTS] = [500, 20]

/** Creates what closes connections and opens them again. */
function createRestarts(): Restarts {
  const closed = new Set<NodeRedisConnection>()
  const running = new Set<NodeRedisConnection>()
  /** When the last attempt began, in milliseconds since 1970. */
  const attempts = new WeakMap<NodeRedisConnection, number>()

  const reopen = async (connection: NodeRedisConnection): Promise<void> => {
    for (let tries = 0; tries < REOPEN_ATTEMPTS; tries++) {
      attempts.set(connection, Date.now())
      if (await tryReopen(connection)) {
        closed.delete(connection)
        return
      }
      await pause(REOPEN_WAIT)
    }
  }
  return {
    restart(connection) {
      const age = Date.now() - (attempts.get(connection) ?? 0)
      if (age < PING_TIMEOUT * 1000) return
      // The attempt rejects, and the next one begins.
      if (running.has(connection)) void connection.destroy?.()
      if (running.has(connection)) return
      // The client connects by itself: a second attempt at the same time would open two sockets.
      if (connection.isReady === false && !closed.has(connection)) return
      closed.add(connection)
      running.add(connection)
      void reopen(connection).finally(() => running.delete(connection))
    },
    isRestarting: () => closed.size > 0,
  }
}

async function tryReopen(connection: NodeRedisConnection): Promise<boolean> {
  try {
    await connection.destroy?.()
    await connection.connect?.()
  } catch {
    return false
  }
  return connection.isOpen !== false
}
