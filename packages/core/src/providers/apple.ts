import { SignJWT, importPKCS8 } from 'jose'
import { ConfigurationError } from '../errors.ts'
import { lazy } from '../lib/lazy.ts'
import type { Provider } from '../ports/provider.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import type { Claims, ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/** What {@link apple} takes: instead of a client secret, the key that makes one. */
export interface AppleOptions extends Omit<ProviderOptions, 'clientSecret' | 'privateKey'> {
  /** The Services ID. */
  readonly clientId: string
  readonly teamId: string
  readonly keyId: string
  /** The text of the `.p8` file: PKCS #8 in PEM. */
  readonly privateKey: string
}

const issuer = 'https://appleid.apple.com'

/** Seconds that a client secret is good for: it is used at once. */
const SECRET_LIFETIME = 300

/**
 * Sign in with Apple. The client secret is an ES256 JWT made for each request; the return is posted
 * (I-28); the name comes in the form, unsigned, and only at the first consent.
 *
 * @example
 *   import { apple } from '@latchkey/core/providers/apple'
 *
 *   const provider = apple({
 *     clientId: 'com.example.web',
 *     teamId: 'TEAM123456',
 *     keyId: 'KEY1234567',
 *     privateKey: '-----BEGIN PRIVATE KEY-----\nMIG…\n-----END PRIVATE KEY-----',
 *   })
 *
 * @see https://developer.apple.com/documentation/signinwithapplerestapi
 *
 * @throws ConfigurationError naming the option
 */
export function apple({ teamId, keyId, privateKey, ...options }: AppleOptions): Provider {
  for (const [option, value] of Object.entries({ teamId, keyId, privateKey })) {
    if (!value) throw new ConfigurationError(`providers.apple.${option}`, 'is missing')
  }
  if (!/^-----BEGIN PRIVATE KEY-----[\s\w+/=]+-----END PRIVATE KEY-----\s*$/.test(privateKey)) {
    throw new ConfigurationError('providers.apple.privateKey', 'must be the text of the .p8 file')
  }
  const key = lazy(() => importPKCS8(privateKey, 'ES256'))
  const clientSecret = async ({ now }: ProviderRuntime): Promise<string> => {
    const issuedAt = Math.floor(now() / 1000)
    return new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(options.clientId)
      .setAudience(issuer)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + SECRET_LIFETIME)
      .sign(await key())
  }
  return oidc({
    id: 'apple',
    name: 'Apple',
    issuer,
    scope: 'name email',
    responseMode: 'form_post',
    clientSecret,
    clientAuthentication: 'client_secret_post',
    enrich: withPostedName,
    profile: (claims) => ({
      name: claims['name'],
      email: claims['email'],
      emailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
    }),
    ...options,
  })
}

/** The name of the `user` field. Its address is left alone: nobody has signed it. */
function withPostedName(claims: Claims, returned: URLSearchParams): Claims {
  const name = postedName(returned.get('user'))
  return name === undefined ? claims : { ...claims, name }
}

function postedName(user: string | null): string | undefined {
  try {
    const { name } = JSON.parse(user ?? '') as {
      name?: { firstName?: unknown; lastName?: unknown }
    }
    const parts = [name?.firstName, name?.lastName].filter((part) => typeof part === 'string')
    return parts.join(' ').trim() || undefined
  } catch {
    return undefined // Not there, or not JSON: a name is no reason to refuse a person.
  }
}
