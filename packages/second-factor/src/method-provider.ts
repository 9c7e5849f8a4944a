import { AuthError } from '@latchkey/core/capability/options'
import type { Provider } from '@latchkey/core'
import type { AskedMethod } from './method.ts'

/** Returns a method in the form of a provider, so that a path can name it and a page can show its form. */
export function createMethodProvider({ id, fields, button }: AskedMethod): Provider {
  const refuse = (): Promise<never> =>
    Promise.reject(new AuthError('SessionRequired', `${id} is a second factor`))
  return {
    id,
    name: id,
    type: 'second-factor',
    button: button ?? ((messages) => messages.continue),
    fields,
    begin: refuse,
    finish: refuse,
  }
}
