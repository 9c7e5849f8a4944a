import { setTimeout as sleep } from 'node:timers/promises'
import { queryObjects } from 'node:v8'

/** The memory after a garbage collection. */
export interface HeapSample {
  readonly requests: number
  /** Bytes of the heap, with the buffers outside of it. */
  readonly bytes: number
}

/** Bytes by which the heap may differ between two samples of a service that keeps nothing. */
const NOISE = 1_500_000

/** Collects garbage, and measures the heap. */
export async function sampleHeap(requests: number): Promise<HeapSample> {
  for (let i = 0; i < 2; i++) {
    await sleep(20)
    // It collects more than gc(), which leaves compiled code of instances that were replaced.
    queryObjects(WeakRef, { format: 'count' })
  }
  const { heapUsed, external } = process.memoryUsage()
  return { requests, bytes: heapUsed + external }
}

/**
 * Returns the growth in the second half of a run, after caches have filled, in bytes for a thousand requests: the median of
 * the slopes of all pairs of samples (Theil–Sen), which a few outliers do not change.
 */
export function computeGrowth(samples: readonly HeapSample[]): number {
  const end = samples.at(-1)?.requests ?? 0
  const late = samples.filter(({ requests }) => requests >= end / 2)
  const slopes = late.flatMap((a, i) =>
    late.slice(i + 1).map((b) => ((b.bytes - a.bytes) / (b.requests - a.requests)) * 1000),
  )
  return Math.round(slopes.toSorted((a, b) => a - b)[slopes.length >> 1] ?? 0)
}

/** Returns the growth that the noise of samples cannot explain, in a run of so many requests. */
export function toLimit(requests: number): number {
  return Math.round((NOISE / (requests / 2)) * 1000)
}
