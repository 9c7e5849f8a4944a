/** How clearly two series of times differ. */
export interface Distinction {
  /** Welch's t of all samples. */
  readonly t: number
  /** The largest absolute t of all samples and of the cropped ones. */
  readonly largest: number
  /** The share of samples that the largest one is of: 1 without cropping. */
  readonly share: number
}

/** The limit for |t| that leakage tests use (TVLA, dudect): beyond it, two series differ. */
export const LIMIT = 4.5

/** The shares of samples that are kept: 1/2, 3/4, 7/8, … of the faster ones. */
const shares = Array.from({ length: 10 }, (_, i) => 1 - 2 ** -(i + 1))

/**
 * Compares two series by Welch's t: of all samples, and, as dudect does, of the samples below several percentiles of both
 * series together, because the slowest samples are mostly noise of the machine.
 */
export function compareSeries(a: readonly number[], b: readonly number[]): Distinction {
  const t = computeWelchT(a, b)
  const sorted = [...a, ...b].toSorted((x, y) => x - y)
  const cropped = shares.map((share) => {
    const limit = sorted[Math.floor(sorted.length * share)] ?? Infinity
    const keep = (series: readonly number[]): number[] => series.filter((time) => time < limit)
    return { largest: Math.abs(computeWelchT(keep(a), keep(b))), share }
  })
  const all = [{ largest: Math.abs(t), share: 1 }, ...cropped]
  const largest = all.reduce((most, each) => (each.largest > most.largest ? each : most))
  return { t, ...largest }
}

/** Computes Welch's t; 0 of less than two samples, because they show nothing. */
export function computeWelchT(a: readonly number[], b: readonly number[]): number {
  if (a.length < 2 || b.length < 2) return 0
  const [first, second] = [describeSeries(a), describeSeries(b)]
  const error = Math.sqrt(first.variance / a.length + second.variance / b.length)
  const difference = first.mean - second.mean
  return difference === 0 ? 0 : difference / error
}

function describeSeries(series: readonly number[]): { mean: number; variance: number } {
  const mean = series.reduce((sum, value) => sum + value, 0) / series.length
  const squares = series.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, variance: squares / (series.length - 1) }
}
