/** Database servers of this run: each in a folder that is removed at the end, on a free port of loopback. */
import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getFreePort } from '@latchkey/test-support/servers'
import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { createClient } from 'redis'

/** A database server that can be killed and started again with its data. */
export interface Engine {
  readonly url: string
  readonly defaultPort: number
  readonly kill: () => Promise<void>
  /** Starts it, and resolves when it answers. */
  readonly start: () => Promise<void>
  /** Opens one connection and keeps it; rejects if the server is full. */
  readonly occupy: () => Promise<() => Promise<void>>
  /**
   * Lets a replica that has every acknowledged write follow, kills the server, and promotes the replica,
   * which has another URL. Undefined for a server that replicates asynchronously only.
   */
  readonly failOver: (() => Promise<void>) | undefined
  readonly stop: () => Promise<void>
}

export type EngineName = 'postgres' | 'mariadb' | 'redis'

/** Connections that a server accepts: the processes have five each. */
const MAX_CONNECTIONS = 30

const LOOPBACK = '--bind-address=127.0.0.1 --skip-name-resolve'

const ROOT_WITHOUT_PASSWORD = '--auth-root-authentication-method=normal'

/** What differs between the servers. */
interface EngineFacts {
  readonly user: string
  /** Prepares the folder of the data. */
  readonly create: (data: string, run: Run) => void
  readonly command: (data: string, port: number) => readonly string[]
  readonly url: (port: number) => string
  readonly connect: (url: string) => Promise<() => Promise<void>>
  /** Creates what a new server lacks. */
  readonly prepare?: (url: string) => Promise<void>
  readonly standby?: Standby
  readonly defaultPort: number
}

/** How a replica is made. */
interface Standby {
  /** Copies the data of a server into an empty folder. */
  readonly copy: (port: number, data: string, run: Run) => void
  /** Lets the server acknowledge only what the replica has. */
  readonly follow: (url: string) => Promise<void>
  readonly promote: (data: string, run: Run) => void
}

type Run = (program: string, ...args: string[]) => void

const facts: Readonly<Record<EngineName, EngineFacts>> = {
  postgres: {
    user: 'postgres',
    create: (data, run) =>
      run(findPostgres('initdb'), '-D', data, '-U', 'root', '-A', 'trust', '--no-sync'),
    command: (data, port) => [
      findPostgres('postgres'),
      ...`-D ${data} -k ${data} -h 127.0.0.1 -p ${port} -c max_connections=${MAX_CONNECTIONS}`.split(
        ' ',
      ),
    ],
    url: (port) => `postgres://root@127.0.0.1:${port}/postgres`,
    async connect(url) {
      const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 })
      client.on('error', () => undefined)
      await client.connect()
      return () => client.end().catch(() => undefined)
    },
    standby: {
      copy(port, data, run) {
        const options = `-D ${data} -R -X stream --no-sync --checkpoint=fast`.split(' ')
        run(findPostgres('pg_basebackup'), '-d', `postgres://root@127.0.0.1:${port}`, ...options)
      },
      async follow(url) {
        const client = new Client({ connectionString: url })
        await client.connect()
        await client.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
        await client.query('SELECT pg_reload_conf()')
        await client.end()
      },
      promote: (data, run) => run(findPostgres('pg_ctl'), 'promote', '-w', '-D', data),
    },
    defaultPort: 5432,
  },
  mariadb: {
    user: 'mysql',
    create: (data, run) =>
      run('mariadb-install-db', '--no-defaults', `--datadir=${data}`, ROOT_WITHOUT_PASSWORD),
    command: (data, port) => [
      'mariadbd',
      ...`--no-defaults --datadir=${data} --socket=${data}/socket`.split(' '),
      ...LOOPBACK.split(' '),
      ...`--port=${port} --max-connections=${MAX_CONNECTIONS}`.split(' '),
    ],
    url: (port) => `mysql://root@127.0.0.1:${port}/test`,
    async connect(url) {
      const connection = await createConnection({ uri: url, connectTimeout: 2000 })
      connection.on('error', () => undefined)
      return () => connection.end().catch(() => undefined)
    },
    async prepare(url) {
      const connection = await createConnection({ uri: url.replace(/test$/, 'mysql') })
      await connection.query('CREATE DATABASE IF NOT EXISTS test')
      await connection.end()
    },
    defaultPort: 3306,
  },
  redis: {
    user: 'redis',
    create: () => undefined,
    command: (data, port) => [
      'redis-server',
      ...`--port ${port} --bind 127.0.0.1 --dir ${data} --maxclients ${MAX_CONNECTIONS}`.split(' '),
      ...'--appendonly yes --appendfsync always'.split(' '),
    ],
    url: (port) => `redis://127.0.0.1:${port}`,
    async connect(url) {
      const client = createClient({
        url,
        socket: { reconnectStrategy: false, connectTimeout: 2000 },
      })
      client.on('error', () => undefined)
      await client.connect()
      await client.ping()
      return async () => client.destroy()
    },
    defaultPort: 6379,
  },
}

