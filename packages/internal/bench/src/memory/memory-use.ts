/** A contender whose memory is measured. */
export type MemoryName = 'latchkey' | 'authCore' | 'betterAuth'

/** The contenders, in the order of the table. */
export const memoryNames: readonly MemoryName[] = ['latchkey', 'authCore', 'betterAuth']

export interface MemoryOptions {
  /** The number of services that are created. */
  readonly services: number
  /** The number of requests to one service: reads of sessions, and sign-ins begun. */
  readonly requests: Readonly<Record<MemoryName, number>>
}

/** The memory of one contender, in bytes. */
export interface MemoryUse {
  /** The heap of one service that has not answered a request yet. */
  readonly heap: number
  /** The same, as the operating system counts it. */
  readonly rss: number
  /** By how much the heap grew during the requests. */
  readonly growth: number
}
