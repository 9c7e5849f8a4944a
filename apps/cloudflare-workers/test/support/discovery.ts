import type { ServerResponse } from 'node:http'
import { listen } from '@latchkey/test-support/listen'

/** A provider that only serves its discovery document, which is enough to begin a sign-in. */
export interface Discovery extends AsyncDisposable {
  readonly issuer: string
  readonly getRequestCount: () => number
  /** Delays all responses until `release`. */
  hold(): void
  release(): void
}

/** Starts the provider on a free port. */
export async function startDiscovery(): Promise<Discovery> {
  let requests = 0
  let held: ServerResponse[] | undefined
  const { origin: issuer, stop } = await listen((_request, response) => {
    requests += 1
    if (held) held.push(response)
    else respond(response)
  })
  const respond = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      }),
    )
  }
  return {
    issuer,
    getRequestCount: () => requests,
    hold() {
      held = []
    },
    release() {
      held?.forEach(respond)
      held = undefined
    },
    [Symbol.asyncDispose]: stop,
  }
}
