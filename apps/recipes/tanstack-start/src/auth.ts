import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { programsConfig } from '@latchkey/testing/contract-programs'
import type { ContractSession } from '@latchkey/testing/contract-config'

const shared = globalThis as { latchkey?: Auth<ContractSession> }

// In development this module is evaluated again after each change. The storage of the contract is in
// memory, so the service must stay the same; with a database, `createAuth` is enough.
export const auth = (shared.latchkey ??= createAuth(
  programsConfig({ serviceUrl: process.env['SERVICE_URL'] }),
))
