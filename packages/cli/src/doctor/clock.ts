import { broken, ok, weak } from './finding.ts'
import type { Finding } from './finding.ts'

/** Compares the clock of this machine with the clocks of servers. */
export interface Clock {
  /** Sends a request, and notes the `Date` of its response. */
  readonly watch: (send: () => Promise<Response>) => Promise<Response>
  readonly getFindings: () => readonly Finding[]
}

/** Seconds that an ID Token may be from the future (I-24). */
const TOLERANCE = 30

/** Creates a clock without measurements. */
export function createClock(now: () => number = Date.now): Clock {
  const skews: number[] = []
  return {
    async watch(send) {
      const before = now()
      const response = await send()
      const date = Date.parse(response.headers.get('date') ?? '')
      // The header has whole seconds, so that the middle of one is closest.
      if (!Number.isNaN(date)) skews.push((date + 500 - (before + now()) / 2) / 1000)
      return response
    },
    getFindings: () => (skews.length === 0 ? [] : [describeSkew(getMedian(skews))]),
  }
}

/** A single server can have a wrong clock itself, or answer from a cache. */
function getMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function describeSkew(skew: number): Finding {
  const seconds = Math.round(Math.abs(skew))
  const direction = skew > 0 ? 'behind' : 'ahead of'
  const text = `this machine is ${seconds} s ${direction} the servers it asked`
  if (seconds > TOLERANCE) {
    return broken('clock', `${text}: ID Tokens are refused`, 'synchronize it (NTP)')
  }
  if (seconds > 5) return weak('clock', text, 'synchronize it (NTP)')
  return ok('clock', 'agrees with the servers that were asked')
}
