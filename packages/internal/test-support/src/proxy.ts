import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A proxy to a server, whose connections can break or freeze. */
export interface Proxy {
  /** The URL of the server through the proxy. */
  readonly url: string
  /** Closes all connections, and new ones until `reconnect`. */
  readonly disconnect: () => void
  readonly reconnect: () => void
  /** Keeps all connections open, but forwards nothing until `thaw`, as a stopped server does. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Closes the port and all connections: until `open`, connections are refused. */
  readonly close: () => Promise<void>
  readonly open: () => Promise<void>
  /**
   * Keeps the open connections open, and loses what arrives on them for ever, as a network that has
   * forgotten them. New connections work.
   *
   * @param direction `replies` loses only what the server sends. Default: both directions
   */
  readonly silence: (direction?: 'replies') => void
  /** Lets new connections lead to another server, as a name does whose IP address changes. */
  readonly lead: (server: string) => void
  /**
   * Forwards requests, but closes a connection on which the server answers, until `reconnect`.
   *
   * @param pattern Only answers to requests that match it are lost. Default: all
   */
  readonly loseAnswers: (pattern?: RegExp) => void
  /** Returns how many connections clients have tried to open. */
  readonly countAttempts: () => number
  readonly stop: () => void
}

interface Target {
  readonly host: string
  readonly port: number
}

/** What happens to the connections of a proxy. */
interface Traffic {
  isDisconnected: boolean
  isFrozen: boolean
  /** The requests whose answers are lost. */
  lost: RegExp | undefined
  attempts: number
  /** What is written after `thaw`. */
  readonly held: (() => void)[]
  /** To clients and to the server. */
  readonly sockets: Set<Socket>
  readonly serverSockets: WeakSet<Socket>
  /** What arrives on them is lost. */
  readonly silent: WeakSet<Socket>
}

/**
 * Starts a proxy to a server.
 *
 * @param defaultPort The port of the server, if its URL does not name one
 */
export async function startProxy(server: string, defaultPort: number): Promise<Proxy> {
  const url = new URL(server)
  const traffic = createTraffic()
  let target = getTarget(url, defaultPort)
  const proxy = createServer((client) => accept(client, target, traffic))
  const listen = async (port: number): Promise<void> => {
    proxy.listen(port, '127.0.0.1')
    await once(proxy, 'listening')
  }
  await listen(0)
  const { port } = proxy.address() as AddressInfo
  url.hostname = '127.0.0.1'
  url.port = `${port}`
  const disconnect = (): void => {
    for (const socket of traffic.sockets) socket.destroy()
    traffic.sockets.clear()
  }
  return {
    ...createFaults(traffic),
    url: url.href,
    disconnect() {
      traffic.isDisconnected = true
      disconnect()
    },
    async close() {
      proxy.close()
      disconnect()
      await once(proxy, 'close')
    },
    open: () => listen(port),
    lead: (other) => void (target = getTarget(new URL(other), defaultPort)),
    stop() {
      disconnect()
      proxy.close()
    },
  }
}

function getTarget({ hostname, port }: URL, defaultPort: number): Target {
  return { host: hostname, port: Number(port || defaultPort) }
}

type Faults = 'reconnect' | 'freeze' | 'thaw' | 'silence' | 'loseAnswers' | 'countAttempts'

/** What changes or shows the traffic only, not the port. */
function createFaults(traffic: Traffic): Pick<Proxy, Faults> {
  return {
    reconnect: () => void Object.assign(traffic, { isDisconnected: false, lost: undefined }),
    freeze: () => void (traffic.isFrozen = true),
    thaw() {
      traffic.isFrozen = false
      for (const write of traffic.held.splice(0)) write()
    },
    silence(direction) {
      for (const socket of traffic.sockets) {
        if (direction === undefined || traffic.serverSockets.has(socket)) traffic.silent.add(socket)
      }
    },
    loseAnswers: (pattern = /(?:)/) => void (traffic.lost = pattern),
    countAttempts: () => traffic.attempts,
  }
}

function createTraffic(): Traffic {
  const faults = { isDisconnected: false, isFrozen: false, lost: undefined }
  const sockets = {
    sockets: new Set<Socket>(),
    serverSockets: new WeakSet(),
    silent: new WeakSet(),
  }
  return { ...faults, ...sockets, attempts: 0, held: [] }
}

function accept(client: Socket, { host, port }: Target, traffic: Traffic): void {
  traffic.attempts++
  if (traffic.isDisconnected) {
    client.destroy()
    return
  }
  const server = connect(port, host)
  traffic.serverSockets.add(server)
  forward(client, server, traffic)
  let isLost = false
  client.on('data', (bytes) => (isLost ||= traffic.lost?.test(bytes.toString('latin1')) ?? false))
  server.on('data', () => isLost && client.destroy())
  forward(server, client, traffic)
}

function forward(from: Socket, to: Socket, traffic: Traffic): void {
  traffic.sockets.add(from)
  from.on('error', () => {}).on('close', () => to.destroy())
  from.on('data', (bytes) => {
    if (traffic.silent.has(from)) return
    const write = (): unknown => to.write(bytes)
    if (traffic.isFrozen) traffic.held.push(write)
    else write()
  })
}
