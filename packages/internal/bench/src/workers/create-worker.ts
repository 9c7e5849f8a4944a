import { createAuth } from '@latchkey/core'
import type { Auth, Capability } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { github } from '@latchkey/core/providers/github'
import { google } from '@latchkey/core/providers/google'
import { apiTokens } from '@latchkey/tokens'
import type { Env, Host } from './env.ts'

/** A Worker: what workerd takes as the default export. */
export interface Worker {
  readonly fetch: (request: Request, env: Env, host: Host) => Promise<Response>
}

/** Creates a Worker with GitHub, Google and tokens for APIs. */
export function createWorker(...others: readonly Capability[]): Worker {
  let auth: Auth | undefined
  return {
    fetch(request, env, host) {
      auth ??= createAuth({
        serviceUrl: env.SERVICE_URL,
        secret: env.AUTH_SECRET,
        storage: memoryStorage(),
        providers: [
          github({ clientId: env.AUTH_GITHUB_ID, clientSecret: env.AUTH_GITHUB_SECRET }),
          google({ clientId: env.AUTH_GOOGLE_ID, clientSecret: env.AUTH_GOOGLE_SECRET }),
        ],
        use: [
          apiTokens({ audience: 'https://api.example', keys: [JSON.parse(env.TOKEN_KEY)] }),
          ...others,
        ],
      })
      const options = { waitUntil: (promise: Promise<unknown>) => host.waitUntil(promise) }
      return auth.programs?.(request, options) ?? auth.handle(request, options)
    },
  }
}