/** Where a server keeps its data, and where it listens. */
interface Place {
  readonly data: string
  readonly port: number
}

/** Starts a server with an empty database. */
export async function startEngine(name: EngineName): Promise<Engine> {
  const engine = facts[name]
  const folder = mkdtempSync(join(tmpdir(), `latchkey-${name}-`))
  const wrap = asUser(engine.user, [folder, join(folder, 'data')])
  const run: Run = (program, ...args) => {
    execFileSync(...toArguments(wrap([program, ...args])), { stdio: 'pipe' })
  }
  const launch = async ({ data, port }: Place): Promise<ChildProcess> => {
    const launched = spawn(...toArguments(wrap(engine.command(data, port))), { stdio: 'ignore' })
    await waitUntilOpen(engine, engine.url(port), launched)
    return launched
  }
  let place = { data: join(folder, 'data'), port: await getFreePort() }
  engine.create(place.data, run)
  let child = await launch(place)
  const failOver = async ({ copy, follow, promote }: Standby): Promise<void> => {
    const next = { data: join(folder, crypto.randomUUID()), port: await getFreePort() }
    copy(place.port, next.data, run)
    const successor = await launch(next)
    await follow(engine.url(place.port))
    await sleep(1000)
    await end(child, 'SIGKILL')
    promote(next.data, run)
    ;[child, place] = [successor, next]
  }
  return {
    get url() {
      return engine.url(place.port)
    },
    defaultPort: engine.defaultPort,
    kill: () => end(child, 'SIGKILL'),
    start: () => startAgain(async () => void (child = await launch(place))),
    occupy: () => engine.connect(engine.url(place.port)),
    failOver: engine.standby && failOver.bind(undefined, engine.standby),
    async stop() {
      await end(child, 'SIGTERM')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

/** After a kill, children of PostgreSQL may hold its shared memory for a moment. */
async function startAgain(start: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await start()
    } catch (thrown) {
      if (tries === 20) throw thrown
      await sleep(250)
    }
  }
}

async function waitUntilOpen(
  { connect, prepare }: EngineFacts,
  url: string,
  child: ChildProcess,
): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null) throw new Error(`the server of ${url} has exited`)
    try {
      await prepare?.(url)
      await (
        await connect(url)
      )()
      return
    } catch {
      await sleep(100)
    }
  }
  throw new Error(`the server of ${url} does not answer`)
}

function findPostgres(program: string): string {
  const path = globSync(`/usr/lib/postgresql/*/bin/${program}`).toSorted().at(-1)
  return path ?? program
}

/** The servers refuse to run as root, or should not: as root, they run as their own user. */
function asUser(
  user: string,
  folders: readonly string[],
): (command: readonly string[]) => string[] {
  const isRoot = process.getuid?.() === 0
  const id = (flag: string): number =>
    Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o700)
    if (isRoot) chownSync(folder, id('-u'), id('-g'))
  }
  const prefix = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups']
  return (command) => [...(isRoot ? prefix : []), ...command]
}

function toArguments([program = '', ...args]: readonly string[]): [string, string[]] {
  return [program, args]
}
