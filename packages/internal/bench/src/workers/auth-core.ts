import { Auth } from '@auth/core'
import GitHub from '@auth/core/providers/github'
import Google from '@auth/core/providers/google'
import type { Env } from './env.ts'

const worker = {
  fetch(request: Request, env: Env): Promise<Response> {
    return Auth(request, {
      basePath: '/api/auth',
      trustHost: true,
      secret: env.AUTH_SECRET,
      providers: [
        GitHub({ clientId: env.AUTH_GITHUB_ID, clientSecret: env.AUTH_GITHUB_SECRET }),
        Google({ clientId: env.AUTH_GOOGLE_ID, clientSecret: env.AUTH_GOOGLE_SECRET }),
      ],
    })
  },
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { worker as default }
