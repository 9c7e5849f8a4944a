import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../..', import.meta.url))

/** The output of a program that has exited. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A program of this folder in its own process, whose environment is only `env`. */
export class Program {
  readonly #child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  stdout = ''
  stderr = ''

  constructor(file: string, env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [file], { cwd: folder, env })
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

/** Opens a connection to a server, and sends exactly these characters. */
export async function open(url: string, start: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(start)
  return socket
}

/** Sends a request, and returns everything that the server sends until it closes the connection. */
export async function send(url: string, request: string): Promise<string> {
  return text(await open(url, request))
}
