import { ConfigurationError } from '@latchkey/core'

/** What hashes of a format cost. */
export interface CostFormat {
  /** The function that has the option `decoys`. */
  readonly option: string
  /** Returns what a hash costs; undefined if it is invalid or exceeds the limits. */
  readonly getCost: (hash: string) => string | undefined
  /** Returns a hash of no password that costs as much; any text if the cost is invalid. */
  readonly toDecoy: (cost: string) => string
}

/**
 * Creates a hash of no password for each cost.
 *
 * @throws ConfigurationError naming the cost that is invalid, or exceeds the limits
 */
export function createDecoys(
  { option, getCost, toDecoy }: CostFormat,
  costs: readonly string[],
): readonly string[] {
  return costs.map((cost, i) => {
    const decoy = toDecoy(cost)
    if (getCost(decoy) === cost) return decoy
    const problem = 'must be what a hash costs, as importUsers reports it'
    throw new ConfigurationError(`${option}.decoys[${i}]`, problem)
  })
}
