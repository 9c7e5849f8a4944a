import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'

/** The output of a program that has exited. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Returns the variables with which a Node process finds the compile cache of the tests, if they have one:
 * compiling and stripping the types of a program takes longer than most of what it does in a test.
 */
export function getCompileCache(): Readonly<Record<string, string>> {
  const { NODE_COMPILE_CACHE: cache } = process.env
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
}

/** A program of a folder in its own process, whose environment is `env` and {@link getCompileCache}. */
export class Program {
  readonly #child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  stdout = ''
  stderr = ''

  constructor(folder: string, file: string, env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [file], {
      cwd: folder,
      env: { ...getCompileCache(), ...env },
    })
    this.#child.stdout.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()))
    this.#child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()))
    this.ended = once(this.#child, 'close').then(([code]) => ({
      code: code as number | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }))
  }

  /**
   * Resolves to the first match in what the program prints.
   *
   * @throws Error if the program exits before
   */
  async waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    let hasEnded = false
    void this.ended.then(() => (hasEnded = true))
    for (;;) {
      const match = pattern.exec(this.stdout)
      if (match) return match
      if (hasEnded)
        throw new Error(`expected output ${pattern}, but the program exited: ${this.stderr}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async stop(): Promise<Ended> {
    if (this.#child.exitCode === null) this.signal('SIGTERM')
    return this.ended
  }
}
