import { betterAuth } from 'better-auth'
import type { Env } from './env.ts'

let handler: ((request: Request) => Promise<Response>) | undefined

const worker = {
  fetch(request: Request, env: Env): Promise<Response> {
    handler ??= betterAuth({
      baseURL: env.SERVICE_URL,
      basePath: '/api/auth',
      secret: env.AUTH_SECRET,
      socialProviders: {
        github: { clientId: env.AUTH_GITHUB_ID, clientSecret: env.AUTH_GITHUB_SECRET },
        google: { clientId: env.AUTH_GOOGLE_ID, clientSecret: env.AUTH_GOOGLE_SECRET },
      },
      telemetry: { enabled: false },
    }).handler
    return handler(request)
  },
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { worker as default }
