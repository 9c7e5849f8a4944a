import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../..', import.meta.url))

/** How a program has ended. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A program of this folder, run as a process of its own with nothing in its environment but `env`. */
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

  /** Resolves with the match once the program has printed it. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    let over = false
    void this.ended.then(() => (over = true))
    for (;;) {
      const match = pattern.exec(this.stdout)
      if (match) return match
      if (over) throw new Error(`the program has ended: ${this.stderr}`)
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

/** A port of localhost that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Opens a connection, and sends exactly these characters. */
export async function open(address: string, start: string): Promise<Socket> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(start)
  return socket
}

/** Everything that comes until the other side closes. */
export async function send(address: string, request: string): Promise<string> {
  return text(await open(address, request))
}
