import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/testing/contract-config'

/** The part of Deno that this program uses. */
declare const Deno: {
  serve(
    options: {
      readonly hostname: string
      readonly port: number
      readonly onListen: (address: { readonly port: number }) => void
    },
    handler: (request: Request) => Promise<Response>,
  ): unknown
}

const { handle } = createAuth(contractConfig())

Deno.serve(
  {
    hostname: 'localhost',
    port: 0,
    onListen: ({ port }) => console.log(`listening on http://localhost:${port}`),
  },
  (request) => handle(request),
)
