import { ConfigurationError } from '../errors.ts'
import { isProtocolField } from '../http/body.ts'
import type { Provider } from '../ports/provider.ts'

/**
 * Checks the names of a provider's fields.
 *
 * @throws ConfigurationError if a name does not match `[A-Za-z][\w-]*` or is a protocol field
 */
export function checkFields({ id, fields = {} }: Pick<Provider, 'id' | 'fields'>): void {
  for (const name of Object.keys(fields)) {
    const option = `providers.${id}.fields`
    if (!/^[A-Za-z][\w-]*$/.test(name)) {
      throw new ConfigurationError(option, `the name "${name}" must match [A-Za-z][\\w-]*`)
    }
    if (isProtocolField(name)) {
      throw new ConfigurationError(option, `"${name}" is a protocol field: choose another name`)
    }
  }
}
