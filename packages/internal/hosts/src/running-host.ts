import type { ContractHost } from '@latchkey/testing/service-contract'

/** A host that runs the service of the contract until it is disposed of. */
export interface RunningHost extends ContractHost, AsyncDisposable {}

/** The URL of the services that are called without a server. */
export const localOrigin = 'https://app.example'

/** Returns a service that is called without a server. */
export function createLocalHost(send: RunningHost['send']): RunningHost {
  const base = `${localOrigin}/api/auth`
  return { base, send, [Symbol.asyncDispose]: async () => undefined }
}

/** @param url The base URL of the service, or an origin if it has the default path */
export function createNetworkHost(url: string, close: () => Promise<void>): RunningHost {
  const { origin, pathname } = new URL(url)
  const base = origin + (pathname === '/' ? '/api/auth' : pathname)
  return { base, send: (request) => fetch(request), [Symbol.asyncDispose]: close }
}
