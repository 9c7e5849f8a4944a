/**
 * The members of a client, cluster, pool or Sentinel client of `redis` (node-redis) that the storage
 * uses. It must be connected and have a listener for `error`: without one, a lost connection ends the
 * process.
 */
export interface NodeRedisClient extends NodeRedisConnection {
  evalSha(sha1: string, call: NodeRedisCall): Promise<unknown>
  eval(script: string, call: NodeRedisCall): Promise<unknown>
  /** Limits the milliseconds that a command may wait before it is sent, and replaces the types of the client. */
  withCommandOptions?(options: {
    timeout: number
    typeMapping: Record<number, never>
  }): Pick<NodeRedisClient, 'evalSha' | 'eval'>
  /** The nodes of a cluster that can write. */
  readonly masters?: readonly { readonly client?: NodeRedisConnection | undefined }[]
}

/** The members of a node-redis connection that the storage uses to replace it. */
export interface NodeRedisConnection {
  readonly isOpen?: boolean
  readonly isReady?: boolean
  ping?(): Promise<unknown>
  connect?(): Promise<unknown>
  destroy?(): unknown
}

/** The keys and arguments of a script for node-redis. */
export interface NodeRedisCall {
  keys: string[]
  arguments: string[]
}

/** The members of a client or cluster of `ioredis` that the storage uses. */
export interface IoRedisClient extends IoRedisConnection {
  evalsha(sha1: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  readonly options?: IoRedisOptions
  readonly isCluster?: boolean
  /** The nodes of a cluster. */
  nodes?(role?: 'master'): IoRedisConnection[]
}

/** The members of an ioredis connection that the storage uses to replace it. */
export interface IoRedisConnection {
  readonly status?: string
  ping?(): Promise<unknown>
  connect?(): Promise<unknown>
  disconnect?(reconnect?: boolean): unknown
  on?(event: string, listener: (connection: IoRedisConnection) => void): unknown
  once?(event: string, listener: () => void): unknown
}

/** The options of ioredis that decide whether it sends a command again after a lost connection. */
export interface IoRedisOptions {
  /** What every key begins with. */
  readonly keyPrefix?: string | undefined
  /** How often a command is sent again after a lost connection; null for ever. */
  readonly maxRetriesPerRequest?: number | null | undefined
  /** Whether commands without an answer are sent again. */
  readonly autoResendUnfulfilledCommands?: boolean | undefined
  /** Of a cluster, in milliseconds. */
  readonly retryDelayOnFailover?: number | undefined
  /** Of a cluster. */
  readonly clusterNodeRetryStrategy?: unknown
  /** Of a cluster: the options of its nodes. */
  readonly redisOptions?: Omit<IoRedisOptions, 'redisOptions'> | undefined
}

/** A client of either library. Their methods for EVALSHA are spelled differently. */
export type RedisClient = NodeRedisClient | IoRedisClient
