import { memoryStorage } from '@latchkey/core/memory'
import { contractConfig } from '@latchkey/core/testing/contract-config'
import { createNextAuth } from '@latchkey/next'
import { getVariable } from './variables.ts'

const shared = globalThis as { pagesStorage?: ReturnType<typeof memoryStorage> }

const createAt = (path: string) =>
  createNextAuth(() =>
    contractConfig({
      serviceUrl: getVariable('SERVICE_URL') + path,
      secret: getVariable('AUTH_SECRET'),
      storage: (shared.pagesStorage ??= memoryStorage()),
    }),
  )

/** A service of the Pages Router that reads bodies itself. */
export const raw = createAt('/api/pages-auth')

/** A service of the Pages Router behind the body parser of Next. */
export const parsed = createAt('/api/parsed-auth')
