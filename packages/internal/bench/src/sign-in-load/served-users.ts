import type { ServedRequest } from '../http/served.ts'

/** A service that is put under load by sign-ins. */
export type LoadedName = 'latchkey' | 'betterAuth'

/** The services, in the order of the table. */
export const loadedNames: readonly LoadedName[] = ['latchkey', 'betterAuth']

/** What the process of a service sends to its parent when it listens. */
export interface ServedUsers {
  readonly url: string
  /** Reads the session of a user who has signed in: a request that hashes nothing. */
  readonly session: ServedRequest
  /** Sign in, each another user with the right password. */
  readonly signIns: readonly ServedRequest[]
}

/** Requests that the process of the users sends simultaneously. */
export interface CrowdTask {
  readonly url: string
  readonly requests: readonly ServedRequest[]
}

/** What happened to one request. */
export interface SignInResult {
  readonly status: number
  /** Milliseconds from the request to the end of the answer. */
  readonly time: number
}

/** What the process of users who change their passwords sends to its parent when it listens. */
export interface ServedChanges extends Pick<ServedUsers, 'url' | 'session'> {
  /** Signs a user in, in a browser that knows the user. */
  readonly signIn: ServedRequest
  /** The requests of each round: one user changes the password, from three IP addresses. */
  readonly changes: readonly (readonly ServedRequest[])[]
}
