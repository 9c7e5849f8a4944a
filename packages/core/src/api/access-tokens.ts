import { getAccessToken } from '../access-tokens/get-access-token.ts'
import type { AccessToken } from '../access-tokens/get-access-token.ts'
import { RequestContext } from '../service/request-context.ts'
import { ConfigurationError } from '../lib/errors.ts'
import type { HandleOptions } from '../ports/runtime.ts'
import type { Service } from '../kernel/context.ts'

/**
 * The options of `auth.getAccessToken`. `waitUntil` keeps the host alive while refreshed tokens are stored, if
 * the storage fails at first.
 */
export interface AccessTokenOptions extends Pick<HandleOptions, 'waitUntil'> {
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
  { providerAccountId, ...options }: AccessTokenOptions = {},
): Promise<AccessToken | null> {
  const provider = service.providers.get(id)
  if (!provider) throw new ConfigurationError('auth.getAccessToken', `no provider is "${id}"`)
  const ctx = new RequestContext(service, request, options)
  return (await getAccessToken(ctx, provider, providerAccountId)) ?? null
}
