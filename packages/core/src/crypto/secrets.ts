import { ConfigurationError } from '../errors.ts'
import { toUtf8 } from './encoding.ts'

/**
 * Checks the option `secret`.
 *
 * @throws ConfigurationError if it is missing, or shorter than 32 bytes
 */
export function resolveSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets: readonly unknown[] = typeof secret === 'string' ? [secret] : (secret ?? [])
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw new ConfigurationError(
      'secret',
      'is missing: expected a random string of 32 bytes or more',
    )
  }
  return secrets.map((candidate) => {
    if (typeof candidate === 'string' && toUtf8(candidate).byteLength >= 32) return candidate
    throw new ConfigurationError('secret', 'must be a random string of 32 bytes or more')
  })
}
