import type { Browser, Handler } from '@latchkey/core/testing'
import type { Person } from './subjects/identity-provider.ts'
import type { Mails } from './subjects/mails.ts'

/** Where a subject keeps its sessions: the strategies of Latchkey. Other libraries ignore it. */
export type Strategy = (typeof strategies)[number]

export const strategies = ['cookie', 'cookie and users', 'revocable', 'storage'] as const

/** How a subject is configured for an attack. */
export interface Setup {
  readonly strategy?: Strategy
  /** Limits per client, which are off otherwise. */
  readonly limits?: boolean
  /** Which requests say the URL of the service: those to a listed host, or any. Default: it is configured. */
  readonly urlOfRequest?: 'listed' | 'any'
  /** Trusted origins beside the origin of the service. */
  readonly trustedOrigins?: readonly string[]
  /** Whether sessions are cached, in a cookie, if the library has it. */
  readonly cachedSessions?: boolean
  /** Whether sessions and tokens are in a key-value store beside the database, if the library has it. */
  readonly secondaryStorage?: boolean
}

/** A library behind a function from Request to Response. */
export interface Subject extends Partial<Capabilities> {
  readonly handle: Handler
  /** The origin and base path of the service. */
  readonly base: string
  /** Creates a browser without cookies. */
  readonly browse: (options?: BrowseOptions) => Browser
  /** Returns the user of the browser's session; undefined without a session. */
  readonly getUser: (browser: Browser) => Promise<SessionUser | undefined>
  /** Sets the same library up again, without users. */
  readonly reopen: () => Promise<Subject>
}

interface BrowseOptions {
  /** Where the browser sees the service, if not at {@link Subject.base}. */
  readonly base?: string
  /** The IP address, as the host of the library reports it. */
  readonly ip?: string
}

export interface SessionUser {
  readonly id: string
  readonly email?: string | null
}

/** A request that an attack varies. */
export interface RequestOptions {
  readonly returnUrl?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What a subject can do beside sessions, each in the library's own interface. */
export interface Capabilities {
  readonly email: EmailSignIn
  readonly code: CodeSignIn
  readonly oauth: OAuthSignIn
  readonly passwords: PasswordSignIn
  readonly secondFactor: SecondFactor
  readonly passkeys: Passkeys
  readonly deletion: Deletion
  readonly token: TokenReader
  readonly keys: KeyIssuer
  readonly errorPage: ErrorPage
  readonly accessTokens: AccessTokens
}

/** Sign-in by a link in an email. */
interface EmailSignIn {
  readonly mails: Mails
  readonly request: (
    browser: Browser,
    address: string,
    options?: RequestOptions,
  ) => Promise<Response>
  /** Opens a link; a given return URL replaces the one in the link. */
  readonly open: (browser: Browser, link: string, returnUrl?: string) => Promise<Response>
}

/** Sign-in by a code in an email. */
interface CodeSignIn {
  /** How many wrong codes are compared. */
  readonly guesses: number
  readonly request: (browser: Browser, address: string) => Promise<void>
  readonly getCode: (address: string) => string
  readonly submit: (browser: Browser, address: string, code: string) => Promise<Response>
}

/** Sign-in at one of two identity providers. */
interface OAuthSignIn {
  /** Whom the code of an authorization response signs in. */
  readonly people: Map<string, Person>
  /** Begins a sign-in and returns the authorization request. */
  readonly begin: (
    browser: Browser,
    provider: 'forge' | 'guild',
    options?: RequestOptions,
  ) => Promise<URL>
}

/** Users with passwords, whose email addresses are not verified. */
interface PasswordSignIn {
  readonly register: (address: string, password: string) => Promise<void>
  readonly signIn: (browser: Browser, address: string, password: string) => Promise<Response>
  /** Posts a wrong password to a path that the attack varies. */
  readonly guess: (
    browser: Browser,
    address: string,
    vary?: (path: string) => string,
  ) => Promise<Response>
  /** Whether a response says that there were too many requests. */
  readonly isLimited: (response: Response) => boolean
}

/** Codes of an app, after a password. */
interface SecondFactor {
  /** Enrols an app in a session and returns how it computes codes. */
  readonly enrol: (browser: Browser, password: string) => Promise<CodeApp>
  readonly submit: (browser: Browser, code: string) => Promise<Response>
}

/** An authenticator app. */
export interface CodeApp {
  /** Returns a code that was not used before. */
  readonly generate: () => Promise<string>
}

/** Passkeys of the user of a session. */
interface Passkeys {
  /** Adds a passkey to the user of a session and returns its id. */
  readonly add: (browser: Browser) => Promise<string>
  readonly remove: (browser: Browser, id: string) => Promise<Response>
  readonly has: (browser: Browser, id: string) => Promise<boolean>
}

/** Deletes users. */
interface Deletion {
  /** Deletes the user of a session, as the user or as the application. */
  readonly deleteUser: (browser: Browser) => Promise<void>
}

/** Reads the token of a request in the application's server. */
interface TokenReader {
  readonly read: (headers: Headers) => Promise<unknown>
}

/** Issues keys or tokens for an API. */
interface KeyIssuer {
  /** Returns whose key it is; undefined if none is issued. */
  readonly issue: (
    browser: Browser,
    fields?: Readonly<Record<string, string>>,
  ) => Promise<string | undefined>
}

/** The page that shows an error. */
interface ErrorPage {
  readonly open: (browser: Browser, error: string) => Promise<Response>
}

/** The tokens of the identity provider. */
interface AccessTokens {
  /** Returns the access token of the user of a session, refreshed, since all have expired. */
  readonly read: (browser: Browser) => Promise<string | undefined>
}
