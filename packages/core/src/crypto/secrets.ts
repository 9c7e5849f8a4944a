import { ConfigurationError } from '../lib/errors.ts'
import { kindError } from '../lib/kind.ts'
import { isList } from '../lib/members.ts'
import { toUtf8 } from './encoding.ts'

const MIN_BYTES = 32
/** Distinct characters of a secret, below which it cannot be random. */
const MIN_CHARACTERS = 10

/** The secrets of our documentation: they are public. */
const published = /random bytes|kept secret|^the newest secret|^an older one/

const help = 'generate one with: openssl rand -base64 32'
/** What an environment variable that is not set becomes. */
const unset = 'the environment variable is not set where this code runs'

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
  const secrets: readonly unknown[] = isList(secret) ? secret : [secret]
  if (secrets.length === 0) throw secretError('is an empty list')
  return secrets.map((candidate) => {
    if (candidate === undefined || candidate === '') {
      throw secretError(`is ${candidate === '' ? 'empty' : 'missing'}: ${unset}`)
    }
    if (typeof candidate !== 'string') throw kindError('secret', 'a string', candidate)
    checkLength(toUtf8(candidate).byteLength)
    if (isPublic) checkNotGuessable(candidate)
    return candidate
  })
}

function checkLength(bytes: number): void {
  if (bytes < MIN_BYTES) throw secretError(`has ${bytes} bytes, expected ${MIN_BYTES} or more`)
}

function checkNotGuessable(secret: string): void {
  if (published.test(secret)) throw secretError('must not be taken from the documentation')
  const characters = new Set(secret).size
  if (characters >= MIN_CHARACTERS) return
  throw secretError(`has ${characters} different characters, expected ${MIN_CHARACTERS} or more`)
}

function secretError(problem: string): ConfigurationError {
  return new ConfigurationError('secret', `${problem}: ${help}`)
}
