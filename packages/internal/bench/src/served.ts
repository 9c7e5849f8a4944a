/** The work that is measured over HTTP. */
export const servedWorks = ['session', 'noSession', 'start'] as const
export type ServedWork = (typeof servedWorks)[number]

/** A request that can be repeated. */
export interface ServedRequest {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The status of the answer. */
  readonly status: number
}

/** What the process of a service sends to its parent when it listens. */
export interface Served {
  readonly url: string
}

/** A contender of the rates. */
export interface ServedContender extends Served {
  readonly requests: Readonly<Partial<Record<ServedWork, ServedRequest>>>
}

/** A service with users who sign in by a password. */
export interface ServedUsers extends Served {
  /** Reads the session of a user who has signed in: a request that hashes nothing. */
  readonly session: ServedRequest
  /** Sign in, each another user with the right password. */
  readonly signIns: readonly ServedRequest[]
}

export async function toServed(request: Request, status: number): Promise<ServedRequest> {
  const { method, headers } = request
  const path = new URL(request.url).pathname
  return { path, method, headers: Object.fromEntries(headers), body: await request.text(), status }
}
