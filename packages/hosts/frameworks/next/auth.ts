import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { contractConfig } from '@latchkey/core/testing/contract-config'
import type { ContractSession } from '@latchkey/core/testing/contract-config'

const shared = globalThis as { latchkey?: Auth<ContractSession> }

// Next evaluates this module more than once: for the routes, for the pages, and in development after
// each change. The storage of the contract is in memory, so all of them need the same service; with a
// database, `createAuth` is enough.
export const auth = (shared.latchkey ??= createAuth(
  contractConfig({ serviceUrl: process.env['SERVICE_URL'] }),
))
