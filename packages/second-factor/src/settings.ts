import type { Proofs, ProveSecond, ProviderInput, Reply } from '@latchkey/core/capability'
import type { Awaitable } from '@latchkey/core/capability/options'
import type { Account, Factor, User } from '@latchkey/core'
import type { SecondFactorMethod } from './method.ts'
import type { Methods } from './factors.ts'
import type { OpenedStep } from './step.ts'

/** Who signs in, as the option `require` receives it. */
export interface RequireArguments {
  readonly user: User
  /**
   * Undefined if a session of a previous service is imported, a factor is removed, or a session is
   * renewed.
   */
  readonly account?: Account | undefined
  /** How the user has proven who they are so far. */
  readonly methods: readonly string[]
}

/** The options of `secondFactor()`, checked and with its defaults. */
export interface SecondFactorSettings {
  readonly methods: Methods
  /** Returns whether a user needs a second factor. */
  readonly require: (user: RequireArguments) => Awaitable<boolean>
  /** Whether a user who needs a second factor can enrol the first one at the sign-in. */
  readonly enrol: boolean
  /** Seconds for which a browser can spare the second factor; 0 for none. */
  readonly rememberFor: number
}

/** What `secondFactor()` gives as the point `proven`. */
export interface SecondFactorProofs extends Proofs {
  readonly methods: Methods
}

/** A posted code, and the step that waits for it. */
export interface PostedCode {
  readonly input: ProviderInput
  readonly method: SecondFactorMethod
  /** Of a method that a provider asks for. */
  readonly prove?: ProveSecond | undefined
  readonly step: OpenedStep
  /** The user's factors, unchanged since the step began. */
  readonly factors: readonly Factor[]
}

/** What a posted code has completed. */
export interface Completed {
  readonly reply: Reply
  /** The user who has proven or enrolled the factor. */
  readonly userId: string
}
