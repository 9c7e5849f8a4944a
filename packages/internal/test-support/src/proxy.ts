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
  readonly stop: () => void
}

/**
 * Starts a proxy to a server.
 *
 * @param defaultPort The port of the server, if its URL does not name one
 */
export async function startProxy(server: string, defaultPort: number): Promise<Proxy> {
  const { hostname, port } = new URL(server)
  let isDisconnected = false
  let isFrozen = false
  const held: (() => void)[] = []
  const sockets = new Set<Socket>()
  const forward = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('error', () => {}).on('close', () => to.destroy())
    from.on('data', (bytes) => {
      const write = (): unknown => to.write(bytes)
      if (isFrozen) held.push(write)
      else write()
    })
  }
  const proxy = createServer((inward) => {
    if (isDisconnected) {
      inward.destroy()
      return
    }
    const outward = connect(Number(port || defaultPort), hostname)
    forward(inward, outward)
    forward(outward, inward)
  })
  const disconnect = (): void => {
    isDisconnected = true
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = new URL(server)
  url.hostname = '127.0.0.1'
  url.port = `${(proxy.address() as AddressInfo).port}`
  return {
    url: url.href,
    disconnect,
    reconnect: () => void (isDisconnected = false),
    freeze: () => void (isFrozen = true),
    thaw() {
      isFrozen = false
      for (const write of held.splice(0)) write()
    },
    stop() {
      disconnect()
      proxy.close()
    },
  }
}
