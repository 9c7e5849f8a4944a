import type { Browser } from './browser.ts'
import type { Site } from './cookie-jar.ts'
import type { Person, Way } from './people.ts'
import type { SessionRecord } from './records.ts'

/** Who proves by a request who they are, so that the reply may begin a session. */
interface Proof {
  readonly person: Person
  readonly way: Way
  /** How many factors it proves with what the browser has proven before. */
  readonly factors: 1 | 2
  /** `confirm` gives the session of the same user another id (I-51.7). */
  readonly purpose: 'signIn' | 'confirm'
  /** Whether it proves that each time, as a password does. */
  readonly isRepeatable: boolean
}

/** A request of a browser. */
export interface Visit {
  /** From the base URL, or an absolute URL. */
  readonly path: string
  /** The fields of a POST; a GET without them. */
  readonly form?: Readonly<Record<string, string>>
  /** Default: html */
  readonly accepts?: 'json' | 'html'
  /** The site of the page that sends it. Default: the service's own */
  readonly site?: Site
  /** Whether the browser says nothing of the page that sends it, as old ones do. */
  readonly isBare?: boolean
  /** Default: the cookies of the browser */
  readonly cookie?: string
  readonly proves?: Proof
  /** The session that a successful reply ends in its browser. */
  readonly ends?: string
}

/** What the service has answered. */
export interface Reply {
  readonly visit: Visit
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Where it leads, in a header or in JSON. */
  readonly url: string | undefined
  /** The code of the error (I-8). */
  readonly error: string | undefined
  /** The cookies that the request had. */
  readonly cookie: string
  /** The session that it has begun. */
  readonly began: SessionRecord | undefined
  /** The id of the session that the request had, if it may begin another one. */
  readonly previousId: string | undefined
}

/** What happens to the reply of a request. `repeated`: a proxy sends the request twice, and only the second reply arrives. */
export type Delivery = 'arrives' | 'lost' | 'late' | 'repeated'

/** A reply that has not arrived yet. */
export interface HeldReply {
  readonly browser: Browser
  readonly reply: Reply
}
