import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { contractConfig } from '@latchkey/core/testing/contract-config'
import type { ContractSession } from '@latchkey/core/testing/contract-config'

const kept = globalThis as { latchkey?: Auth<ContractSession> }

// In development this module is evaluated again after a change. The contract's storage is memory,
// and a second one would not know the sessions; with a database, `createAuth` alone would do.
export const auth = (kept.latchkey ??= createAuth(
  contractConfig({ serviceUrl: process.env['SERVICE_URL'] }),
))
