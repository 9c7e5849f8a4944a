import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getFreePort } from './servers.ts'
import { createServerFolder, findProgram, getIdentity, startServer } from './system-program.ts'
import type { TestServer } from './system-program.ts'

/** Returns the path of the program. Undefined, and reported as missing, if there is none. */
export function findPgBouncer(): string | undefined {
  return findProgram('the program pgbouncer', ['/usr/sbin/pgbouncer'])
}

/**
 * Starts PgBouncer in front of a PostgreSQL server on 127.0.0.1. Its URL is that of the database `postgres` through it.
 *
 * @param settings Lines of its section `pgbouncer`, such as `pool_mode = transaction`
 */
export async function startPgBouncer(
  program: string,
  serverPort: number,
  settings: readonly string[],
): Promise<TestServer> {
  const identity = getIdentity('postgres')
  const folder = createServerFolder('pgbouncer', identity)
  const port = await getFreePort()
  const file = join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${serverPort} user=root`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    ...settings,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  if (identity.uid !== undefined) chownSync(file, identity.uid, identity.gid ?? identity.uid)
  const url = `postgres://root@127.0.0.1:${port}/postgres`
  const signal = 'SIGTERM'
  return startServer({ program, args: [file], identity, folder, port, url, signal })
}
