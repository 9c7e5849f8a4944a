/** A separate process: loads a bundled Worker, sends one request, and prints what that took. */
import type { Host } from '../workers/env.ts'
import { env } from './subjects.ts'

interface Worker {
  fetch(request: Request, variables: typeof env, host: Host): Promise<Response>
}

/** What the process prints, as JSON. Times are in milliseconds. */
export interface FirstAnswer {
  /** From the import of the Worker to the end of the answer. */
  readonly wall: number
  /** CPU time of all threads in the same span. */
  readonly cpu: number
  /** CPU time without the import: the service's creation and its first answer. */
  readonly callCpu: number
  readonly body: string
}

const [file = '', path = ''] = process.argv.slice(2)
const startCpu = process.cpuUsage()
const start = performance.now()
const { default: worker } = (await import(file)) as { default: Worker }
const callCpu = process.cpuUsage()
const request = new Request(env.SERVICE_URL + path)
const response = await worker.fetch(request, env, { waitUntil: () => undefined })
const body = await response.text()
const wall = performance.now() - start
const answer: FirstAnswer = {
  wall,
  cpu: toMilliseconds(process.cpuUsage(startCpu)),
  callCpu: toMilliseconds(process.cpuUsage(callCpu)),
  body,
}
console.log(JSON.stringify(answer))

function toMilliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000
}
