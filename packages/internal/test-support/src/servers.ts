import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/** The PostgreSQL server to test with. */
export const postgresUrl: string =
  process.env['TEST_POSTGRES_URL'] ?? 'postgres://root@127.0.0.1:5432/test'

/** The MariaDB or MySQL server to test with. */
export const mysqlUrl: string = process.env['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306/test'

/** The Redis server to test with. */
export const redisUrl: string = process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379'

const defaultPorts: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'mysql:': 3306,
  'redis:': 6379,
}

/**
 * Prints the name of a server or program that the tests leave out because it is missing.
 *
 * @throws {Error} if `CI` is set: a run that leaves something out must not pass there
 */
export function reportMissing(name: string): void {
  const message = `missing, not tested: ${name}`
  if (process.env['CI']) throw new Error(message)
  console.warn(message)
}

/** Returns whether the server of a URL accepts connections. If it does not, it is reported as missing. */
export async function isReachable(name: string, url: string): Promise<boolean> {
  const { host, hostname, port, protocol } = new URL(url)
  const isOpen = await acceptsConnections(hostname, Number(port || defaultPorts[protocol]))
  if (!isOpen) reportMissing(`${name} at ${host}`)
  return isOpen
}

/** Returns whether a TCP port accepts connections. */
export async function acceptsConnections(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host)
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}

/** Returns a TCP port of a local interface on which no server listens. */
export async function getFreePort(host: '127.0.0.1' | 'localhost' = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
