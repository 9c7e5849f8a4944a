import type { Context } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { Refusal } from '@latchkey/core/capability'
import { getConflictSentence } from './pages/second-factor.ts'

/** Returns the answer to a change that the state of the user's factors does not allow: 409. */
export function conflict(problem: string): AuthError {
  return new AuthError('Default', problem, { status: 409 })
}

/** Returns the answer to a change of a factor that another request has changed meanwhile: 409. */
export function changedElsewhere({ language }: Context): Refusal {
  const error = conflict('the factor was changed by a concurrent request')
  return new Refusal(error, { message: getConflictSentence(language.messages, 'changed') })
}

/** Returns the answer to an enrolment if the user has as many factors as are allowed: 409. */
export function tooMany({ language }: Context, type: string): Refusal {
  const error = conflict(`the user has too many factors of the type ${type}`)
  return new Refusal(error, { message: getConflictSentence(language.messages, 'tooMany') })
}
