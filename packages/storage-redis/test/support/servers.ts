import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { acceptsConnections, getFreePort } from '@latchkey/test-support/servers'

/** Starts a Redis Cluster of one server; undefined, with a warning, if redis-server is missing or too old. */
export async function startCluster(): Promise<
  { readonly url: string; readonly stop: () => Promise<void> } | undefined
> {
  if (!hasRedisServer()) {
    console.warn('redis-server 7 or later not found, not tested: Redis Cluster')
    return undefined
  }
  const [port, folder] = [await getFreePort(), mkdtempSync(join(tmpdir(), 'latchkey-'))]
  const args = [
    '--bind',
    '127.0.0.1',
    '--port',
    `${port}`,
    '--cluster-port',
    `${await getFreePort()}`,
    '--dir',
    folder,
  ]
  const child = spawn(
    'redis-server',
    [...args, '--cluster-enabled', 'yes', '--save', '', '--cluster-announce-ip', '127.0.0.1'],
    { stdio: 'ignore' },
  )
  while (!(await acceptsConnections('127.0.0.1', port))) await delay(20)
  const runCluster = (...words: string[]): string =>
    execFileSync('redis-cli', ['-p', `${port}`, 'CLUSTER', ...words], { encoding: 'utf8' })
  runCluster('ADDSLOTSRANGE', '0', '16383')
  while (!runCluster('INFO').includes('cluster_state:ok')) await delay(20)
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      child.kill()
      await once(child, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}

/** Starts a proxy to a server. After `disconnect` it closes connections until `reconnect`. */
export async function startProxy(server: string): Promise<{
  readonly url: string
  readonly disconnect: () => void
  readonly reconnect: () => void
  readonly stop: () => void
}> {
  const { hostname, port } = new URL(server)
  let isDisconnected = false
  const sockets = new Set<Socket>()
  const proxy = createServer((inward) => {
    if (isDisconnected) {
      inward.destroy()
      return
    }
    const outward = connect(Number(port || 6379), hostname)
    for (const [from, to] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {}).on('close', () => to.destroy())
      from.pipe(to)
    }
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
    stop: () => {
      disconnect()
      proxy.close()
    },
  }
}

function hasRedisServer(): boolean {
  try {
    return /v=([7-9]|\d\d)/.test(execFileSync('redis-server', ['--version'], { encoding: 'utf8' }))
  } catch {
    return false
  }
}
