/** Database servers of this run: each in a folder that is removed at the end, on a free port of loopback. */
import { setTimeout as sleep } from 'node:timers/promises'
import { findMariadb, startMariadb } from '@latchkey/test-support/mariadb-server'
import { findPostgres, startPostgres } from '@latchkey/test-support/postgres-server'
import type { PostgresServer } from '@latchkey/test-support/postgres-server'
import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { createClient } from 'redis'
import { startRedis } from '../../../storage-redis/test/support/servers.ts'

/** A database server that can be killed and started again with its data. */
export interface Engine {
  readonly url: string
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  /** Opens one connection and keeps it; rejects if the server is full. */
  readonly occupy: () => Promise<() => Promise<void>>
  /**
   * Lets a replica that has every acknowledged write follow, kills the server, and promotes the replica,
   * which has another URL. Undefined for a server that replicates asynchronously only.
   */
  readonly failOver?: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Connections that a server accepts: the processes have five each. */
const MAX_CONNECTIONS = '30'

/** Starts a server with an empty database, by its name. */
export const engines = {
  async postgres() {
    let server = await startPostgres(findPostgres() ?? '', [
      '-c',
      `max_connections=${MAX_CONNECTIONS}`,
    ])
    const stopped: PostgresServer[] = []
    return {
      get url() {
        return server.url
      },
      kill: () => server.stop('SIGKILL'),
      start: () => startAgain(server),
      occupy: () => connectToPostgres(server.url),
      async failOver() {
        const standby = await server.addStandby({ max_connections: MAX_CONNECTIONS })
        await acknowledgeReplicated(server.url)
        await sleep(1000)
        await server.stop('SIGKILL')
        standby.promote()
        stopped.push(server)
        server = standby
      },
      async stop() {
        for (const each of [...stopped, server]) await each.remove()
      },
    }
  },

  async mariadb() {
    const program = findMariadb() ?? ''
    const server = await startMariadb(program, [`--max-connections=${MAX_CONNECTIONS}`])
    return {
      url: server.url,
      kill: () => server.stop('SIGKILL'),
      start: server.start,
      occupy: () => connectToMariadb(server.url),
      stop: server.remove,
    }
  },

  async redis() {
    const log = ['--appendonly', 'yes', '--appendfsync', 'always']
    const server = await startRedis('--maxclients', MAX_CONNECTIONS, ...log)
    return { ...server, occupy: () => connectToRedis(server.url) }
  },
} satisfies Readonly<Record<string, () => Promise<Engine>>>

export type EngineName = keyof typeof engines

/** After a kill, children of PostgreSQL may hold its shared memory or its port for a moment. */
async function startAgain(server: PostgresServer): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await server.start()
      return await server.waitUntilReady()
    } catch (thrown) {
      if (tries === 20) throw thrown
      await sleep(250)
    }
  }
}

/** Lets a server of PostgreSQL acknowledge only what its replica has. */
async function acknowledgeReplicated(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await client.query('SELECT pg_reload_conf()')
  await client.end()
}

async function connectToPostgres(url: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => undefined)
  await client.connect()
  return () => client.end().catch(() => undefined)
}

async function connectToMariadb(url: string): Promise<() => Promise<void>> {
  const connection = await createConnection({ uri: url, connectTimeout: 2000 })
  connection.on('error', () => undefined)
  return () => connection.end().catch(() => undefined)
}

async function connectToRedis(url: string): Promise<() => Promise<void>> {
  const socket = { reconnectStrategy: false, connectTimeout: 2000 } as const
  const client = createClient({ url, socket })
  client.on('error', () => undefined)
  await client.connect()
  await client.ping()
  return async () => client.destroy()
}
