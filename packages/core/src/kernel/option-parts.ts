import { ConfigurationError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Provider } from '../ports/provider.ts'
import type { SessionStrategy } from '../session/session.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** The other options, as `check` of a capability receives them. */
export interface OptionParts {
  /** By id. */
  readonly providers: ReadonlyMap<string, Provider>
  /** Undefined without the option: `requireStorage` refuses that. */
  readonly storage: GuardedStorage | undefined
  /** Whether sessions can be ended (in the storage, or `revocable`), and whether they are in the storage. */
  readonly sessions: Pick<SessionStrategy, 'isRevocable' | 'isStored'>
  /** Whether every user needs a second factor. */
  readonly requiresSecondFactor: boolean
  readonly log: Log
  /** The origin of `serviceUrl`; undefined without the option. */
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
