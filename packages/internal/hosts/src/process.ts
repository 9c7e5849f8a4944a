import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program in its own process, which runs until it is disposed of. */
export interface RunningProgram extends AsyncDisposable {
  /** Returns what it has printed so far. */
  readonly output: () => string
  /** The URL that it listens on, according to its output. */
  readonly url: string
}

const START_TIMEOUT_MS = 60_000

/**
 * Starts a program and waits until it prints `pattern`.
 *
 * @param pattern Its first group is the URL
 *
 * @throws Error with the output, if the program ends or does not print the pattern within a minute
 */
export async function startProgram(
  command: string,
  args: readonly string[],
  pattern: RegExp = /listening on (\S+)/,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<RunningProgram> {
  const { cwd, env } = options
  // `detached` creates a process group, because some programs are scripts that start another program.
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
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    const [, url] = pattern.exec(output) ?? []
    if (url !== undefined) return { output: () => output, url, [Symbol.asyncDispose]: stop }
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(
        `expected ${command} ${args.join(' ')} to print ${pattern}, found:\n${output}`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
