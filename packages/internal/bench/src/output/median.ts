/** Returns the median; NaN of no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const [low = NaN, high = NaN] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  return (low + high) / 2
}

/**
 * Returns the median of the ratios within each round, because only neighbours in time ran under the
 * same conditions; undefined if one of the series is empty.
 */
export function medianRatio(
  dividends: readonly number[],
  divisors: readonly number[],
): number | undefined {
  const count = Math.min(dividends.length, divisors.length)
  if (count === 0) return undefined
  return median(dividends.slice(0, count).map((value, round) => value / (divisors[round] ?? NaN)))
}

/**
 * Returns the value that a share of the values does not exceed; NaN of no values.
 *
 * @param sorted Ascending
 */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}
