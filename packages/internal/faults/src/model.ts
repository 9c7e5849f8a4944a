/**
 * What must hold of one browser, whatever fails: a model of its session that knows what may be true after a request
 * whose outcome is unknown.
 */

/** What a request to the service has shown. */
export type Outcome =
  /** The service has said that it is done. */
  | 'done'
  /** The service has refused, or there was no answer: it may be done. */
  | 'unknown'

/** What a read has shown: the user of the session and what its data holds, or no session. */
export type Observed = { readonly user: string; readonly data: number } | undefined

/** The session of one browser, as far as its requests and their answers tell. */
export class BrowserModel {
  readonly user: string
  /** Whether the browser may be signed in, and may be signed out. */
  #mayBeIn = false
  #mayBeOut = true
  /** What `session.update` may have stored. */
  #data = new Set([0])

  constructor(user: string) {
    this.user = user
  }

  signIn(outcome: Outcome): void {
    if (outcome === 'unknown') {
      // The new session's cookie did not arrive; the session that it replaces may have ended.
      this.#mayBeOut = true
      return
    }
    this.#mayBeIn = true
    this.#mayBeOut = false
    this.#data = new Set([0])
  }

  /** A sign-in whose cookie arrived, though its outcome is unknown. */
  receiveSession(): void {
    this.#mayBeIn = true
    this.#mayBeOut = true
    this.#data.add(0)
  }

  end(outcome: Outcome): void {
    this.#mayBeOut = true
    if (outcome === 'done') this.#mayBeIn = false
  }

  update(data: number, outcome: Outcome): void {
    if (outcome === 'unknown') this.#data.add(data)
    else this.#data = new Set([data])
  }

  /** Returns what a read shows that cannot be; undefined if it agrees. Then only what it shows may be. */
  read(observed: Observed): string | undefined {
    const problem = this.#contradict(observed)
    this.#mayBeIn = observed !== undefined
    this.#mayBeOut = observed === undefined
    if (observed) this.#data = new Set([observed.data])
    return problem
  }

  #contradict(observed: Observed): string | undefined {
    if (!observed) return this.#mayBeOut ? undefined : `the session of ${this.user} is lost`
    if (!this.#mayBeIn) return `a session of ${this.user} that has ended works`
    if (observed.user !== this.user)
      return `the browser of ${this.user} is signed in as ${observed.user}`
    if (this.#data.has(observed.data)) return undefined
    const known = [...this.#data].join(' or ')
    return `an update of ${this.user} is lost: expected ${known}, found ${observed.data}`
  }
}
