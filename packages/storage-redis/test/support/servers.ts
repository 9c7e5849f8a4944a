import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { acceptsConnections, getFreePort, reportMissing } from '@latchkey/test-support/servers'

/** Starts a Redis Cluster of one server; undefined, reported, if redis-server is missing or too old. */
export async function startCluster(): Promise<
  { readonly url: string; readonly stop: () => Promise<void> } | undefined
> {
  if (!hasRedisServer()) {
    reportMissing('Redis Cluster (redis-server 7 or later)')
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

function hasRedisServer(): boolean {
  try {
    return /v=([7-9]|\d\d)/.test(execFileSync('redis-server', ['--version'], { encoding: 'utf8' }))
  } catch {
    return false
  }
}
