import { join } from 'node:path'
import { getFreePort } from './servers.ts'
import {
  createServerFolder,
  findProgram,
  getIdentity,
  runProgram,
  startServer,
} from './system-program.ts'
import type { TestServer } from './system-program.ts'

/** Returns the path of the server's program. Undefined, and reported as missing, if there is none. */
export function findMariadb(): string | undefined {
  return findProgram('the program mariadbd', ['/usr/sbin/mariadbd'])
}

/** Returns the path of the library that makes MariaDB servers a cluster; undefined, and reported, if there is none. */
export function findGalera(): string | undefined {
  return findProgram('the library of galera-4', ['/usr/lib/galera/libgalera_smm.so'])
}

/**
 * Starts a MariaDB server on a free port, whose URL is that of its database `test`.
 *
 * @param settings Further options of the program, such as `--wsrep-on=ON`
 */
export async function startMariadb(
  program: string,
  settings: readonly string[] = [],
): Promise<TestServer> {
  const identity = getIdentity('mysql')
  const folder = createServerFolder('mariadb', identity)
  // A server that starts deletes the temporary tables of another one in the same folder.
  const folders = ['--no-defaults', `--datadir=${join(folder, 'data')}`, `--tmpdir=${folder}`]
  const install = [...folders, '--auth-root-authentication-method=normal']
  runProgram('mariadb-install-db', install, identity)
  const port = await getFreePort()
  const places = [...folders, `--socket=${join(folder, 'socket')}`, `--port=${port}`]
  const args = [...places, '--bind-addr=127.0.0.1', ...settings]
  const url = `mysql://root@127.0.0.1:${port}/test`
  return startServer({ program, args, identity, folder, port, url, signal: 'SIGTERM' })
}
