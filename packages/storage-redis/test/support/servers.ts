import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** The address of the server to test with; undefined, and said so, where there is none. */
export async function reachableRedis(): Promise<URL | undefined> {
  const url = new URL(process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379')
  if (await answers(url.hostname, Number(url.port || 6379))) return url
  console.warn(`not reachable, not tested: Redis at ${url.host}`)
  return undefined
}

/** A Redis Cluster of one server, of our own; undefined, and said so, where there is no redis-server. */
export async function startCluster(): Promise<
  { readonly url: string; readonly stop: () => Promise<void> } | undefined
> {
  if (!hasServer()) {
    console.warn('no redis-server to start, not tested: Redis Cluster')
    return undefined
  }
  const [port, folder] = [await freePort(), mkdtempSync(join(tmpdir(), 'latchkey-'))]
  const args = [
    '--bind',
    '127.0.0.1',
    '--port',
    `${port}`,
    '--cluster-port',
    `${await freePort()}`,
    '--dir',
    folder,
  ]
  const child = spawn(
    'redis-server',
    [...args, '--cluster-enabled', 'yes', '--save', '', '--cluster-announce-ip', '127.0.0.1'],
    { stdio: 'ignore' },
  )
  while (!(await answers('127.0.0.1', port))) await delay(20)
  const ask = (...words: string[]): string =>
    execFileSync('redis-cli', ['-p', `${port}`, 'CLUSTER', ...words], { encoding: 'utf8' })
  ask('ADDSLOTSRANGE', '0', '16383')
  while (!ask('INFO').includes('cluster_state:ok')) await delay(20)
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      child.kill()
      await once(child, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}

/** A wire to a server that can be cut: connections break, and new ones are refused until it is mended. */
export async function startWire(server: URL): Promise<{
  readonly url: string
  readonly cut: () => void
  readonly mend: () => void
  readonly stop: () => void
}> {
  let isCut = false
  const sockets = new Set<Socket>()
  const wire = createServer((inward) => {
    if (isCut) {
      inward.destroy()
      return
    }
    const outward = connect(Number(server.port || 6379), server.hostname)
    for (const [from, to] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {}).on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  const cut = (): void => {
    isCut = true
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  wire.listen(0, '127.0.0.1')
  await once(wire, 'listening')
  const url = new URL(server)
  url.hostname = '127.0.0.1'
  url.port = `${(wire.address() as AddressInfo).port}`
  return {
    url: url.href,
    cut,
    mend: () => void (isCut = false),
    stop: () => {
      cut()
      wire.close()
    },
  }
}

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host)
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  return isOpen
}

function hasServer(): boolean {
  try {
    return /v=([7-9]|\d\d)/.test(execFileSync('redis-server', ['--version'], { encoding: 'utf8' }))
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
