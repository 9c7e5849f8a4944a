/** The limit for |t| that leakage tests use (TVLA, dudect): beyond it, two series differ. */
export const LIMIT = 4.5

/** Returns Welch's t; 0 of less than two samples, because they show nothing. */
export function computeWelchT(a: readonly number[], b: readonly number[]): number {
  if (a.length < 2 || b.length < 2) return 0
  const [first, second] = [describeSeries(a), describeSeries(b)]
  const difference = first.mean - second.mean
  const error = Math.sqrt(first.variance / a.length + second.variance / b.length)
  return difference === 0 ? 0 : difference / error
}

/**
 * Returns the largest |t| of all samples and, as dudect does, of the fastest 1/2, 3/4, 7/8, … of both series together,
 * because the slowest samples are mostly noise of the machine.
 */
export function computeLargestT(a: readonly number[], b: readonly number[]): number {
  const sorted = [...a, ...b].toSorted((x, y) => x - y)
  const cropped = Array.from({ length: 10 }, (_, i) => {
    const limit = sorted[Math.floor(sorted.length * (1 - 2 ** -(i + 1)))] ?? Infinity
    const keep = (series: readonly number[]): number[] => series.filter((time) => time < limit)
    return Math.abs(computeWelchT(keep(a), keep(b)))
  })
  return Math.max(Math.abs(computeWelchT(a, b)), ...cropped)
}

function describeSeries(series: readonly number[]): { mean: number; variance: number } {
  const mean = series.reduce((sum, value) => sum + value, 0) / series.length
  const squares = series.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, variance: squares / (series.length - 1) }
}
