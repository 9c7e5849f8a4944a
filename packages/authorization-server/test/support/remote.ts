import { programs } from '@latchkey/authorization-server'
import type { Storage } from '@latchkey/core'
import type { Handler } from '@latchkey/testing/browser'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { createService } from './create-service.ts'

/** The header with the time of a request, in seconds since 1970: what another process or runtime serves has the clock of the test. */
export const NOW = 'x-now'

/** Creates a service whose clock is the header of its requests. */
export async function createRemote(storage: Storage): Promise<Handler> {
  let now = 0
  const auth = createService({
    storage,
    keys: [await generateTokenKey()],
    server: { limits: { reusesPerGrant: false, requestsPerClient: false } },
    config: { logger: { error: console.error, warn: () => undefined } },
    now: () => now * 1000,
  })
  return async (request) => {
    now = Number(request.headers.get(NOW))
    return programs(auth, request) ?? auth.handle(request)
  }
}
