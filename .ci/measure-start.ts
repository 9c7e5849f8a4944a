/**
 * Measures `npx -y pnpm@12 start` as a new user has it: a fresh clone of the last commit, an empty cache of npm, an empty
 * store of pnpm. Prints the seconds until the first page and the bytes that the machine received, and fails above the limits.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Twice the 30 seconds that a quiet machine may take: the machines of CI are shared. */
const MAX_SECONDS = 60
const MAX_MEGABYTES = 200

const folder = mkdtempSync(join(tmpdir(), 'latchkey-start-'))
const clone = join(folder, 'latchkey')
const port = await findPort()
const env = {
  PATH: withoutLocalPrograms(process.env['PATH'] ?? ''),
  HOME: join(folder, 'home'),
  npm_config_cache: join(folder, 'npm'),
  npm_config_store_dir: join(folder, 'store'),
  XDG_CACHE_HOME: join(folder, 'cache'),
  XDG_DATA_HOME: join(folder, 'data'),
  XDG_STATE_HOME: join(folder, 'state'),
  CI: 'true',
  PORT: String(port),
  IDP_PORT: String(await findPort()),
  MAIL_PORT: String(await findPort()),
  ...readRegistry(),
}

const received = readReceived()
execFileSync('git', ['clone', '--quiet', '--no-hardlinks', '.', clone])
const begin = performance.now()
// A process group, so that what npx starts ends too.
const start = spawn('npx', ['-y', 'pnpm@12', 'start'], { cwd: clone, env, detached: true })
let output = ''
for (const stream of [start.stdout, start.stderr]) stream.on('data', (text) => (output += text))
try {
  await waitForPage()
  const seconds = (performance.now() - begin) / 1000
  const megabytes = Math.round((readReceived() - received) / 1e6)
  console.log(`first page after ${seconds.toFixed(1)} s, ${megabytes} MB received`)
  if (seconds > MAX_SECONDS || megabytes > MAX_MEGABYTES) {
    console.error(`expected at most ${MAX_SECONDS} s and ${MAX_MEGABYTES} MB`)
    process.exitCode = 1
  }
} finally {
  process.kill(-(start.pid ?? 0), 'SIGTERM')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function waitForPage(): Promise<void> {
  while (start.exitCode === null && performance.now() - begin < 300_000) {
    const response = await fetch(`http://localhost:${port}/`).catch(() => undefined)
    if (response?.ok === true) return
    await sleep(50)
  }
  throw new Error(`the demonstration did not start:\n${output.slice(-4000)}`)
}

/** The bytes that all network interfaces except loopback have received. */
function readReceived(): number {
  const lines = readFileSync('/proc/net/dev', 'utf8').split('\n').slice(2)
  return lines.reduce((sum, line) => {
    const [name = '', bytes] = line.trim().split(/[:\s]+/)
    return name === 'lo' || name === '' ? sum : sum + Number(bytes)
  }, 0)
}

/** The programs of this repository's own installation would hide what a new machine lacks. */
function withoutLocalPrograms(path: string): string {
  return path
    .split(':')
    .filter((part) => !part.includes('node_modules'))
    .join(':')
}

/** The registry of this machine, if npm is configured with another one. */
function readRegistry(): Record<string, string> {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  return { npm_config_registry: registry }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port: found } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return found
}
