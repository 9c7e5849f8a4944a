/** The figures of a run. */
export interface Figures {
  readonly requests: number
  /** Requests that were refused with 5xx, or had no answer. */
  readonly refused: number
  /** The longest time in which every request was refused, in seconds. */
  readonly longestRefusal: number
  /** The longest time to an answer, in seconds. */
  readonly slowestAnswer: number
  /** Faults by name. */
  readonly faults: Readonly<Record<string, number>>
  readonly violations: readonly string[]
}

/** Counts during a run. */
export class Report {
  #requests = 0
  #refused = 0
  #refusedSince: number | undefined
  #longestRefusal = 0
  #slowestAnswer = 0
  readonly #faults: Record<string, number> = {}
  readonly #violations: string[] = []

  /**
   * Counts a request that began at `begin` (of `performance.now`). Status 0 means no answer. The CSRF token
   * needs no storage: its answers do not end a refusal.
   */
  count(request: Request, status: number, begin: number): void {
    const now = performance.now()
    this.#requests++
    this.#slowestAnswer = Math.max(this.#slowestAnswer, now - begin)
    if (status === 0 || status >= 500) {
      this.#refused++
      this.#refusedSince ??= now
      return
    }
    if (request.url.endsWith('/csrf')) return
    if (this.#refusedSince !== undefined) {
      this.#longestRefusal = Math.max(this.#longestRefusal, now - this.#refusedSince)
    }
    this.#refusedSince = undefined
  }

  fault(name: string): void {
    this.#faults[name] = (this.#faults[name] ?? 0) + 1
  }

  violate(what: string): void {
    this.#violations.push(what)
  }

  get figures(): Figures {
    return {
      requests: this.#requests,
      refused: this.#refused,
      longestRefusal: this.#longestRefusal / 1000,
      slowestAnswer: this.#slowestAnswer / 1000,
      faults: this.#faults,
      violations: this.#violations,
    }
  }
}
