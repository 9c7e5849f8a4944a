'use client'

import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useInsertionEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Context, ReactNode } from 'react'
import type { Auth, DefaultSession, ErrorCode } from '@latchkey/core'
import { createClient } from './index.ts'
import type { Client, ClientOptions, RefetchOptions, InferSession, SessionState } from './index.ts'
import { createNextAuthFunctions } from './next-auth.ts'
import type { NextAuthFunctions } from './next-auth.ts'

/** The result of {@link ReactClient.useSession}. */
export type SessionContextValue<Required extends boolean = false, Session = DefaultSession> = (
  | { readonly status: 'authenticated'; readonly data: Session }
  | {
      readonly status: 'loading'
      /** Null if the page requires a session, as next-auth's types say. */
      readonly data: Required extends true ? null : undefined
    }
  | (Required extends true ? never : { readonly status: 'unauthenticated'; readonly data: null })
) & {
  /** Passes data to the service's `session.update`. Null without a session, or if it failed. */
  readonly update: (data?: unknown) => Promise<Session | null>
  /** Why the last read failed; absent after a successful one. */
  readonly error?: ErrorCode
  /** The client of the `SessionProvider`, which next-auth does not return. */
  readonly client?: Client<Session>
}

/** The options of {@link ReactClient.useSession}. */
export interface UseSessionOptions<Required extends boolean> {
  /**
   * Whether the page needs a session: without one it navigates to the sign-in page. Until then the
   * status is `loading`, and `data` is null.
   */
  readonly required: Required
  /** Called in place of the navigation. */
  readonly onUnauthenticated?: () => void
}

/**
 * The props of {@link ReactClient.SessionProvider}. Only the first values of `baseUrl` and `basePath` are used. A changed
 * `session`, as after a server action, is shown immediately, and read again.
 */
export interface SessionProviderProps<Session = DefaultSession>
  extends RefetchOptions, Pick<ClientOptions<Session>, 'baseUrl' | 'basePath' | 'session'> {
  readonly children?: ReactNode
}

/** The functions, hooks and components of `next-auth/react`, typed by the session of a service. */
export interface ReactClient<Session> extends NextAuthFunctions<Session> {
  /**
   * Navigates to the page that asks the user of the session to prove again who they are, which leads back. The
   * service needs `confirmation()`. Never rejects.
   */
  readonly confirm: Client<Session>['confirm']
  /** Provides the session to its children, and keeps it up to date. */
  readonly SessionProvider: (props: SessionProviderProps<Session>) => ReactNode
  /** The context that `SessionProvider` provides; undefined outside one. */
  readonly SessionContext: Context<SessionContextValue<false, Session> | undefined>
  /**
   * Returns the session and its status.
   *
   * @throws Error outside a `SessionProvider`
   */
  readonly useSession: <Required extends boolean = false>(
    options?: UseSessionOptions<Required>,
  ) => SessionContextValue<Required, Session>
}

/**
 * Creates the exports of this module with the session type of a service. Call it once, in a module
 * from which the application imports the results.
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
  options: ClientOptions<InferSession<A>> = {},
): ReactClient<InferSession<A>> {
  type Session = InferSession<A>
  const SessionContext = createContext<SessionContextValue<false, Session> | undefined>(undefined)
  // Set by an effect, which a server does not run: it serves many users.
  let mountedClient: Client<Session> | undefined
  let ownClient: Client<Session> | undefined
  const getClient = (): Client<Session> => mountedClient ?? (ownClient ??= createClient<A>(options))

  function SessionProvider(props: SessionProviderProps<Session>): ReactNode {
    const [{ client, initial }] = useState(() =>
      withInitialState(createClient<A>({ ...options, ...props })),
    )
    const state = useSyncExternalStore(client.subscribe, client.getSnapshot, () => initial)
    // Runs before all other effects, so that the effects of the page find the client.
    useInsertionEffect(() => {
      mountedClient = client
      return () => {
        if (mountedClient === client) mountedClient = undefined
      }
    }, [client])
    useRefetchOptions(client, { ...options, ...props })
    useSessionProp(client, props.session)
    const value = useMemo(() => toContextValue(client, state), [client, state])
    return createElement(SessionContext.Provider, { value }, props.children)
  }

  function useSession<Required extends boolean = false>(
    useOptions?: UseSessionOptions<Required>,
  ): SessionContextValue<Required, Session> {
    const value = useContext(SessionContext)
    if (!value) throw new Error('useSession must be used inside a SessionProvider')
    return useRequirement(value, getClient, useOptions)
  }

  const nextAuth = createNextAuthFunctions(getClient)
  const confirm: Client<Session>['confirm'] = (how) => getClient().confirm(how)
  return { ...nextAuth, confirm, SessionContext, SessionProvider, useSession }
}

/** Adds the state that the server rendered, from which hydration starts. */
function withInitialState<Session>(client: Client<Session>): {
  readonly client: Client<Session>
  readonly initial: SessionState<Session>
} {
  return { client, initial: client.getSnapshot() }
}

