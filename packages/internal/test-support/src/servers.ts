import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

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

/** Ports that systems give neither to outgoing connections nor to servers that ask for any port. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000]

/**
 * Returns a TCP port of a local interface on which no server listens. No other call returns it while this
 * process runs, in any process.
 */
export async function getFreePort(host: '127.0.0.1' | 'localhost' = '127.0.0.1'): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT)
    if ((await reservePort(port)) && (await isFree(port, host))) return port
  }
}

/** Binds the UDP port of the same number, which nothing else uses, until this process exits. */
async function reservePort(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  socket.bind({ port, address: '127.0.0.1', exclusive: true })
  const isReserved = await once(socket, 'listening').then(
    () => true,
    () => false,
  )
  if (isReserved) socket.unref()
  else socket.close()
  return isReserved
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer().listen(port, host)
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (isListening) await once(server.close(), 'close')
  return isListening
}
