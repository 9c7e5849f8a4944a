'use client'

import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useInsertionEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Context, ReactNode } from 'react'
import type { Auth, DefaultSession, ErrorCode } from '@latchkey/core'
import { createClient } from './index.ts'
import type { Client, ClientOptions, RefetchOptions, SessionOf, SessionState } from './index.ts'
import { nextAuthFunctions } from './next-auth.ts'
import type { NextAuthFunctions } from './next-auth.ts'

/** What {@link ReactClient.useSession} gives. */
export type SessionContextValue<Required extends boolean = false, Session = DefaultSession> = (
  | { readonly status: 'authenticated'; readonly data: Session }
  | {
      readonly status: Required extends true ? 'loading' : 'loading' | 'unauthenticated'
      readonly data: null
    }
) & {
  /** Hands data to the service's `session.update`; null where nothing has come of it. */
  readonly update: (data?: unknown) => Promise<Session | null>
  /** Why the service could not be asked the last time; absent where it could. */
  readonly error?: ErrorCode
}

/** What {@link ReactClient.useSession} takes. */
export interface UseSessionOptions<Required extends boolean> {
  /** Sends people who are not signed in to the sign-in page; until then the status is `loading`. */
  readonly required: Required
  /** What happens instead. */
  readonly onUnauthenticated?: () => void
}

/** What {@link ReactClient.SessionProvider} takes. The first values of `basePath` and `session` count. */
export interface SessionProviderProps<Session = DefaultSession>
  extends RefetchOptions, Pick<ClientOptions<Session>, 'basePath' | 'session'> {
  readonly children?: ReactNode
}

/** `next-auth/react`, with the session's own type. */
export interface ReactClient<Session> extends NextAuthFunctions<Session> {
  /** Holds the session for all that is in it. */
  readonly SessionProvider: (props: SessionProviderProps<Session>) => ReactNode
  readonly SessionContext: Context<SessionContextValue<false, Session> | undefined>
  /**
   * The session, and what is known of it.
   *
   * @throws Error outside of a `SessionProvider`
   */
  readonly useSession: <Required extends boolean = false>(
    options?: UseSessionOptions<Required>,
  ) => SessionContextValue<Required, Session>
}

/**
 * The exports of this module with the session type of a service. Make it once, and import the
 * functions from there.
 *
 * @example
 *   import { createReactClient } from '@latchkey/client/react'
 *   import type { Auth } from '@latchkey/core'
 *
 *   declare const auth: Auth<{ user: { id: string; admin: boolean } }>
 *   export const { SessionProvider, useSession, signIn, signOut } =
 *     createReactClient<typeof auth>()
 */
export function createReactClient<A extends Auth<unknown> = Auth>(
  options: ClientOptions<SessionOf<A>> = {},
): ReactClient<SessionOf<A>> {
  type Session = SessionOf<A>
  const SessionContext = createContext<SessionContextValue<false, Session> | undefined>(undefined)
  // The functions belong to the provider that the page shows. Never on a server: it has many people's.
  let own: Client<Session> | undefined
  let shown: Client<Session> | undefined
  const current = (): Client<Session> => shown ?? (own ??= createClient<A>(options))

  function SessionProvider(props: SessionProviderProps<Session>): ReactNode {
    const [{ client, initial }] = useState(() =>
      begin(() => createClient<A>({ ...options, ...props })),
    )
    const state = useSyncExternalStore(client.subscribe, client.getSnapshot, () => initial)
    // Before every other effect, so that those of the page find it.
    useInsertionEffect(() => {
      shown = client
      return () => {
        if (shown === client) shown = undefined
      }
    }, [client])
    useRefetch(client, { ...options, ...props })
    const value = useMemo(() => contextValue(client, state), [client, state])
    return createElement(SessionContext.Provider, { value }, props.children)
  }

  function useSession<Required extends boolean = false>({
    required,
    onUnauthenticated,
  }: Partial<UseSessionOptions<Required>> = {}): SessionContextValue<Required, Session> {
    const value = useContext(SessionContext)
    if (!value) throw new Error('useSession must be used inside of a SessionProvider')
    const isMissing = required === true && value.status === 'unauthenticated'
    useEffect(() => {
      if (!isMissing) return
      if (onUnauthenticated) onUnauthenticated()
      else location.href = signInAddress(current().basePath)
    }, [isMissing, onUnauthenticated])
    const seen = isMissing ? { ...value, status: 'loading' } : value
    return seen as SessionContextValue<Required, Session>
  }

  return { ...nextAuthFunctions(current), SessionContext, SessionProvider, useSession }
}

/** A client, and what it knew at first: the server has rendered that, and hydration begins with it. */
function begin<Session>(make: () => Client<Session>): {
  readonly client: Client<Session>
  readonly initial: SessionState<Session>
} {
  const client = make()
  return { client, initial: client.getSnapshot() }
}

function useRefetch(
  client: Client<unknown>,
  { refetchInterval, refetchOnWindowFocus, refetchWhenOffline }: RefetchOptions,
): void {
  useEffect(() => {
    client.configure({ refetchInterval, refetchOnWindowFocus, refetchWhenOffline })
  }, [client, refetchInterval, refetchOnWindowFocus, refetchWhenOffline])
}

function contextValue<Session>(
  client: Client<Session>,
  { status, session: data, error }: SessionState<Session>,
): SessionContextValue<false, Session> {
  const update = async (changes?: unknown): Promise<Session | null> => {
    if (!client.getSnapshot().session) return null
    const result = await client.updateSession(changes)
    return result.ok ? result.session : null
  }
  const value = { status, data, update, ...(error && { error }) }
  return value as SessionContextValue<false, Session>
}

function signInAddress(basePath: string): string {
  const query = new URLSearchParams({ error: 'SessionRequired', callbackUrl: location.href })
  return `${basePath}/signin?${query}`
}

const page: ReactClient<DefaultSession> = /* @__PURE__ */ createReactClient()

/** As in `next-auth/react`: holds the session for all that is in it. */
export const SessionProvider: ReactClient<DefaultSession>['SessionProvider'] = page.SessionProvider
/** As in `next-auth/react`. */
export const SessionContext: ReactClient<DefaultSession>['SessionContext'] = page.SessionContext
/** As in `next-auth/react`: the session, and what is known of it. */
export const useSession: ReactClient<DefaultSession>['useSession'] = page.useSession
/** As in `next-auth/react`: starts a sign-in and goes where it leads. */
export const signIn: ReactClient<DefaultSession>['signIn'] = page.signIn
/** As in `next-auth/react`: ends the session. */
export const signOut: ReactClient<DefaultSession>['signOut'] = page.signOut
/** As in `next-auth/react`: asks the service for the session. */
export const getSession: ReactClient<DefaultSession>['getSession'] = page.getSession
/** As in `next-auth/react`: the token that every POST carries. */
export const getCsrfToken: ReactClient<DefaultSession>['getCsrfToken'] = page.getCsrfToken
/** As in `next-auth/react`: what can be signed in with, by id. */
export const getProviders: ReactClient<DefaultSession>['getProviders'] = page.getProviders

export type {
  AuthorizationParams as SignInAuthorizationParams,
  ClientProvider as ClientSafeProvider,
  SignInOptions,
  SignOutOptions as SignOutParams,
} from './index.ts'
export type {
  GetSessionParams,
  NextAuthFunctions,
  SignInResponse,
  SignOutResponse,
} from './next-auth.ts'
