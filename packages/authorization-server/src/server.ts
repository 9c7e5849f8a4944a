import { perService, requireSigner, toBase64url } from '@latchkey/core/capability'
import type { Service } from '@latchkey/core/capability'
import { ConfigurationError } from '@latchkey/core/capability/options'
import type { ServerKeys } from './parts.ts'
import { ID } from './settings.ts'
import type { Settings } from './settings.ts'

/** What the authorization server of a service works with. */
export interface Server extends ServerKeys {
  readonly settings: Settings
}

const settingsOf = new WeakMap<Service, Settings>()

/**
 * Notes the settings of a service, when it starts.
 *
 * @throws ConfigurationError without `apiTokens()`, or if a resource is its audience: the API would take the token of a client for one
 *   of the user's own session, which has no scopes; or if `prefix` would take URLs of the service
 */
export function keepSettings(service: Service, settings: Settings): void {
  settingsOf.set(service, settings)
  checkPrefix(settings, service)
  const { audience } = requireSigner(service, ID)
  if (!settings.resources.has(audience)) return
  const problem = 'must not be the audience of apiTokens(), whose tokens have no scopes'
  throw new ConfigurationError(`${ID}.resources["${audience}"]`, problem)
}

/** `programs` answers before `auth.handle`: below one of the two paths no URL may be of the other one. */
function checkPrefix({ prefix }: Settings, { basePath }: Service): void {
  const [outer, inner] = [prefix, basePath].toSorted((a, b) => a.length - b.length)
  if (!`${inner}/`.startsWith(`${outer}/`)) return
  const problem = `must be neither above nor below the base path ${basePath}`
  throw new ConfigurationError(`${ID}.prefix`, problem)
}

/** Returns the authorization server of a service; undefined if the service uses none. */
const findServer: (service: Service) => Server | undefined = perService((service) => {
  const settings = settingsOf.get(service)
  return (
    settings && {
      settings,
      signer: requireSigner(service, ID),
      mac: service.keys.signerOf(ID),
      random: (bytes) => toBase64url(service.runtime.random(bytes)),
    }
  )
})

/** Returns the time of a service: seconds since 1970. */
export function getNow({ runtime }: Service): number {
  return Math.floor(runtime.now() / 1000)
}

/** Returns the authorization server of a service that uses it. */
export function getServer(service: Service): Server {
  const server = findServer(service)
  if (!server) throw new TypeError(`expected ${ID} in use`)
  return server
}
