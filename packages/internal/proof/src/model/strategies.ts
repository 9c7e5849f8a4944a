import type { SessionOptions, SessionToken } from '@latchkey/core'

/** Where the sessions of a service are kept (I-34). */
export type Strategy = 'stored' | 'revocable' | 'cookie' | 'stateless'

/** What a command needs of a service. */
export type Feature =
  /** Users, accounts and emails are stored. */
  | 'storage'
  /** Sessions end wherever they are: factors, passwords and passkeys need that. */
  | 'revocation'

/** The strategies, each with the features of its service. */
export const strategies: Readonly<Record<Strategy, readonly Feature[]>> = {
  stored: ['storage', 'revocation'],
  revocable: ['storage', 'revocation'],
  cookie: ['storage'],
  stateless: [],
}

/** Seconds after which an unused session ends, a session in use is renewed, and any session ends (I-35). */
export const limits = { maxAge: 3600, updateAge: 600, absoluteMaxAge: 14_400 } as const

/** Returns the options of the sessions of a strategy. */
export function toSessionOptions(strategy: Strategy): SessionOptions<SessionToken> {
  const isStored = strategy === 'stored'
  return {
    ...limits,
    strategy: isStored ? 'storage' : 'cookie',
    ...(strategy === 'revocable' && { revocable: true }),
    ...(strategy === 'cookie' && { acceptsDeletedUsers: true }),
  }
}

/** Returns whether a text names a strategy. */
export function isStrategy(text: string): text is Strategy {
  return Object.hasOwn(strategies, text)
}
