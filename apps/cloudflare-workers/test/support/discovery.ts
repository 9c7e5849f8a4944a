import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A provider that only says where it is, which is all that the start of a sign-in needs. */
export interface Discovery extends AsyncDisposable {
  readonly issuer: string
  /** How often it has been asked. */
  readonly asked: () => number
  /** Answers nobody until `release`. */
  hold(): void
  release(): void
}

export async function startDiscovery(): Promise<Discovery> {
  let asked = 0
  let held: ServerResponse[] | undefined
  const server = createServer((_request, response) => {
    asked += 1
    if (held) held.push(response)
    else answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const answer = (response: ServerResponse): void => {
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
    asked: () => asked,
    hold() {
      held = []
    },
    release() {
      held?.forEach(answer)
      held = undefined
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
