import { apiTokens } from '@latchkey/tokens'
import type { TokenKey } from '@latchkey/tokens'
import type { Capability } from '@latchkey/core'
import { parseServiceUrl } from '@latchkey/core'
import { createTokenVerifier } from '@latchkey/tokens/verify-token'
import type { TokenVerifier } from '@latchkey/tokens/verify-token'
import { readEnvironment, readText } from '@latchkey/environment'
import type { Environment } from '@latchkey/environment'

/** What issues tokens for the API of this application, and what verifies them. */
interface Tokens {
  readonly tokens: Capability
  readonly verify: TokenVerifier
}

/**
 * Reads `TOKEN_KEYS`, a JSON list of keys, and `SERVICE_URL`. An API in another process would verify
 * with the service's `/jwks` instead, and would not have the keys.
 *
 * @returns Undefined if one of the two is not set
 *
 * @throws EnvironmentError, ConfigurationError if they cannot be used
 */
export function readTokens(env: Environment): Tokens | undefined {
  return readEnvironment(
    env,
    (variables) => {
      const serviceUrl = readText(variables, 'SERVICE_URL')
      const text = readText(variables, 'TOKEN_KEYS')
      if (serviceUrl === undefined || text === undefined) return undefined
      const keys = variables.attempt(
        (): readonly TokenKey[] => JSON.parse(text),
        () => 'TOKEN_KEYS',
      )
      return keys && createTokens(serviceUrl, keys)
    },
    { allowUnknown: true },
  )
}

function createTokens(serviceUrl: string, keys: readonly TokenKey[]): Tokens {
  const { origin = '', basePath } = parseServiceUrl(serviceUrl)
  const audience = `${origin}/v1`
  const jwks = { keys: keys.map((key) => ({ ...key, d: undefined })) }
  return {
    tokens: apiTokens({ audience, keys }),
    verify: createTokenVerifier({ issuer: origin + basePath, audience, jwks }),
  }
}
