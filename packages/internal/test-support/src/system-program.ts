import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getuid } from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { acceptsConnections, reportMissing } from './servers.ts'

/** A user of the system, who runs a server that refuses to run as root. */
interface Identity {
  readonly uid?: number
  readonly gid?: number
}

/** A program that runs until it is stopped. */
interface RunningProgram {
  /** Sends a signal and waits until the program has exited. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>
  readonly hasExited: () => boolean
  /** What it has printed. */
  readonly getOutput: () => string
}

/** Returns the path of the first program that exists; undefined, and reported as missing, if none does. */
export function findProgram(name: string, patterns: readonly string[]): string | undefined {
  const path = patterns.flatMap((pattern) => globSync(pattern)).findLast((file) => existsSync(file))
  if (path === undefined) reportMissing(name)
  return path
}

/** Returns the identity of a user; empty unless the tests run as root. */
export function getIdentity(user: string): Identity {
  if (getuid?.() !== 0) return {}
  const read = (flag: string): number =>
    Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout.trim())
  return { uid: read('-u'), gid: read('-g') }
}

/** Creates a folder that belongs to an identity. */
export function createServerFolder(name: string, { uid, gid }: Identity): string {
  const folder = mkdtempSync(join(tmpdir(), `latchkey-${name}-`))
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  return folder
}

/**
 * Runs a program to its end.
 *
 * @throws Error with what it printed, if it fails
 */
export function runProgram(path: string, args: readonly string[], identity: Identity = {}): string {
  const { status, stdout, stderr } = spawnSync(path, args, {
    ...identity,
    cwd: tmpdir(),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${path} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

/** Starts a program. */
function startProgram(
  path: string,
  args: readonly string[],
  identity: Identity = {},
): RunningProgram {
  const child = spawn(path, args, { ...identity, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)))
  }
  const exited = once(child, 'exit')
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null
  return {
    async end(signal) {
      // A server that has just started may not handle signals yet.
      while (!hasExited()) {
        child.kill(signal)
        await Promise.race([exited, wait(500)])
      }
    },
    hasExited,
    getOutput: () => output,
  }
}

/** A server of one test. */
export interface TestServer {
  readonly url: string
  readonly port: number
  /** Default: the signal by which it stops in order */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
  /** Starts a stopped server, and waits for its port. */
  readonly start: () => Promise<void>
  /** Throws what the program has printed, if it has exited: another may have accepted at its port. */
  readonly assertRunning: () => void
  /** Stops the server and removes its folder. */
  readonly remove: () => Promise<void>
}

/** How a server is started, and by which signal it stops in order. */
interface ServerCommand extends Pick<TestServer, 'url' | 'port'> {
  readonly program: string
  readonly args: readonly string[]
  readonly identity: Identity
  readonly folder: string
  readonly signal: NodeJS.Signals
}

/** Starts a server, and waits for its port. */
export async function startServer(command: ServerCommand): Promise<TestServer> {
  const { program, args, identity, folder, port, url, signal: usual } = command
  let running: RunningProgram | undefined
  const assertRunning = (): void => {
    if (running?.hasExited()) throw new Error(running.getOutput())
  }
  const start = async (): Promise<void> => {
    running = startProgram(program, args, identity)
    while (!(await acceptsConnections('127.0.0.1', port))) {
      assertRunning()
      await wait(20)
    }
  }
  const stop = async (signal = usual): Promise<void> => running?.end(signal)
  const remove = async (): Promise<void> => {
    await stop()
    rmSync(folder, { recursive: true, maxRetries: 5 })
  }
  await start()
  return { url, port, start, stop, assertRunning, remove }
}
