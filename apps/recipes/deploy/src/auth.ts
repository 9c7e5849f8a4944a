import { createAuth } from '@latchkey/core'
import { programsConfig } from '@latchkey/testing/contract-programs'

export const auth = createAuth(programsConfig({ serviceUrl: process.env['SERVICE_URL'] }))
