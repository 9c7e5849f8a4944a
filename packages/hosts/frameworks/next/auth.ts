import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { contractConfig } from '@latchkey/core/testing/contract-config'
import type { ContractSession } from '@latchkey/core/testing/contract-config'

const kept = globalThis as { latchkey?: Auth<ContractSession> }

// Next evaluates this module more than once: in the bundle of the routes and in that of the pages,
// and in development again after a change. The contract's storage is memory, so that two services
// would not know each other's sessions; with a database, `createAuth` alone would do.
export const auth = (kept.latchkey ??= createAuth(
  contractConfig({ serviceUrl: process.env['SERVICE_URL'] }),
))
