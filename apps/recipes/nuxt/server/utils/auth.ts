import { createAuth } from '@latchkey/core'
import { programsConfig } from '@latchkey/testing/contract-programs'

export const auth = createAuth(programsConfig({ serviceUrl: process.env['SERVICE_URL'] }))

/** The session of a request, null if there is none. */
export type Session = Awaited<ReturnType<typeof auth.getSession>>['session']
