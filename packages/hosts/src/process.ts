import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program that runs in a process of its own until it is disposed of. */
export interface RunningProgram extends AsyncDisposable {
  /** What it has printed so far. */
  readonly output: () => string
  /** The address that it says it listens on. */
  readonly address: string
}

/** Milliseconds. */
const START_LIMIT = 60_000

/**
 * Starts a program, and waits until it prints `pattern`.
 *
 * @param pattern Its first group is the address
 *
 * @throws Error with what it has printed, where it ends or says nothing of the kind
 */
export async function start(
  command: string,
  args: readonly string[],
  pattern: RegExp = /listening on (\S+)/,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<RunningProgram> {
  const { cwd, env } = options
  // A group of its own, because some programs are scripts that start the real one.
  const child = spawn(command, args, { cwd, detached: true, env: { ...process.env, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  }
  const ended = once(child, 'close')
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await ended
  }
  const deadline = Date.now() + START_LIMIT
  for (;;) {
    const [, address] = pattern.exec(output) ?? []
    if (address !== undefined) return { output: () => output, address, [Symbol.asyncDispose]: stop }
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`${command} ${args.join(' ')} has not started:\n${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
