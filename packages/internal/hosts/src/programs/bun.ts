import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/testing/contract-config'

/** The part of Bun that this program uses. */
declare const Bun: {
  serve(options: {
    readonly hostname: string
    readonly port: number
    readonly fetch: (request: Request) => Promise<Response>
  }): { readonly port: number }
}

const { handle } = createAuth(contractConfig())
const { port } = Bun.serve({ hostname: 'localhost', port: 0, fetch: (request) => handle(request) })

console.log(`listening on http://localhost:${port}`)
