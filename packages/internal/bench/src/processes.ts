import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Starts a process that serves something until it is disconnected: see `server.ts`. */
export function startServer(kind: string, ...args: readonly string[]): ChildProcess {
  return fork(new URL('./server.ts', import.meta.url), [kind, ...args])
}

/** @throws Error if the process ends before it sends a message */
export async function receive<T>(child: ChildProcess): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  try {
    const sent = once(child, 'message', { signal })
    const [message] = (await Promise.race([sent, failOnExit(child, signal)])) as [T]
    return message
  } finally {
    controller.abort()
  }
}

async function failOnExit(child: ChildProcess, signal: AbortSignal): Promise<never> {
  const [code] = (await once(child, 'exit', { signal })) as [number]
  throw new Error(`expected a message of ${child.spawnargs.join(' ')}, it ended with ${code}`)
}
