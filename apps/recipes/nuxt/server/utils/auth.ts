import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/testing/contract-config'

export const auth = createAuth(contractConfig({ serviceUrl: process.env['SERVICE_URL'] }))

/** The session of a request, null if there is none. */
export type Session = Awaited<ReturnType<typeof auth.getSession>>['session']
