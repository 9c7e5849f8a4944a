import { betterAuth } from 'better-auth'
import type { BetterAuthOptions } from 'better-auth'
import type { Worker } from './create-worker.ts'

/** Creates a Worker of better-auth with GitHub and Google. */
export function createBetterAuth(plugins: BetterAuthOptions['plugins'] = []): Worker {
  let handler: ((request: Request) => Promise<Response>) | undefined
  return {
    fetch(request, env) {
      handler ??= betterAuth({
        baseURL: env.SERVICE_URL,
        basePath: '/api/auth',
        secret: env.AUTH_SECRET,
        socialProviders: {
          github: { clientId: env.AUTH_GITHUB_ID, clientSecret: env.AUTH_GITHUB_SECRET },
          google: { clientId: env.AUTH_GOOGLE_ID, clientSecret: env.AUTH_GOOGLE_SECRET },
        },
        telemetry: { enabled: false },
        plugins,
      }).handler
      return handler(request)
    },
  }
}
