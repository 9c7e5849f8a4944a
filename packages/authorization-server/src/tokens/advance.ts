import type { RefreshToken } from './refresh-token.ts'

/** An advance of a refresh token: its mark, and when it happened, in seconds since 1970. */
export type Advance = readonly [mark: string, at: number]

/** The refresh tokens that a grant remembers. */
export interface Advances {
  /** How often the token was advanced: the number of the current one. */
  readonly counter: number
  /** The last three, the newest first. */
  readonly advances: readonly Advance[]
}

/**
 * What a refresh token is worth:
 * `current`: it advances · `superseded`: within the window, the newest token answers it · `reused`: longer ago, so the grant
 * ends · `unknown`: it was superseded within the window, but its mark is no longer kept · `other`: it is of another time line,
 * such as before a backup was restored.
 */
export type TokenWorth = 'current' | 'superseded' | 'reused' | 'unknown' | 'other'

/** Advances that a grant keeps. */
const MAX_ADVANCES = 3

/**
 * Decides what a genuine refresh token of a grant is worth (RFC 9700 §4.14.2).
 *
 * @param reuseSeconds How long a token is answered after it was superseded, so that clients which refresh simultaneously, or lose
 *   a reply, stay signed in
 */
export function judgeToken(
  { counter, advances }: Advances,
  token: Pick<RefreshToken, 'counter' | 'mark'>,
  { now, reuseSeconds }: { readonly now: number; readonly reuseSeconds: number },
): TokenWorth {
  const behind = counter - token.counter
  if (behind < 0) return 'other'
  const isWithin = ([, at]: Advance): boolean => now - at < reuseSeconds
  const kept = advances[behind]
  if (kept && kept[0] !== token.mark) return 'other'
  if (behind === 0) return 'current'
  // What is no longer kept is older than the window: `canAdvance`.
  const next = advances[behind - 1]
  if (!next || !isWithin(next)) return 'reused'
  return kept ? 'superseded' : 'unknown'
}

/**
 * Returns whether a current token advances. Within the window only three do, and then the same one is answered again: who advances
 * it without a pause could otherwise push out everything by which a reuse is noticed.
 */
export function canAdvance(
  { advances }: Pick<Advances, 'advances'>,
  { now, reuseSeconds }: { readonly now: number; readonly reuseSeconds: number },
): boolean {
  const oldest = advances[MAX_ADVANCES - 1]
  return oldest === undefined || now - oldest[1] >= reuseSeconds
}

/** Returns a grant's tokens after another advance. */
export function advance({ counter, advances }: Advances, [mark, at]: Advance): Advances {
  const newest: Advance = [mark, at]
  return { counter: counter + 1, advances: [newest, ...advances].slice(0, MAX_ADVANCES) }
}