function useRefetchOptions(
  client: Client<unknown>,
  { refetchInterval, refetchOnWindowFocus, refetchWhenOffline }: RefetchOptions,
): void {
  useEffect(() => {
    client.configure({ refetchInterval, refetchOnWindowFocus, refetchWhenOffline })
  }, [client, refetchInterval, refetchOnWindowFocus, refetchWhenOffline])
}

/** Takes the session that a server has rendered again. It can be of a cached page: a read that begins after it is newer. */
function useSessionProp(client: Client<unknown>, session: unknown): void {
  const text = JSON.stringify(session)
  const taken = useRef(text)
  useEffect(() => {
    if (text === undefined || text === taken.current) return
    taken.current = text
    client.apply({ ok: true, body: JSON.parse(text) ?? {} })
    // A failure is in the state.
    client.getSession().catch(() => undefined)
  }, [client, text])
}

/** Leaves the page if it requires a session and there is none. */
function useRequirement<Required extends boolean, Session>(
  value: SessionContextValue<false, Session>,
  getClient: () => Client<Session>,
  { required, onUnauthenticated }: Partial<UseSessionOptions<Required>> = {},
): SessionContextValue<Required, Session> {
  const isPending = required === true && !value.data
  const isMissing = isPending && value.data === null
  useEffect(() => {
    if (!isMissing) return
    if (onUnauthenticated) onUnauthenticated()
    else location.href = getSignInUrl(getClient().basePath)
  }, [isMissing, onUnauthenticated])
  const visible = isPending ? { ...value, status: 'loading', data: null } : value
  return visible as SessionContextValue<Required, Session>
}

function getSignInUrl(basePath: string): string {
  const query = new URLSearchParams({ error: 'SessionRequired', callbackUrl: location.href })
  return `${basePath}/signin?${query}`
}

function toContextValue<Session>(
  client: Client<Session>,
  { status, session, error }: SessionState<Session>,
): SessionContextValue<false, Session> {
  const data = status === 'loading' ? undefined : session
  const update = async (changes?: unknown): Promise<Session | null> => {
    if (!client.getSnapshot().session) return null
    const result = await client.updateSession(changes)
    return result.ok ? result.session : null
  }
  const value = { client, status, data, update, ...(error && { error }) }
  return value as SessionContextValue<false, Session>
}

const defaults: ReactClient<DefaultSession> = /* @__PURE__ */ createReactClient()

/** Provides the session to its children, as in `next-auth/react`. */
export const SessionProvider: ReactClient<DefaultSession>['SessionProvider'] =
  defaults.SessionProvider
/** Holds what `useSession` returns, as in `next-auth/react`. */
export const SessionContext: ReactClient<DefaultSession>['SessionContext'] = defaults.SessionContext
/** Returns the session and its status, as in `next-auth/react`. */
export const useSession: ReactClient<DefaultSession>['useSession'] = defaults.useSession
/** Starts a sign-in, as in `next-auth/react`. */
export const signIn: ReactClient<DefaultSession>['signIn'] = defaults.signIn
/** Ends the session, as in `next-auth/react`. */
export const signOut: ReactClient<DefaultSession>['signOut'] = defaults.signOut
/** Asks the user of the session to prove again who they are: next-auth has no such function. */
export const confirm: ReactClient<DefaultSession>['confirm'] = defaults.confirm
/** Reads the session, as in `next-auth/react`. */
export const getSession: ReactClient<DefaultSession>['getSession'] = defaults.getSession
/** Returns the token that every POST carries, as in `next-auth/react`. */
export const getCsrfToken: ReactClient<DefaultSession>['getCsrfToken'] = defaults.getCsrfToken
/** Returns the providers by id, as in `next-auth/react`. */
export const getProviders: ReactClient<DefaultSession>['getProviders'] = defaults.getProviders

export type {
  AuthorizationParams as SignInAuthorizationParams,
  ClientProvider as ClientSafeProvider,
  ConfirmOptions,
  SignInOptions,
  SignOutOptions as SignOutParams,
} from './index.ts'
export type {
  GetSessionParams,
  NextAuthFunctions,
  SignInResponse,
  SignOutResponse,
} from './next-auth.ts'
