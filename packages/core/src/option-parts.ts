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

/** A provider that needs other options. */
export interface CheckedProvider extends Provider {
  /** @throws ConfigurationError if another option does not fit, or is missing */
  readonly check: (parts: OptionParts) => void
}

/** A provider whose forms need a script. */
export interface ScriptedProvider extends Provider {
  /** Exactly the text whose hash the Content-Security-Policy contains (I-56.7). */
  readonly script: string
}

/** Returns the script of the forms of a provider; undefined without a script. */
export function getScript(provider: object): string | undefined {
  return holdsCode<ScriptedProvider>(provider, 'script') ? provider.script : undefined
}

/** @throws ConfigurationError if an option does not fit to a provider */
export function checkProviders(parts: OptionParts): void {
  for (const provider of parts.providers.values()) {
    if (holdsCode<CheckedProvider>(provider, 'check')) provider.check(parts)
  }
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
  if (!hasConfirmation) throw new ConfigurationError(option, 'needs the option confirmation')
}

/**
 * Returns whether an option has the code that it brings along. The service knows only the part that checks the
 * configuration, because the code knows the service.
 */
export function holdsCode<Holder extends object>(
  option: object,
  member: keyof Holder,
): option is Holder {
  return member in option
}
