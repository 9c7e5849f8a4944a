import { AuthError } from '../lib/errors.ts'
import type { Awaitable } from '../ports/awaitable.ts'
import type { ErrorCode } from '../ports/error-code.ts'
import type { Reply } from './reply.ts'
import type { CookieChange } from './set-cookie.ts'

/** What a page says of an error. */
export interface RefusedPage {
  readonly callbackUrl: string
  readonly error: ErrorCode
  readonly status: number
  readonly message: string
}

/** What a reply to an error needs in addition to the error. */
export interface RefusalOptions {
  /** Where the sign-in would have led, if it is known. */
  readonly callbackUrl?: string | undefined
  /** Where a browser is redirected instead of seeing the page of the error's code: the parameter `error` is added. */
  readonly retryUrl?: string | undefined
  /** What the request has used up, whatever its outcome. */
  readonly cookies?: readonly CookieChange[]
  /** What the user reads instead of the sentence of the error's code. */
  readonly message?: string
  /** Replies to a browser instead of the page of the error's code. */
  readonly show?: (page: RefusedPage) => Promise<Reply>
  /** Further members of a reply in JSON mode. */
  readonly details?: Readonly<Record<string, string>>
  /** Shows the error page instead of the posted page. */
  readonly showsErrorPage?: boolean
}

/** The brand of refusals, the same in every copy of this package. */
const brand: unique symbol = Symbol.for('latchkey.Refusal')

/**
 * An error of one request, with what its reply needs. An `AuthError` that is thrown by itself is a refusal without options: a
 * browser sees the page of its code.
 */
export class Refusal extends Error {
  /** Recognises the refusals of every copy: a storage, or a capability, can have come from another one. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return brand in Object(value)
  }

  readonly error: AuthError
  readonly options: RefusalOptions

  constructor(error: AuthError, options: RefusalOptions = {}) {
    super(error.message, { cause: error })
    this.name = 'Refusal'
    this.error = error
    this.options = options
  }

  /** @internal */
  get [brand](): true {
    return true
  }
}

/**
 * Does some work. If it throws, `toAdded` says what the reply needs besides what the refusal has.
 *
 * @param toAdded Undefined leaves what was thrown as it is
 * @throws Refusal
 */
export async function withRefusal<T>(
  work: () => Promise<T>,
  toAdded: (refusal: Refusal) => Awaitable<RefusalOptions | undefined>,
): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    const refusal = toRefusal(thrown)
    const added = await toAdded(refusal)
    throw added ? new Refusal(refusal.error, { ...refusal.options, ...added }) : thrown
  }
}

/** Returns what was thrown as a refusal. Unexpected errors become 500. */
export function toRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown
  if (thrown instanceof AuthError) return new Refusal(thrown)
  const options = { cause: thrown, status: 500 }
  return new Refusal(new AuthError('Default', 'unexpected error', options))
}
