import { ConfigurationError, createAuth } from '@latchkey/core'
import type { Auth, Provider, Storage } from '@latchkey/core'
import { github } from '@latchkey/core/providers/github'
import { oidc } from '@latchkey/core/providers/oidc'

/** Environment variables on Node; variables and secrets on Workers. */
export interface Settings {
  /** The public address. Without it the application answers for loopback alone. */
  readonly SERVICE_URL?: string | undefined
  /** At least 32 bytes. */
  readonly AUTH_SECRET?: string | undefined
  readonly AUTH_GITHUB_ID?: string | undefined
  readonly AUTH_GITHUB_SECRET?: string | undefined
  readonly AUTH_OIDC_ISSUER?: string | undefined
  readonly AUTH_OIDC_ID?: string | undefined
  readonly AUTH_OIDC_SECRET?: string | undefined
}

/**
 * The sign-in service of this application.
 *
 * @throws ConfigurationError where a setting is missing or cannot be used
 */
export function createService(settings: Settings, storage: Storage): Auth {
  const { AUTH_SECRET: secret, SERVICE_URL: serviceUrl } = settings
  if (!secret) throw new ConfigurationError('AUTH_SECRET', 'is not set')
  return createAuth({ secret, serviceUrl, storage, providers: readProviders(settings) })
}

/** The providers whose settings are there. */
export function readProviders(settings: Settings): readonly Provider[] {
  return [...readGithub(settings), ...readOidc(settings)]
}

function readGithub({
  AUTH_GITHUB_ID: clientId,
  AUTH_GITHUB_SECRET: clientSecret,
}: Settings): readonly Provider[] {
  return clientId && clientSecret ? [github({ clientId, clientSecret })] : []
}

function readOidc({
  AUTH_OIDC_ISSUER: issuer,
  AUTH_OIDC_ID: clientId,
  AUTH_OIDC_SECRET: clientSecret,
}: Settings): readonly Provider[] {
  if (!issuer || !clientId || !clientSecret) return []
  return [oidc({ id: 'oidc', name: new URL(issuer).host, issuer, clientId, clientSecret })]
}
