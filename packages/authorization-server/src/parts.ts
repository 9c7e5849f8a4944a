import type { HandleOptions, StoredEvent } from '@latchkey/core'
import type { CapabilityRoute, Context, Service, TokenSigner } from '@latchkey/core/capability'
import type { AuthClients } from './clients/auth-clients.ts'
import type { Client, Fail } from './clients/client.ts'
import type { LivingGrant, UsedGrant } from './grant.ts'
import type { TokenMac } from './tokens/refresh-token.ts'

/** What an authorization server signs with. */
export interface ServerKeys {
  readonly signer: TokenSigner
  /** Signs codes and refresh tokens. */
  readonly mac: TokenMac
  /** Returns random bytes in base64url. */
  readonly random: (bytes: number) => string
}

/** What a part knows of the request of a program. */
export interface PartContext {
  readonly service: Service
  readonly server: ServerKeys
  readonly options: HandleOptions
  /** The URL of the service with its base path: the issuer. */
  readonly issuer: string
  /** The URL of the endpoint. */
  readonly endpoint: string
  /** The header `Authorization`. */
  readonly authorization: string | null
  /** The header `User-Agent`, at most 255 characters. */
  readonly userAgent: string | undefined
  /** Seconds since 1970. */
  readonly now: number
}

/** What an endpoint answers: JSON, or a status without a body. */
export interface ProgramReply {
  readonly status: number
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** What a path answers: a document, or an endpoint. */
export type Target<Ctx> =
  | { readonly methods: readonly string[]; readonly document: object; readonly maxAge: number }
  | EndpointTarget<Ctx>

/** An endpoint, which answers requests of its methods. */
export interface EndpointTarget<Ctx> {
  readonly methods: readonly string[]
  readonly answer: (ctx: Ctx, request: Request) => Promise<ProgramReply>
}

/** The clients that authenticate by a key. */
export interface ClientAssertions {
  /**
   * Returns whose assertion it says to be, before anything is verified.
   *
   * @throws OAuthError `invalid_request` if the request has an assertion of another type
   */
  readonly readSubject: (parameters: ReadonlyMap<string, string>, assertion: string) => string
  /** Returns whether an assertion is of a client, and was not used before. */
  readonly verify: (ctx: PartContext, client: Client, assertion: string) => Promise<boolean>
}

/** What the introspection endpoint says. */
export interface Introspection {
  /** Answers an authenticated client (RFC 7662 §2.2). */
  readonly introspect: (
    ctx: PartContext,
    client: Client,
    parameters: ReadonlyMap<string, string>,
  ) => Promise<object>
}

/** The device flow (RFC 8628). */
export interface DeviceFlow {
  /** The page at which users enter a code, and the fields of its forms. */
  readonly routes: readonly CapabilityRoute[]
  readonly fields: readonly string[]
  /** Answers an authenticated client that asks for a code (§3.2). */
  readonly authorize: (
    ctx: PartContext,
    client: Client,
    parameters: ReadonlyMap<string, string>,
  ) => Promise<object>
  /** Exchanges a device code for tokens (§3.4). */
  readonly redeem: (
    ctx: PartContext,
    client: Client,
    parameters: ReadonlyMap<string, string>,
  ) => Promise<ProgramReply>
}

/** The clients that the application has stored. */
export interface StoredClients {
  readonly find: (
    ctx: Pick<PartContext, 'service' | 'now'>,
    id: string,
  ) => Promise<Client | undefined>
  /** Creates `auth.clients`; `check` compares a client with the other options. */
  readonly createMembers: (
    service: Service,
    check: (client: Client, fail: Fail) => void,
  ) => AuthClients
}

/** Clients that anyone can name. */
export interface OpenClients {
  /** Returns a name without what makes no difference to the eye: two that are alike are the same then. */
  readonly foldName: (name: string) => string
}

/** The clients that have registered themselves. */
export interface DynamicRegistration extends OpenClients {
  /** Registers a client, and returns what it learns of itself (RFC 7591 §3.2.1). */
  readonly register: (ctx: PartContext, body: string) => Promise<object>
  readonly find: (
    ctx: Pick<PartContext, 'service' | 'now'>,
    id: string,
  ) => Promise<Client | undefined>
  /** Keeps a registration that is used. It then stays. */
  readonly keep: (ctx: Pick<PartContext, 'service' | 'now'>, client: Client) => Promise<void>
}

/** What an authorization request asks of an OpenID provider. */
export interface OpenIdRequest {
  readonly nonce?: string | undefined
  /** The subject of the only user who may be signed in; empty if the hint is not valid. */
  readonly subject?: string | undefined
}

/** Returns what a client knows a user by (OpenID Connect Core 1.0 §8). */
export type ToSubject = (client: Client, userId: string) => Promise<string>

/** Signs users out for clients, and clients out for users. */
export interface OpenIdLogout {
  readonly routes: readonly CapabilityRoute[]
  /** @throws ConfigurationError if the service stores no events */
  readonly start: (service: Service, toSubject: ToSubject) => void
  /** Notes the clients of a user's sessions that have ended: their grants are no longer needed then. */
  readonly noteEnded: (service: Service, userId: string) => Promise<void>
  /**
   * Returns events that tell clients of grants which end before their sessions: nothing names these clients afterwards.
   *
   * @param kept Grants that stay: a session that one of them names goes on at its client
   */
  readonly toRows: (
    caller: Caller,
    ended: readonly UsedGrant[],
    kept: readonly UsedGrant[],
  ) => readonly StoredEvent[]
  /** Returns its members of the metadata. */
  readonly describe: (issuer: string) => object
}

/** Who ends a grant: a request, or the application's server. */
export type Caller =
  Pick<Context, 'service' | 'options'> | { readonly service: Service; readonly options?: undefined }

/** Signs users in at clients (OpenID Connect Core 1.0). */
export interface OpenIdProvider {
  readonly logout: OpenIdLogout | undefined
  /** Is called once for each service. */
  readonly start: (service: Service) => void
  /** The scopes of the server, which no resource has. */
  readonly scopes: readonly string[]
  /** @throws ConfigurationError of `fail` if the subject of a client cannot be told */
  readonly checkClient: (client: Client, fail: Fail) => void
  readonly readRequest: (
    ctx: Context,
    client: Client,
    values: ReadonlyMap<string, string>,
  ) => Promise<OpenIdRequest>
  /** Returns whether a request is for another user (§3.1.2.2). */
  readonly isForAnother: (
    client: Client,
    request: OpenIdRequest,
    userId: string,
  ) => Promise<boolean>
  /** Returns further claims of an access token. */
  readonly toAccessClaims: (
    ctx: PartContext,
    client: Client,
    living: LivingGrant,
  ) => Promise<{ readonly sub?: string; readonly grant_id: string }>
  /** Returns a scope as the user reads it. */
  readonly describeScope: (ctx: Context, scope: string) => string | undefined
  readonly createIdToken: (
    ctx: PartContext,
    client: Client,
    living: LivingGrant,
    accessToken: string,
  ) => Promise<string>
  /** Returns what userinfo and the metadata answer (Discovery 1.0 §4). */
  readonly findTarget: (
    service: Service,
    issuer: string,
    pathname: string,
  ) => Target<PartContext> | undefined
}
