import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { github } from '@latchkey/core/providers/github'
import { google } from '@latchkey/core/providers/google'
import type { Env, Host } from './env.ts'

let auth: Auth | undefined

const worker = {
  fetch(request: Request, env: Env, host: Host): Promise<Response> {
    auth ??= createAuth({
      serviceUrl: env.SERVICE_URL,
      secret: env.AUTH_SECRET,
      providers: [
        github({ clientId: env.AUTH_GITHUB_ID, clientSecret: env.AUTH_GITHUB_SECRET }),
        google({ clientId: env.AUTH_GOOGLE_ID, clientSecret: env.AUTH_GOOGLE_SECRET }),
      ],
    })
    return auth.handle(request, { waitUntil: (promise) => host.waitUntil(promise) })
  },
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { worker as default }
