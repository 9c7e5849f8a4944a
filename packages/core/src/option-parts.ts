import { ConfigurationError } from './errors.ts'
import type { Log } from './lib/log.ts'
import type { Provider } from './ports/provider.ts'
import type { SessionStrategy } from './session/session.ts'
import type { GuardedStorage } from './storage/guard-storage.ts'

/** What an option that brings its code along is checked against. */
export interface OptionParts {
  readonly providers: ReadonlyMap<string, Provider>
  readonly storage: GuardedStorage | undefined
  readonly sessions: Pick<SessionStrategy, 'isRevocable' | 'isStored'>
  readonly hasConfirmation: boolean
  /** Whether every user needs a second factor. */
  readonly requiresSecondFactor: boolean
  readonly log: Log
  /** The origin of `serviceUrl`. */
  readonly origin: string | undefined
  /** The option `trustHost`, which counts without an origin. */
  readonly trustHost: boolean | readonly string[] | undefined
}

/** @throws ConfigurationError naming the option, if sessions cannot be ended */
export function requireRevocable(
  { sessions }: Pick<OptionParts, 'sessions'>,
  option: string,
): void {
  if (sessions.isRevocable) return
  const needed = 'sessions that can be ended: set session.revocable, or the strategy storage'
  throw new ConfigurationError(option, `needs ${needed}`)
}

/** @throws ConfigurationError naming the option, if users cannot confirm */
export function requireConfirmation(
  { hasConfirmation }: Pick<OptionParts, 'hasConfirmation'>,
  option: string,
): void {
  if (!hasConfirmation) throw new ConfigurationError(option, 'needs confirmation() in use')
}
