import { getService } from '../kernel/auth-services.ts'
import { findProvider, matchRoute } from './routes.ts'

/** A path of the service, as {@link findRoute} returns it. */
export interface ServiceRoute {
  /** The path of the table of routes, with the base path: `/api/auth/callback/:provider`. */
  readonly path: string
  /** The id of the provider that the path names. */
  readonly provider: string | undefined
}

/**
 * Returns the route of a URL, for metrics and logs: a few values instead of a path that anyone can
 * choose. Undefined if the service answers 404.
 *
 * @param auth What `createAuth` returned
 * @param url An absolute URL, as `Request.url` gives it
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { findRoute } from '@latchkey/core/routes'
 *
 *   declare const auth: Auth
 *   const route = findRoute(auth, 'https://example.com/api/auth/callback/github?code=…')
 *   console.log(route?.path, route?.provider) // /api/auth/callback/:provider github
 *
 * @throws ConfigurationError if `auth` is not what `createAuth` returned
 */
export function findRoute(auth: object, url: string): ServiceRoute | undefined {
  const service = getService(auth, 'findRoute')
  const match = matchRoute(service, url)
  const [row] = match?.rows.values() ?? []
  if (!match || !row) return undefined
  const { providerId: provider } = match
  if (provider !== undefined && !findProvider(service, match)) return undefined
  return { path: service.basePath + row.path, provider }
}
