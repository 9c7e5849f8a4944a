/** The work that is measured over HTTP. */
export const servedWorks: readonly ServedWork[] = ['session', 'noSession', 'start']

/** The name of work that is measured over HTTP. */
export type ServedWork = 'session' | 'noSession' | 'start'

/** What the process of a contender sends to its parent when it listens. */
export interface Served {
  readonly url: string
  readonly requests: Readonly<Partial<Record<ServedWork, ServedRequest>>>
}

/** A request that can be repeated. */
export interface ServedRequest {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The status of the answer. */
  readonly status: number
}
