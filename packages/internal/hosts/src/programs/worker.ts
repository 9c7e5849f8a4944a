import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { contractConfig } from '@latchkey/testing/contract-config'
import type { ContractSession } from '@latchkey/testing/contract-config'

// The first request creates the service: a starting Worker can neither fetch nor generate random values.
let auth: Auth<ContractSession> | undefined

export default {
  fetch: (request: Request): Promise<Response> =>
    (auth ??= createAuth(contractConfig())).handle(request),
}
