import { once } from 'node:events'
import autocannon from 'autocannon'
import type { ServedRequest } from './served.ts'

/** What clients see of a server under load. */
export interface Load {
  /** Answers per second. */
  readonly rate: number
  /** Milliseconds in which half of the answers came. */
  readonly p50: number
  /** Milliseconds in which 99 of 100 answers came. */
  readonly p99: number
}

/** Milliseconds between two looks at whether the time is over. */
const SAMPLE_MS = 50

/** How long a server is under load: seconds, or a number of answers. */
export type LoadLength = { readonly duration: number } | { readonly amount: number }

export interface LoadOptions {
  readonly connections: number
  readonly length: LoadLength
}

/**
 * Sends one request again and again, over several connections, from this process.
 *
 * @throws Error if an answer is missing, or has another status than the first one
 */
export async function measureLoad(
  url: string,
  { path, method, headers, body, status }: ServedRequest,
  { connections, length }: LoadOptions,
): Promise<Load> {
  const request = { method: method as 'GET' | 'POST', path, headers, body }
  const options = { ...length, url, connections, timeout: 60, sampleInt: SAMPLE_MS }
  const instance = autocannon({ ...options, requests: [request] }, ignore)
  const times: number[] = []
  let wrong = 0
  const start = performance.now()
  let end = start
  instance.on('response', (_client, actual, _bytes, time) => {
    times.push(time)
    end = performance.now()
    if (actual !== status) wrong += 1
  })
  const [{ errors }] = (await once(instance, 'done')) as [autocannon.Result]
  if (wrong + errors > 0 || times.length === 0) {
    throw new Error(`expected status ${status} of ${path}, found ${wrong} others, ${errors} errors`)
  }
  times.sort((a, b) => a - b)
  const rate = (times.length * 1000) / (end - start)
  return { rate, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

function ignore(): void {}

/** @param sorted Ascending */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}
