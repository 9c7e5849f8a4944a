import { AuthError } from '../errors.ts'
import type { Provider } from '../ports/provider.ts'
import type { AskedMethod } from '../ports/second-factor.ts'

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
