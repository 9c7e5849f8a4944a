import type { Level } from '../../src/doctor/finding.ts'

/** What `latchkey doctor` finds. */
export interface ExpectedFinding {
  readonly level: Level
  readonly subject: string
  /** A part of its text. */
  readonly text: string
}

/** One mistake in the configuration of an application, and what leads to its correction. */
export interface Misconfiguration {
  /** The heading in the manual. */
  readonly title: string
  /** What is wrong, in a sentence. */
  readonly wrong: string
  /** Variables that differ from an application without a mistake. An empty text is not set. */
  readonly env?: Readonly<Record<string, string>>
  /** Parts of the module that are replaced. */
  readonly changes?: readonly (readonly [from: string, to: string])[]
  /**
   * When the application says so: `start`, before it answers; `request`, in its log or reply at the first request
   * that is concerned; `provider`, on the page of the identity provider; `tests`, in the application's own tests.
   */
  readonly shown: 'start' | 'request' | 'provider' | 'tests'
  /** Parts of the message. */
  readonly message: readonly string[]
  /** Why `latchkey doctor` cannot find it, or what it finds. */
  readonly doctor: ExpectedFinding | string
  /** What to do. */
  readonly fix: string
}

/** Checks the type of each row, and keeps its literals. */
export function defineRows<const Rows extends readonly Misconfiguration[]>(rows: Rows): Rows {
  return rows
}
