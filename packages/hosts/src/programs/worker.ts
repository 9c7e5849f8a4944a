import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/core/testing/contract-config'

/** The service as a Worker: made once, at the first request. */
let auth: ReturnType<typeof make> | undefined

function make() {
  return createAuth(contractConfig())
}

export default {
  fetch: (request: Request): Promise<Response> => (auth ??= make()).handle(request),
}
