/** The figures of a run. */
export class Report {
  requests = 0
  /** Requests that were refused with 5xx, or had no answer. */
  refused = 0
  /** The longest time in which every request was refused, in seconds. */
  longestRefusal = 0
  /** The longest time to an answer, in seconds. */
  slowestAnswer = 0
  /** Faults by name. */
  readonly faults: Record<string, number> = {}
  readonly violations: string[] = []
  #refusedSince: number | undefined

  /**
   * Counts a request that began at `begin` (of `performance.now`). Status 0 means no answer. The CSRF token
   * needs no storage: its answers do not end a refusal.
   */
  count(request: Request, status: number, begin: number): void {
    const now = performance.now()
    this.requests++
    this.slowestAnswer = Math.max(this.slowestAnswer, (now - begin) / 1000)
    if (status === 0 || status >= 500) {
      this.refused++
      this.#refusedSince ??= now
      return
    }
    if (request.url.endsWith('/csrf')) return
    const refusal = now - (this.#refusedSince ?? now)
    this.longestRefusal = Math.max(this.longestRefusal, refusal / 1000)
    this.#refusedSince = undefined
  }

  fault(name: string): void {
    this.faults[name] = (this.faults[name] ?? 0) + 1
  }

  violate(what: string): void {
    this.violations.push(what)
  }
}
