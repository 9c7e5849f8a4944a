import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/testing/contract-config'

export const auth = createAuth(contractConfig({ serviceUrl: process.env['SERVICE_URL'] }))
