import type { AuthorizationServer, Client } from 'oauth4webapi'
import type { ProviderRuntime } from '../ports/runtime.ts'

/** The `response_mode` of a signed authorization response (JARM §2.3). */
export type JwtMode = 'jwt' | 'query.jwt' | 'form_post.jwt'

/** The option `responseMode` of a provider that signs its authorization responses: by `jarm()`. */
export interface JwtResponseMode {
  readonly mode: JwtMode
  /**
   * @param isDiscovered Whether discovery says where the keys are
   * @throws ConfigurationError that names the provider, if it cannot verify signatures
   */
  readonly createResponses: (providerId: string, isDiscovered: boolean) => SignedResponses
}

/** What a provider needs to accept signed authorization responses. */
export interface SignedResponses {
  /** Reads the state, unverified, to find the flow. */
  readonly readState: (params: URLSearchParams) => string | undefined
  /** Fetches the keys. */
  readonly prepare: (issuer: ResponseIssuer) => Promise<void>
  /**
   * Verifies a response.
   *
   * @returns The parameters that it signs
   * @throws Error if it is not signed by the issuer, for this client, and now
   */
  readonly verify: (issuer: ResponseIssuer, params: URLSearchParams) => Promise<URLSearchParams>
}

/** Who signs a response, and for whom. */
export interface ResponseIssuer {
  readonly as: AuthorizationServer
  readonly client: Client
  readonly runtime: ProviderRuntime
}
