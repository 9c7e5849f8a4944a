import { ClientError } from './transport.ts'
import type {
  AuthorizationParams,
  Client,
  ClientProvider,
  Result,
  SignInOptions,
  SignOutOptions,
} from './index.ts'

/** What `signIn` with `redirect: false` resolves with, as next-auth's does. */
export interface SignInResponse {
  readonly error: string | null
  readonly status: number
  readonly ok: boolean
  /** Null where there is an error. */
  readonly url: string | null
}

/** What `signOut` with `redirect: false` resolves with. */
export interface SignOutResponse {
  readonly url: string
}

/** What `getSession` takes. Next-auth's further options mean nothing here: all tabs are told anyway. */
export interface GetSessionParams {
  readonly event?: string
  readonly triggerEvent?: boolean
  readonly broadcast?: boolean
}

/** The functions of `next-auth/react`, with its results. */
export interface NextAuthFunctions<Session> {
  /**
   * Starts a sign-in and goes where it leads. With `redirect: false` it stays where there is nothing
   * to go to: with the provider types `email` and `credentials`.
   */
  readonly signIn: (
    provider?: string,
    options?: SignInOptions,
    authorizationParams?: AuthorizationParams,
  ) => Promise<SignInResponse | undefined>
  /**
   * Ends the session and goes to `callbackUrl`; with `redirect: false` it stays, and says that address.
   *
   * @throws ClientError where the service does not answer
   */
  readonly signOut: <R extends boolean = true>(
    options?: SignOutOptions & { readonly redirect?: R },
  ) => Promise<R extends true ? undefined : SignOutResponse>
  /** Null when nobody is signed in, and where the service cannot say. */
  readonly getSession: (params?: GetSessionParams) => Promise<Session | null>
  /** Undefined where the service cannot say. */
  readonly getCsrfToken: () => Promise<string | undefined>
  /** Null where the service cannot say. */
  readonly getProviders: () => Promise<Readonly<Record<string, ClientProvider>> | null>
}

/** @param page The one of this page; asked at each call */
export function nextAuthFunctions<Session>(
  page: () => Client<Session>,
): NextAuthFunctions<Session> {
  return {
    async signIn(provider, { redirect = true, ...options } = {}, params) {
      const stays = !redirect && (await canStay(page(), provider))
      const result = await page().signIn(provider, { ...options, redirect: !stays }, params)
      if (stays) return responseOf(result)
      // Nothing has answered, so nothing has said where to go.
      if (!result.url) location.href = `${page().basePath}/error`
      return undefined
    },
    async signOut(options) {
      const result = await page().signOut(options)
      if (!result.ok && !result.url) throw new ClientError(result)
      const stays = options?.redirect === false
      return (stays ? { url: result.url ?? '' } : undefined) as never
    },
    getSession: () => orElse(page().getSession(), null),
    getCsrfToken: () => orElse(page().getCsrfToken(), undefined),
    getProviders: () => orElse(page().getProviders(), null),
  }
}

/** Next-auth goes to an identity provider whatever `redirect` says: there is nothing to stay for. */
async function canStay(client: Client<unknown>, provider = ''): Promise<boolean> {
  const providers = await orElse(client.getProviders(), {})
  const type = new Map(Object.entries(providers)).get(provider)?.type
  return type === 'email' || type === 'credentials'
}

function responseOf(result: Result): SignInResponse {
  if (result.ok) return { error: null, status: 200, ok: true, url: result.url }
  return { error: result.error, status: result.status, ok: false, url: null }
}

/** Next-auth's reading functions do not reject. */
async function orElse<T, E>(reading: Promise<T>, otherwise: E): Promise<T | E> {
  return reading.catch(() => otherwise)
}
