import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { acceptsConnections, getFreePort, reportMissing } from '@latchkey/test-support/servers'

/** A `redis-server` that a test has started, and can end. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Runs a command of `redis-cli`. */
  readonly run: (...words: string[]) => string
  /** Ends the server without warning. */
  readonly kill: () => Promise<void>
  /** Starts the server again, at the same port and with the same files. */
  readonly start: (...args: string[]) => Promise<void>
  /** Ends the server and removes its files. */
  readonly stop: () => Promise<void>
}

/** Whether `redis-server` 7 or later is installed. If it is not, it is reported as missing. */
export const hasRedisServer: boolean = findRedisServer()

function findRedisServer(): boolean {
  try {
    const version = execFileSync('redis-server', ['--version'], { encoding: 'utf8' })
    if (/v=([7-9]|\d\d)/.test(version)) return true
  } catch {
    // Not installed.
  }
  reportMissing('redis-server 7 or later')
  return false
}

/**
 * Starts a Redis server on a free port, without snapshots.
 *
 * @param args Further arguments, such as `--appendonly`, `yes`
 */
export async function startRedis(...args: string[]): Promise<RedisServer> {
  const [port, folder] = [await getFreePort(), mkdtempSync(join(tmpdir(), 'latchkey-redis-'))]
  const common = ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', folder, '--save', '']
  const begin = (...more: string[]): ChildProcess =>
    spawn('redis-server', [...common, ...args, ...more], { stdio: 'ignore' })
  const run = (...words: string[]): string =>
    execFileSync('redis-cli', ['-p', `${port}`, ...words], { encoding: 'utf8', stdio: 'pipe' })
  const isReady = (): boolean => tryTo(() => /PONG|LOADING/.test(run('PING')))
  let child = begin()
  await waitFor(isReady)
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    run,
    kill,
    async start(...more) {
      child = begin(...more)
      await waitFor(isReady)
    },
    async stop() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A Redis Cluster without replicas. */
export interface RedisCluster {
  readonly nodes: readonly RedisServer[]
  readonly url: string
  readonly stop: () => Promise<void>
}

/**
 * Starts a Redis Cluster, whose nodes have the same number of slots.
 *
 * @param args Further arguments of each server
 */
export async function startCluster(size: number, ...args: string[]): Promise<RedisCluster> {
  const start = async (): Promise<RedisServer> => {
    const ownPorts = ['--cluster-port', `${await getFreePort()}`]
    const enabled = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1']
    return startRedis(...enabled, ...ownPorts, ...args)
  }
  const nodes: RedisServer[] = []
  for (let i = 0; i < size; i++) nodes.push(await start())
  const [first] = nodes as [RedisServer, ...RedisServer[]]
  const busPort = (node: RedisServer): string =>
    /@(\d+)/.exec(node.run('CLUSTER', 'NODES'))?.[1] ?? ''
  nodes.forEach((node, i) => {
    const [from, to] = [i, i + 1].map((part) => Math.round((part * 16_384) / size)) as [
      number,
      number,
    ]
    node.run('CLUSTER', 'ADDSLOTSRANGE', `${from}`, `${to - 1}`)
    // Without different epochs, the nodes have to agree on them first.
    node.run('CLUSTER', 'SET-CONFIG-EPOCH', `${i + 1}`)
    if (i > 0) node.run('CLUSTER', 'MEET', '127.0.0.1', `${first.port}`, busPort(first))
  })
  const isComplete = (node: RedisServer): boolean =>
    node.run('CLUSTER', 'INFO').includes('cluster_state:ok') &&
    node.run('CLUSTER', 'NODES').match(/ connected \d/g)?.length === size
  await waitFor(() => nodes.every(isComplete))
  return {
    nodes,
    url: first.url,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}

/** A server with a replica that takes its place, and a Sentinel that decides when. */
export interface RedisSentinel {
  /** The port of the Sentinel. */
  readonly port: number
  readonly primary: RedisServer
  readonly replica: RedisServer
  readonly stop: () => Promise<void>
}

/** Starts a server, its replica and one Sentinel, for which they are `latchkey`. */
export async function startSentinel(): Promise<RedisSentinel> {
  const primary = await startRedis('--repl-diskless-sync-delay', '0')
  const replica = await startRedis('--replicaof', '127.0.0.1', `${primary.port}`)
  await waitFor(() => replica.run('INFO', 'replication').includes('master_link_status:up'))
  const [port, folder] = [await getFreePort(), mkdtempSync(join(tmpdir(), 'latchkey-redis-'))]
  const file = join(folder, 'sentinel.conf')
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor latchkey 127.0.0.1 ${primary.port} 1`,
    'sentinel down-after-milliseconds latchkey 500',
    'sentinel failover-timeout latchkey 3000',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' })
  while (!(await acceptsConnections('127.0.0.1', port))) await delay(20)
  const ask = (...words: string[]): string =>
    execFileSync('redis-cli', ['-p', `${port}`, 'SENTINEL', ...words], { encoding: 'utf8' })
  await waitFor(() => ask('replicas', 'latchkey').includes(`${replica.port}`))
  return {
    port,
    primary,
    replica,
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'exit')
      await Promise.all([primary.stop(), replica.stop()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function waitFor(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    if (tries === 500) throw new Error('a server of the test does not become ready')
    await delay(20)
  }
}

function tryTo(condition: () => boolean): boolean {
  try {
    return condition()
  } catch {
    return false
  }
}
