/** What the storage needs of a client, whichever library it belongs to. */
export interface Connection {
  readonly isCluster: boolean
  /** What the client itself puts before all keys. */
  readonly keyPrefix: string
  /** Runs a script by its hash. */
  readonly evalByHash: Evaluate
  /** Runs a script by its text. */
  readonly evalByText: Evaluate
  /**
   * Replaces connections: those that do not answer PING in time, or all. Their calls reject, and are
   * not sent again.
   */
  readonly reconnect: (which: 'silent' | 'all') => Promise<void>
}

/** The keys and arguments of one call of a script. */
export interface ScriptCall {
  readonly keys: string[]
  readonly args: string[]
  /** Milliseconds that the call may wait in the client before it is sent. */
  readonly timeout: number
}

type Evaluate = (hashOrText: string, call: ScriptCall) => Promise<unknown>

/** Seconds to wait for PING on a connection that has not answered a call. */
export const PING_TIMEOUT = 2

/** Waits for some milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}
