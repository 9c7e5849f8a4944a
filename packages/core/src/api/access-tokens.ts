import { getAccessToken } from '../access-tokens/get-access-token.ts'
import type { AccessToken } from '../access-tokens/get-access-token.ts'
import { Context } from '../context.ts'
import { ConfigurationError } from '../errors.ts'
import type { Service } from '../service.ts'

/** The options of `auth.getAccessToken`. */
export interface AccessTokenOptions {
  /** The account, if the user has several there. Default: the oldest */
  readonly providerAccountId?: string
}

/**
 * Returns an access token of the user of a request's session; null without a session or an account.
 *
 * @throws ConfigurationError if there is no such provider
 */
export async function getAccessTokenOfRequest(
  service: Service,
  request: Request,
  id: string,
  { providerAccountId }: AccessTokenOptions = {},
): Promise<AccessToken | null> {
  const provider = service.providers.get(id)
  if (!provider) throw new ConfigurationError('auth.getAccessToken', `no provider is "${id}"`)
  const ctx = new Context(service, request, {})
  return (await getAccessToken(ctx, provider, providerAccountId)) ?? null
}
