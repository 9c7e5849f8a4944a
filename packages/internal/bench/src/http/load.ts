import { once } from 'node:events'
import autocannon from 'autocannon'
import { percentile } from '../output/median.ts'
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

export interface LoadOptions {
  readonly connections: number
  /**
   * Seconds. A slow server is under load for longer, until it has answered twice as often as there are
   * connections: it answers the first requests of all connections at about the same time.
   */
  readonly duration: number
}

/** Milliseconds after which the end is noticed. */
const SAMPLE_MS = 50
/** Seconds after which a server has failed. */
const MAX_SECONDS = 120

/**
 * Sends one request again and again, over several connections, from this process.
 *
 * @throws Error if an answer is missing, or has another status than the first one
 */
export async function measureLoad(
  url: string,
  { status, ...request }: ServedRequest,
  { connections, duration }: LoadOptions,
): Promise<Load> {
  const instance = startLoad(url, request, connections)
  const times: number[] = []
  let wrong = 0
  const start = performance.now()
  let elapsed = 0
  instance.on('response', (_client, actual, _bytes, time) => {
    times.push(time)
    if (actual !== status) wrong += 1
    elapsed = (performance.now() - start) / 1000
    if (elapsed >= duration && times.length >= 2 * connections) instance.stop()
  })
  const [{ errors }] = (await once(instance, 'done')) as [autocannon.Result]
  if (wrong + errors > 0 || times.length < connections) {
    throw new Error(`${request.path}: ${times.length} answers, ${wrong} wrong, ${errors} errors`)
  }
  times.sort((a, b) => a - b)
  const rate = times.length / elapsed
  return { rate, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

function startLoad(
  url: string,
  { method, path, headers, body }: Omit<ServedRequest, 'status'>,
  connections: number,
): autocannon.Instance {
  const request = { method: method as 'GET' | 'POST', path, headers, body }
  const limits = { duration: MAX_SECONDS, timeout: MAX_SECONDS, bailout: 1, sampleInt: SAMPLE_MS }
  return autocannon({ url, connections, ...limits, requests: [request] }, ignore)
}

function ignore(): void {}
