import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { contractConfig } from '@latchkey/testing/contract-config'
import type { ContractSession } from '@latchkey/testing/contract-config'
import { programsConfig } from '@latchkey/testing/contract-programs'

/**
 * Creates the service of the contract, which learns its URL from the requests of the host, and answers the programs of a second
 * service: an authorization server needs its URL.
 */
export function createService(origin: string): Auth<ContractSession> {
  const { programs } = createAuth(programsConfig({ serviceUrl: origin }))
  return { ...createAuth(contractConfig()), ...(programs && { programs }) }
}
