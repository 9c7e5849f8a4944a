import { ConfigurationError } from '../errors.ts'
import { toUtf8 } from './encoding.ts'

const MIN_BYTES = 32
/** Distinct characters of a secret, below which it cannot be random. */
const MIN_CHARACTERS = 10

/** The secrets of our documentation: they are public. */
const published = /random bytes|kept secret|^the newest secret|^an older one/

const help = 'generate one with: openssl rand -base64 32'

/**
 * Checks the option `secret`.
 *
 * @param isPublic Whether the service can be reached from elsewhere: on loopback any secret of 32 bytes
 *   is accepted
 *
 * @throws ConfigurationError if it is missing, shorter than 32 bytes, or can be guessed
 */
export function resolveSecrets(
  secret: string | readonly string[],
  isPublic: boolean,
): readonly string[] {
  const secrets: readonly unknown[] = typeof secret === 'string' ? [secret] : (secret ?? [])
  if (!Array.isArray(secrets) || secrets.length === 0) throw refuse('is missing')
  return secrets.map((candidate) => {
    if (typeof candidate !== 'string' || toUtf8(candidate).byteLength < MIN_BYTES) {
      throw refuse(`must be a random string of ${MIN_BYTES} bytes or more`)
    }
    if (isPublic) assertNotGuessable(candidate)
    return candidate
  })
}

function assertNotGuessable(secret: string): void {
  if (published.test(secret)) throw refuse('must not be taken from the documentation')
  const characters = new Set(secret).size
  if (characters >= MIN_CHARACTERS) return
  throw refuse(`has ${characters} different characters, expected ${MIN_CHARACTERS} or more`)
}

function refuse(problem: string): ConfigurationError {
  return new ConfigurationError('secret', `${problem}: ${help}`)
}
