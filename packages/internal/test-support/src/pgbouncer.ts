import { chownSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { acceptsConnections, getFreePort } from './servers.ts'
import { createServerFolder, findProgram, getIdentity, startProgram } from './system-program.ts'

/** A PgBouncer of one test. */
export interface PgBouncer {
  /** The URL of the database `postgres` through it. */
  readonly url: string
  /** Stops it and removes its folder. */
  readonly remove: () => Promise<void>
}

/** Returns the path of the program. Undefined, and reported as missing, if there is none. */
export function findPgBouncer(): string | undefined {
  return findProgram('the program pgbouncer', ['/usr/sbin/pgbouncer'])
}

/**
 * Starts PgBouncer in front of a PostgreSQL server on 127.0.0.1.
 *
 * @param settings Lines of its section `pgbouncer`, such as `pool_mode = transaction`
 */
export async function startPgBouncer(
  program: string,
  serverPort: number,
  settings: readonly string[],
): Promise<PgBouncer> {
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
  const server = startProgram(program, [file], identity)
  while (!(await acceptsConnections('127.0.0.1', port))) {
    if (server.hasExited()) throw new Error(server.getOutput())
    await wait(20)
  }
  return {
    url: `postgres://root@127.0.0.1:${port}/postgres`,
    async remove() {
      await server.end('SIGTERM')
      rmSync(folder, { recursive: true })
    },
  }
}
