import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { getFreePort } from './servers.ts'
import {
  createServerFolder,
  findProgram,
  getIdentity,
  runProgram,
  startServer,
} from './system-program.ts'
import type { TestServer } from './system-program.ts'

/** A PostgreSQL server of one test. Its URL is that of its database `postgres`; once it has started, it may still refuse connections. */
export interface PostgresServer extends TestServer {
  /** Waits until the server accepts connections. Rejects if it has exited. */
  readonly waitUntilReady: () => Promise<void>
  /** Makes a standby accept writes. */
  readonly promote: () => void
  /** Starts a standby that follows this server. */
  readonly addStandby: (settings?: Readonly<Record<string, string>>) => Promise<PostgresServer>
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
  const server = await serve(programs, folder, settings)
  await server.waitUntilReady()
  return server
}

async function serve(
  programs: string,
  folder: string,
  options: readonly string[] = [],
): Promise<PostgresServer> {
  const identity = getIdentity('postgres')
  const data = join(folder, 'data')
  const port = await getFreePort()
  const control = (...args: readonly string[]): string =>
    runProgram(join(programs, 'pg_ctl'), ['-D', data, ...args], identity)
  const places = ['-D', data, '-h', '127.0.0.1', '-p', `${port}`, '-k', folder]
  const args = [...places, '-F', ...options]
  const isReady = ['-h', '127.0.0.1', '-p', `${port}`, '-q']
  const program = join(programs, 'postgres')
  const url = `postgres://root@127.0.0.1:${port}/postgres`
  // It ends the connections.
  const signal = 'SIGINT'
  const server = await startServer({ program, args, identity, folder, port, url, signal })
  return {
    ...server,
    async waitUntilReady() {
      while (spawnSync(join(programs, 'pg_isready'), isReady).status !== 0) {
        server.assertRunning()
        await wait(20)
      }
    },
    promote: () => void control('promote'),
    addStandby: (settings) => addStandby(programs, port, settings),
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
  return serve(programs, folder)
}
