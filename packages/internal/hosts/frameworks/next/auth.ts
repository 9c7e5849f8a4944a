import { memoryStorage } from '@latchkey/core/memory'
import { programsConfig } from '@latchkey/testing/contract-programs'
import { createNextAuth } from '@latchkey/next'
import { getVariable } from './variables.ts'

// Next evaluates this module more than once: for the routes, the pages and the proxy, and in development
// after each change. A storage in memory must be the same in all of them; a database is.
const shared = globalThis as { storage?: ReturnType<typeof memoryStorage> }

export const latchkey = createNextAuth(() =>
  programsConfig({
    serviceUrl: getVariable('SERVICE_URL'),
    secret: getVariable('AUTH_SECRET'),
    storage: (shared.storage ??= memoryStorage()),
  }),
)

export const { auth, handlers, requireRecent, CsrfToken, signIn, signOut, updateSession } = latchkey
