import { getService, hashCsrfToken, RequestContext, toHeaders } from '@latchkey/core/capability'
import type { Handle, Provider, Identity, Profile } from '@latchkey/core'
import type { Service } from '@latchkey/core/capability'
import { completeIdentity } from '@latchkey/core/capability/sign-in'

/** The user of {@link signedIn}. */
export interface TestUser extends Profile {
  /**
   * The subject at the provider. Without a storage the user's id is `<provider>:<id>`; with one, the
   * storage knows the user by it, so that the same id is the same user. Default: the email address, else
   * `test-user`
   */
  readonly id?: string
  readonly name?: string | null
  readonly email?: string | null
  /** Whether the email address is proven. Default: true */
  readonly emailVerified?: boolean
  readonly image?: string | null
}

/** The options of {@link signedIn}. */
export interface SignedInOptions {
  /** Who is signed in. */
  readonly user: TestUser
  /** The id of the provider that the user has signed in with. Default: the first of the service */
  readonly provider?: string
  /** Where the application runs, if `serviceUrl` is not set. Default: `http://localhost:3000` */
  readonly origin?: string
}

/**
 * Signs a user in without an identity provider, and returns the `Cookie` header of that browser. All
 * that follows a proven identity happens as in a real sign-in: callbacks, events, the user and the
 * session in the storage.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { signedIn } from '@latchkey/testing'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth(config)
 *   const cookie = await signedIn(auth, { user: { name: 'Alice', email: 'alice@example.com' } })
 *   const request = new Request('https://example.com/account', { headers: { cookie } })
 *   const { session } = await auth.getSession(request)
 *
 * @param auth What `createAuth` returned, or the service of `@latchkey/next`
 * @throws AuthError as a sign-in does, e.g. `AccessDenied` if `callbacks.signIn` returns false
 * @throws ConfigurationError if `auth` is something else, or a copy
 * @throws TypeError if the provider does not exist, or `callbacks.signIn` or a capability redirects
 */
export async function signedIn(
  auth: { readonly handle: Handle },
  { user, provider: id, origin = 'http://localhost:3000' }: SignedInOptions,
): Promise<string> {
  const service = getService(auth, 'signedIn')
  const provider = getProvider(service, id)
  const url = service.getBaseUrl(new Request(origin)).origin
  const ctx = new RequestContext(service, new Request(url), {})
  const csrfTokenHash = await hashCsrfToken('')
  const flow = { purpose: 'signIn', callbackUrl: url, sessionId: '', csrfTokenHash } as const
  const { cookies } = await completeIdentity(
    ctx,
    provider,
    flow,
    toIdentity(provider, user, ctx.now),
  )
  if (cookies.length === 0)
    throw new TypeError('callbacks.signIn, or a capability, redirected, so that no session began')
  return toCookie(toHeaders(ctx, cookies))
}

function getProvider({ providers }: Service, id: string | undefined): Provider {
  const [first] = providers.values()
  const provider = id === undefined ? first : providers.get(id)
  if (provider) return provider
  const known = [...providers.keys()].join(', ')
  throw new TypeError(`provider: expected one of ${known}; found "${id}"`)
}

function toIdentity({ type, kind = 'account' }: Provider, user: TestUser, now: number): Identity {
  const { id, emailVerified = true, ...profile } = user
  const { email } = profile
  const method = kind !== 'account' ? 'pwd' : type === 'email' ? 'email' : 'fed'
  // The subject at the email provider is the email address itself.
  const subject = type === 'email' ? email : (id ?? email)
  return {
    subject: subject ?? 'test-user',
    profile: { ...profile, emailVerified },
    emailProven: emailVerified && typeof email === 'string',
    tokens: {},
    claims: { sub: subject ?? 'test-user' },
    authentication: { authenticatedAt: now, methods: [method] },
  }
}

/** Returns the `Cookie` header of a new browser that received these lines, without the cookies that they delete. */
function toCookie(headers: Headers): string {
  const pairs = headers.getSetCookie().flatMap((line) => {
    const [pair = ''] = line.split(';')
    return /;\s*max-age=0(;|$)/i.test(line) ? [] : pair
  })
  return pairs.join('; ')
}
