/** The options of all benchmarks. */
export interface BenchOptions {
  /** Measures for seconds: it shows that the benchmark works, and its figures mean little. */
  readonly quick: boolean
  /** Writes the result into `results`. */
  readonly update: boolean
  /** Requests of each class. */
  readonly requests?: number
}
