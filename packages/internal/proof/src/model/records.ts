import type { Browser } from './browser.ts'
import type { Person } from './people.ts'

/** A session that the service has begun. */
export interface SessionRecord {
  readonly id: string
  readonly userId: string
  readonly person: Person
  readonly startedAt: number
  /** When its cookie was set last. */
  renewedAt: number
  readonly values: Set<string>
  ended: string | undefined
  /** What `POST /session` has stored in it; undefined if a reply was unclear. */
  note: string | undefined
}

/** Something that works once, and has worked. */
export interface SpentValue {
  readonly kind: string
  /** Sends it again, from a browser. */
  readonly replay: (browser: Browser) => Promise<void>
}
