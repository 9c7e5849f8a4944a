import { rmSync } from 'node:fs'
import { join } from 'node:path'
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

/** A MariaDB server of one test. */
export interface MariadbServer {
  /** The URL of its database `test`. */
  readonly url: string
  readonly port: number
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
  readonly start: () => Promise<void>
  /** Stops the server and removes its folder. */
  readonly remove: () => Promise<void>
}

/** Returns the path of the server's program. Undefined, and reported as missing, if there is none. */
export function findMariadb(): string | undefined {
  return findProgram('the program mariadbd', ['/usr/sbin/mariadbd'])
}

/** Returns the path of the library that makes MariaDB servers a cluster; undefined, and reported, if there is none. */
export function findGalera(): string | undefined {
  return findProgram('the library of galera-4', ['/usr/lib/galera/libgalera_smm.so'])
}

/**
 * Starts a MariaDB server on a free port.
 *
 * @param settings Further options of the program, such as `--wsrep-on=ON`
 */
export async function startMariadb(
  program: string,
  settings: readonly string[] = [],
): Promise<MariadbServer> {
  const identity = getIdentity('mysql')
  const folder = createServerFolder('mariadb', identity)
  const data = join(folder, 'data')
  // A server that starts deletes the temporary tables of another one in the same folder.
  const folders = ['--no-defaults', `--datadir=${data}`, `--tmpdir=${folder}`]
  runProgram(
    'mariadb-install-db',
    [...folders, '--auth-root-authentication-method=normal'],
    identity,
  )
  const port = await getFreePort()
  const places = [...folders, `--socket=${join(folder, 'socket')}`, `--port=${port}`]
  const args = [...places, '--bind-addr=127.0.0.1', ...settings]
  let server: RunningProgram | undefined
  const start = async (): Promise<void> => {
    const started = startProgram(program, args, identity)
    server = started
    while (!(await acceptsConnections('127.0.0.1', port))) {
      if (started.hasExited()) throw new Error(started.getOutput())
      await wait(20)
    }
  }
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => server?.end(signal)
  await start()
  return {
    url: `mysql://root@127.0.0.1:${port}/test`,
    port,
    start,
    stop,
    async remove() {
      await stop('SIGKILL')
      rmSync(folder, { recursive: true })
    },
  }
}
