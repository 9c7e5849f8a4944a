/** A separate process: loads a bundled Worker, sends one request, and prints what that took. */
import { env } from './workers/env.ts'
import type { Env, Host } from './workers/env.ts'

interface Worker {
  fetch(request: Request, variables: Env, host: Host): Promise<Response>
}

/** What the process prints, as JSON. */
export interface FirstAnswer {
  /** Milliseconds from the import of the Worker to the end of the answer. */
  readonly wall: number
  readonly body: string
}

const [file = '', path = ''] = process.argv.slice(2)
const start = performance.now()
const { default: worker } = (await import(file)) as { default: Worker }
const request = new Request(env.SERVICE_URL + path)
const response = await worker.fetch(request, env, { waitUntil: () => undefined })
const body = await response.text()
console.log(JSON.stringify({ wall: performance.now() - start, body } satisfies FirstAnswer))
