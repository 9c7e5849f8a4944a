/** Samples of the heap, and by how much it grows. */
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The memory of the process after a garbage collection. */
export interface HeapSample {
  /** The number of requests so far. */
  readonly requests: number
  /** Bytes of the heap, with the buffers outside of it. */
  readonly bytes: number
}

/** Bytes by which the heap may differ between two samples of a service that keeps nothing. */
const NOISE = 1_500_000
/** Bytes per thousand requests that no run is precise enough to notice. */
const LEAST = 1000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Collects garbage until nothing is left that waits for it, and measures the heap. */
export async function sampleHeap(requests: number): Promise<HeapSample> {
  for (let i = 0; i < 4; i++) {
    await sleep(20)
    collectGarbage()
  }
  const { heapUsed, external } = process.memoryUsage()
  return { requests, bytes: heapUsed + external }
}

/**
 * Returns the slope of samples in bytes per thousand requests: the median of the slopes of all pairs (Theil–Sen), which a
 * few outliers do not change.
 *
 * @throws RangeError with less than two samples
 */
export function computeSlope(samples: readonly HeapSample[]): number {
  const slopes = samples.flatMap((a, i) =>
    samples.slice(i + 1).map((b) => ((b.bytes - a.bytes) / (b.requests - a.requests)) * 1000),
  )
  if (slopes.length === 0) throw new RangeError('expected at least two samples')
  return computeMedian(slopes)
}

/** Returns the samples of the second half of the requests: before it, caches fill and functions are compiled. */
export function selectLastHalf(samples: readonly HeapSample[]): readonly HeapSample[] {
  const end = samples.at(-1)?.requests ?? 0
  return samples.filter(({ requests }) => requests >= end / 2)
}

/**
 * Returns the slope from which a heap counts as growing, in bytes per thousand requests: what the noise of a sample could
 * make of the second half of so many requests, and one byte for a request at least.
 */
export function toThreshold(requests: number): number {
  return Math.max(LEAST, (NOISE / (requests / 2)) * 1000)
}

function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2
}
