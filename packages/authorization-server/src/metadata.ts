import type { Server } from './server.ts'
import type { Settings } from './settings.ts'

/** The paths of the endpoints for programs, after `prefix`. */
export const endpointPaths = {
  token_endpoint: '/token',
  revocation_endpoint: '/revoke',
} as const

/** The path of the introspection endpoint. */
export const INTROSPECTION = '/introspect'

/** The path of the endpoint at which devices ask for a code, and the grant type by which they get tokens (RFC 8628 §3). */
export const DEVICE_CODE = '/device-code'
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** The path of the userinfo endpoint. */
export const USERINFO = '/userinfo'

/** The path of the endpoint at which clients register themselves. */
export const REGISTRATION = '/register'

/** Returns the URL of the metadata: the path of the issuer is inserted (RFC 8414 §3). */
export function getMetadataPath(issuer: string): string {
  return `/.well-known/oauth-authorization-server${new URL(issuer).pathname}`
}

/** Returns the metadata of the authorization server (RFC 8414 §2). It names only what the server answers. */
export function createMetadata({ settings }: Server, issuer: string): object {
  const { origin } = new URL(issuer)
  const endpoints = Object.entries(endpointPaths).map(([name, path]) => {
    return [name, origin + settings.prefix + path] as const
  })
  const scopes = [...settings.resources.values()].flatMap((each) => [...each.scopes.keys()])
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    jwks_uri: `${issuer}/jwks`,
    ...Object.fromEntries(endpoints),
    scopes_supported: [...new Set(scopes)],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      ...(settings.device ? [DEVICE_GRANT] : []),
    ],
    code_challenge_methods_supported: ['S256'],
    acr_values_supported: Object.keys(settings.acr),
    ...describeMethods('token', settings, ['none']),
    ...describeMethods('revocation', settings, ['none']),
    authorization_response_iss_parameter_supported: true,
    ...(settings.introspection && {
      introspection_endpoint: origin + settings.prefix + INTROSPECTION,
      ...describeMethods('introspection', settings),
    }),
    ...(settings.device && {
      device_authorization_endpoint: origin + settings.prefix + DEVICE_CODE,
    }),
    ...(settings.registration && {
      registration_endpoint: origin + settings.prefix + REGISTRATION,
    }),
    ...(settings.clientMetadata && { client_id_metadata_document_supported: true }),
  }
}

/** Says how clients authenticate at an endpoint. */
function describeMethods(
  endpoint: 'token' | 'revocation' | 'introspection',
  { assertions }: Settings,
  others: readonly string[] = [],
): object {
  const prefix = `${endpoint}_endpoint_auth`
  const methods = [...others, 'client_secret_basic', 'client_secret_post']
  if (!assertions) return { [`${prefix}_methods_supported`]: methods }
  return {
    [`${prefix}_methods_supported`]: [...methods, 'private_key_jwt'],
    [`${prefix}_signing_alg_values_supported`]: ['EdDSA', 'ES256', 'PS256', 'RS256'],
  }
}
