import { ConfigurationError } from '@latchkey/core'
import { withTimeout } from '@latchkey/core/unstable'
import type { IoRedisClient, IoRedisConnection, IoRedisOptions } from './client.ts'
import { pause, PING_TIMEOUT } from './connection.ts'
import type { Connection, ScriptCall } from './connection.ts'
import { getReplyCode, NotSentError } from './errors.ts'

/**
 * Adapts a client of ioredis.
 *
 * @throws ConfigurationError `client`, if it sends commands again after a lost connection
 */
export function adaptIoRedis(client: IoRedisClient): Connection {
  checkSendsOnce(client)
  const disconnecting = new Set<IoRedisConnection>()
  const countLosses = client.nodes ? watchLosses(client, client.nodes()) : () => 0
  const evaluate =
    (command: 'evalsha' | 'eval') =>
    async (text: string, { keys, args }: ScriptCall): Promise<unknown> => {
      checkReady(client, disconnecting.has(client))
      const losses = countLosses()
      try {
        return await client[command](text, keys.length, ...keys, ...args)
      } catch (error) {
        if (!client.nodes || !isClosed(error)) throw error
        // A cluster reports a node that refuses the connection like a node that ends it.
        await pause(0)
        throw losses === countLosses() ? new NotSentError(error) : error
      }
    }
  return {
    isCluster: client.isCluster === true,
    keyPrefix: client.options?.keyPrefix ?? '',
    evalByHash: evaluate('evalsha'),
    evalByText: evaluate('eval'),
    async reconnect(which) {
      const replace = async (connection: IoRedisConnection): Promise<void> => {
        if (which === 'silent' && (await answers(connection))) return
        if (disconnecting.has(connection) || !isConnected(connection)) return
        disconnecting.add(connection)
        connection.once?.('close', () => disconnecting.delete(connection))
        connection.disconnect?.(true)
      }
      await Promise.all((client.nodes?.('master') ?? [client]).map(replace))
    },
  }
}

/**
 * By default ioredis sends the commands of a lost connection again, even if the server has run them.
 *
 * @throws ConfigurationError `client`
 */
function checkSendsOnce({ options, isCluster }: IoRedisClient): void {
  if (!options) return
  if (isCluster && options.retryDelayOnFailover !== 0) {
    throw new ConfigurationError('client', `must have retryDelayOnFailover: 0. ${reason}`)
  }
  // The nodes of a cluster do not reconnect by themselves, unless a strategy is given.
  const reconnecting = isCluster ? getNodeOptions(options) : options
  if (!reconnecting || isSafe(reconnecting)) return
  const option = isCluster ? 'redisOptions.maxRetriesPerRequest' : 'maxRetriesPerRequest'
  throw new ConfigurationError('client', `must have ${option}: 0. ${reason}`)
}

const reason =
  'Otherwise ioredis sends the commands of a lost connection again, and the server runs them twice'

function getNodeOptions(options: IoRedisOptions): IoRedisOptions | undefined {
  const { clusterNodeRetryStrategy, redisOptions = {} } = options
  return typeof clusterNodeRetryStrategy === 'function' ? redisOptions : undefined
}

function isSafe({ maxRetriesPerRequest, autoResendUnfulfilledCommands }: IoRedisOptions): boolean {
  return maxRetriesPerRequest === 0 || autoResendUnfulfilledCommands === false
}

/**
 * Throws if a command would wait in the client: one that waits cannot be told from one that was sent,
 * and may run after its caller has given up.
 */
function checkReady(client: IoRedisClient, isDisconnecting: boolean): void {
  const { status = 'ready' } = client
  if (status === 'ready' && !isDisconnecting) return
  if (status === 'end') throw new Error('Redis: the client is closed')
  // With `lazyConnect` the first command connects.
  if (status === 'wait') client.connect?.().catch(() => {})
  throw new NotSentError(new Error(`the client is not connected: its status is ${status}`))
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && error.message === 'Connection is closed.'
}

function isConnected({ status }: IoRedisConnection): boolean {
  return status === 'ready' || status === 'connect'
}

/** Returns whether a connection answers PING. A refusal is an answer too. */
async function answers(connection: IoRedisConnection): Promise<boolean> {
  if (connection.status === 'connect') {
    // A command would wait for the end of the handshake.
    await pause(PING_TIMEOUT * 1000)
    return connection.status !== 'connect'
  }
  if (connection.status !== 'ready' || !connection.ping) return true
  return withTimeout(connection.ping(), PING_TIMEOUT).then(
    () => true,
    (error) => getReplyCode(error) !== undefined,
  )
}

/** Returns a function that counts the nodes of a cluster whose established connections were lost. */
function watchLosses(cluster: IoRedisClient, nodes: readonly IoRedisConnection[]): () => number {
  let losses = 0
  const watch = (node: IoRedisConnection): void => {
    let isEstablished = node.status === 'ready'
    node.on?.('ready', () => (isEstablished = true))
    node.on?.('close', () => {
      if (isEstablished) losses++
      isEstablished = false
    })
  }
  for (const node of nodes) watch(node)
  cluster.on?.('+node', watch)
  return () => losses
}
