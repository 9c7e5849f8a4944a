import GitHub from '@auth/core/providers/github'
import Google from '@auth/core/providers/google'
import { authHandler, initAuthConfig } from '@hono/auth-js'
import { Hono } from 'hono'
import type { Env } from './env.ts'

const app: Hono<{ Bindings: Env }> = new Hono<{ Bindings: Env }>()
app.use(
  '*',
  initAuthConfig(({ env }) => ({
    basePath: '/api/auth',
    secret: env.AUTH_SECRET,
    providers: [
      GitHub({ clientId: env.AUTH_GITHUB_ID, clientSecret: env.AUTH_GITHUB_SECRET }),
      Google({ clientId: env.AUTH_GOOGLE_ID, clientSecret: env.AUTH_GOOGLE_SECRET }),
    ],
  })),
)
app.use('/api/auth/*', authHandler())

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { app as default }
