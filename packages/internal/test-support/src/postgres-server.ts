import { spawnSync } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { acceptsConnections, getFreePort } from './servers.ts'
import {
  createServerFolder,
  findProgram,
  getIdentity,
  runProgram,
  startProgram,
} from './system-program.ts'
import type { RunningProgram } from './system-program.ts'

/** A PostgreSQL server of one test. */
export interface PostgresServer {
  /** The URL of its database `postgres`. */
  readonly url: string
  readonly port: number
  /** Stops the server. `fast` ends its connections, `immediate` is a crash. */
  readonly stop: (mode?: 'fast' | 'immediate') => Promise<void>
  /** Starts a stopped server, and waits for its port: it may still refuse connections. */
  readonly start: () => Promise<void>
  /** Waits until the server accepts connections. */
  readonly waitUntilReady: () => Promise<void>
  /** Makes a standby accept writes. */
  readonly promote: () => void
  /** Starts a standby that follows this server. */
  readonly addStandby: (settings?: Readonly<Record<string, string>>) => Promise<PostgresServer>
  /** Stops the server and removes its folder. */
  readonly remove: () => Promise<void>
}

/** Returns the folder of PostgreSQL's programs. Undefined, and reported as missing, if there are none. */
export function findPostgres(): string | undefined {
  const path = findProgram('the program initdb of PostgreSQL', ['/usr/lib/postgresql/*/bin/initdb'])
  return path && dirname(path)
}

/**
 * Starts a PostgreSQL server on a free port.
 *
 * @param settings Further options of the program, such as `-c`, `fsync=on`: it is off by default
 */
export async function startPostgres(
  programs: string,
  settings: readonly string[] = [],
): Promise<PostgresServer> {
  const identity = getIdentity('postgres')
  const folder = createServerFolder('postgres', identity)
  const data = join(folder, 'data')
  const initdb = join(programs, 'initdb')
  runProgram(initdb, ['-D', data, '-U', 'root', '-A', 'trust', '--no-sync'], identity)
  const server = await startServer(programs, folder, settings)
  await server.waitUntilReady()
  return server
}

async function startServer(
  programs: string,
  folder: string,
  options: readonly string[] = [],
): Promise<PostgresServer> {
  const identity = getIdentity('postgres')
  const data = join(folder, 'data')
  const port = await getFreePort()
  const control = (...args: readonly string[]): string =>
    runProgram(join(programs, 'pg_ctl'), ['-D', data, ...args], identity)
  let server: RunningProgram | undefined
  const places = ['-D', data, '-h', '127.0.0.1', '-p', `${port}`, '-k', folder]
  const args = [...places, '-F', ...options]
  const start = async (): Promise<void> => {
    const started = startProgram(join(programs, 'postgres'), args, identity)
    server = started
    while (!(await acceptsConnections('127.0.0.1', port))) {
      if (started.hasExited()) throw new Error(started.getOutput())
      await wait(20)
    }
  }
  const stop = async (mode: 'fast' | 'immediate' = 'fast'): Promise<void> =>
    server?.end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
  const isReady = ['-h', '127.0.0.1', '-p', `${port}`, '-q']
  await start()
  return {
    url: `postgres://root@127.0.0.1:${port}/postgres`,
    port,
    start,
    stop,
    async waitUntilReady() {
      while (spawnSync(join(programs, 'pg_isready'), isReady).status !== 0) await wait(20)
    },
    promote: () => void control('promote'),
    addStandby: (settings) => addStandby(programs, port, settings),
    async remove() {
      await stop()
      rmSync(folder, { recursive: true })
    },
  }
}

async function addStandby(
  programs: string,
  port: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const identity = getIdentity('postgres')
  const folder = createServerFolder('standby', identity)
  const data = join(folder, 'data')
  const copy = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'root', '-D', data]
  runProgram(
    join(programs, 'pg_basebackup'),
    [...copy, '-R', '-X', 'stream', '-c', 'fast'],
    identity,
  )
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(data, 'postgresql.auto.conf'), lines.join(''))
  return startServer(programs, folder)
}
