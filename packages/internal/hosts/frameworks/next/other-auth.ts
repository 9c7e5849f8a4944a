import { memoryStorage } from '@latchkey/core/memory'
import { contractConfig } from '@latchkey/testing/contract-config'
import { createNextAuth } from '@latchkey/next'
import { getVariable } from './variables.ts'

const shared = globalThis as { otherStorage?: ReturnType<typeof memoryStorage> }

const createConfig = (path: string) =>
  contractConfig({
    serviceUrl: getVariable('SERVICE_URL') + path,
    secret: getVariable('AUTH_SECRET'),
    storage: (shared.otherStorage ??= memoryStorage()),
  })

/** A service of the App Router on the edge runtime, whose memory does not outlive a request. */
export const edge = createNextAuth(() => {
  const { storage: _, use = [], ...config } = createConfig('/api/edge-auth')
  return { ...config, use: use.filter(({ id }) => id !== 'secondFactor' && id !== 'account') }
})

/** A service of the Pages Router that reads bodies itself. */
export const raw = createNextAuth(() => createConfig('/api/pages-auth'))

/** A service of the Pages Router behind the body parser of Next. */
export const parsed = createNextAuth(() => createConfig('/api/parsed-auth'))
