import { readMember, readText } from '@latchkey/core/capability/options'

/** What the grant of a device request keeps until it is approved (RFC 8628 §3.2). */
export interface DeviceData {
  /** Seconds between two requests for tokens. */
  readonly interval: number
  /** When tokens were last asked for: seconds since 1970, as the other times. */
  readonly polledAt?: number | undefined
  /** Who asked, as the user reads it. */
  readonly ip?: string | undefined
  readonly browser?: string | undefined
  /** Who has entered the code: nobody else approves it, and no other session. */
  readonly enteredBy?: Entry | undefined
  readonly isDenied?: boolean | undefined
}

/** The user and the session in which a code was entered. */
interface Entry {
  readonly userId: string
  readonly sessionId: string
  readonly at: number
}

/** Returns what a grant keeps of its device request; undefined if it has none. */
export function parseDevice(value: unknown): DeviceData | undefined {
  const interval = readNumber(value, 'interval')
  if (interval === undefined) return undefined
  return {
    interval,
    polledAt: readNumber(value, 'polledAt'),
    ip: readText(value, 'ip'),
    browser: readText(value, 'browser'),
    enteredBy: parseEntry(readMember(value, 'enteredBy')),
    isDenied: readMember(value, 'isDenied') === true,
  }
}

function parseEntry(value: unknown): Entry | undefined {
  const [userId, sessionId] = [readText(value, 'userId'), readText(value, 'sessionId')]
  const at = readNumber(value, 'at')
  if (userId === undefined || sessionId === undefined || at === undefined) return undefined
  return { userId, sessionId, at }
}

function readNumber(value: unknown, name: string): number | undefined {
  const member = readMember(value, name)
  return typeof member === 'number' ? member : undefined
}
