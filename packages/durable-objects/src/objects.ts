import { ConfigurationError } from '@latchkey/core'
import type { ObjectMethods } from './methods.ts'

/** Where Cloudflare creates an object, if it can. */
export type LocationHint = 'wnam' | 'enam' | 'sam' | 'weur' | 'eeur' | 'apac' | 'oc' | 'afr' | 'me'

/** The members of a `DurableObjectNamespace<LatchkeyObject>` that are used here. */
export interface ObjectNamespace {
  idFromName(name: string): ObjectId
  get(id: ObjectId, options?: { locationHint?: LocationHint }): ObjectMethods
}

/** A `DurableObjectId`. */
export interface ObjectId {
  toString(): string
}

/** The options that everything in Durable Objects has. */
export interface ObjectOptions {
  /**
   * Where the 256 objects that all users share are created. It counts only before an object's first use.
   * Default: near the request that uses an object first
   */
  readonly locationHint?: LocationHint
}

/** What an object holds: a part of the records of all users, or the records of one session or user. */
type ObjectKind = 'shared' | 'session' | 'user'

/** Whether a call may run twice. */
type Repeatable = 'repeatable' | 'once'

/** Calls a method of the object that holds a key. */
export type CallObject = <T>(
  kind: ObjectKind,
  key: string,
  repeatable: Repeatable,
  call: (object: ObjectMethods) => Promise<T>,
) => Promise<T>

/** How often a call that may run twice is tried. */
const ATTEMPTS = 3
/** Milliseconds before the second attempt at most; before the third, twice as long. */
const PAUSE = 100

/**
 * Creates the function that calls objects. A call is repeated if Cloudflare says that the failure is
 * transient, as when a new version of the Worker is deployed, and never if the object is overloaded.
 *
 * @throws ConfigurationError `namespace`
 */
export function createCallObject(
  namespace: ObjectNamespace,
  { locationHint }: ObjectOptions,
): CallObject {
  if (typeof Object(namespace).idFromName !== 'function') {
    throw new ConfigurationError(
      'namespace',
      'must be the binding of a Durable Object, of the class LatchkeyObject',
    )
  }
  return async (kind, key, repeatable, call) => {
    const hint = kind === 'shared' && locationHint ? { locationHint } : undefined
    const id = namespace.idFromName(await toName(kind, key))
    for (let attempt = 1; ; attempt++) {
      try {
        // A stub that has failed may fail for ever: each attempt takes a new one.
        return await call(namespace.get(id, hint))
      } catch (thrown) {
        if (repeatable === 'once' || attempt === ATTEMPTS || !isTransient(thrown)) throw thrown
        await pause(Math.random() * PAUSE * attempt)
      }
    }
  }
}

/**
 * Returns the name of the object that holds a key. Hashes, because names have a length limit and are shown
 * in Cloudflare's dashboard. Of a shared key only the first byte counts: its object then exists already. The
 * first use of a name takes up to a few hundred milliseconds, and most keys are used only once or twice.
 */
async function toName(kind: ObjectKind, key: string): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(key))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const prefix = kind === 'shared' ? hash.subarray(0, 1) : hash
  return `${kind} ${Array.from(prefix, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Reads what Cloudflare adds to the errors of an object. */
function isTransient(thrown: unknown): boolean {
  const { retryable, overloaded } = Object(thrown)
  return retryable === true && overloaded !== true
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
