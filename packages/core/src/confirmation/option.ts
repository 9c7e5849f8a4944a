import type { Provider } from '../ports/provider.ts'

/** The value of the option `confirmation`. It brings its code along, so that others do not bundle it. */
export interface Confirmation {
  /** Not a member: the compiler prints what to write in place of an object. */
  readonly maxAge?: 'write confirmation({ maxAge }), of @latchkey/core/confirmation'
  /** @throws ConfigurationError if a field of a provider has the name of a field that it reserves */
  readonly checkProviders: (providers: ReadonlyMap<string, Provider>) => void
}
