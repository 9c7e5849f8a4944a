import type { Context, Input } from '../kernel/context.ts'
import type { Refusal } from '../http/refusal.ts'
import type { Reply } from '../http/reply.ts'
import type { SignedInUser } from './signed-in-user.ts'

/** What a form of the account page asks for. */
export interface Asked extends SignedInUser {
  readonly ctx: Context
  readonly input: Input
  /** Returns a field of the form; empty if it is missing. */
  readonly get: (name: string) => string
  /** Where a confirmation leads. */
  readonly returnUrl: string
  /** Where the reply to a stored change leads. */
  readonly savedUrl: string
  /** @throws Refusal `ConfirmationRequired`, which leads to `returnUrl` after the confirmation (I-51.8) */
  readonly checkRecent: (change: 'link' | 'factor') => Promise<void>
  /** Returns the refusal that shows the account again, with the reason why nothing was changed. */
  readonly refuse: (status: number, reason: ChangeProblem, value?: string) => Refusal
  /** Shows the account after the change, and tells the script of a provider what is gone. */
  readonly showSaved: (gone: object) => Promise<Reply>
  /** @throws Refusal with 400 if the name that `store` receives is invalid */
  readonly checkName: <T>(length: number, store: () => Promise<T>) => Promise<T>
}

/** Why nothing was changed. */
type ChangeProblem = 'gone' | 'isEmail' | 'lastWay' | 'lastFactor' | 'invalidName'

/** A change of the account. What it returns replaces the redirect to the account page. */
export type Change = (asked: Asked) => Promise<Reply | void>
