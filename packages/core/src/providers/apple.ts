import { appleMark } from '../marks/apple.ts'
import { SignJWT, importPKCS8 } from 'jose'
import { ConfigurationError } from '../lib/errors.ts'
import { lazy } from '../lib/lazy.ts'
import type { Provider } from '../ports/provider.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import type { Claims, ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'
import { getMember, joinName } from '../oauth/deviations.ts'

/** The options of {@link apple}: instead of a client secret, the key that signs one. */
export interface AppleOptions extends Omit<ProviderOptions, 'clientSecret' | 'privateKey'> {
  /** The Services ID. */
  readonly clientId: string
  /** The id of the team, ten characters. */
  readonly teamId: string
  /** The id of the key, ten characters. */
  readonly keyId: string
  /** The text of the `.p8` file: PKCS #8 in PEM. */
  readonly privateKey: string
}

const issuer = 'https://appleid.apple.com'

/** Seconds for which a client secret is valid; it is used immediately. */
const SECRET_LIFETIME = 300

/**
 * Creates the provider for Sign in with Apple (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/apple`. Apple accepts neither http nor localhost.
 * - Callback: a form post, because the scopes `name` and `email` require it.
 * - Console: a Services ID of developer.apple.com with "Sign In with Apple"; the callback URL is a
 *   return URL. A key with "Sign In with Apple" is the `.p8` file.
 * - Email address: proven if `email_verified` is true. Apple itself confirms email addresses, and says
 *   false for accounts that an organization manages and Apple has not confirmed. It may be a private
 *   relay email address. The flag is sent as a boolean or a string.
 * - Refresh: yes. Refresh tokens do not expire; Apple checks them at most once a day.
 * - Logout: none.
 * - Name: only at the first consent, in the form and unsigned.
 * - Client secret: an ES256 JWT that is signed for each request.
 * - Unverified: the greatest lifetime of client secrets, and PKCE, which Apple does not document.
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
 * @throws ConfigurationError that names the option
 *
 * @see https://developer.apple.com/documentation/signinwithapplerestapi
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
    mark: appleMark,
    issuer,
    scope: 'name email',
    responseMode: 'form_post',
    clientSecret,
    clientAuthentication: 'client_secret_post',
    enrich: addPostedName,
    profile: (claims) => ({
      name: claims['name'],
      email: claims['email'],
      emailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
    }),
    ...options,
    trustEmailVerified: true,
  })
}

/** Adds the name of the form field `user`. Its email address is ignored, because it is not signed. */
function addPostedName(claims: Claims, params: URLSearchParams): Claims {
  const name = parseName(params.get('user'))
  return name === undefined ? claims : { ...claims, name }
}

function parseName(user: string | null): string | undefined {
  try {
    const content: unknown = JSON.parse(user ?? '')
    const parts = ['name.firstName', 'name.lastName'].map((path) => getMember(content, path))
    return joinName(...parts).trim() || undefined
  } catch {
    return undefined // The name is optional: a missing or malformed one does not fail the sign-in.
  }
}
