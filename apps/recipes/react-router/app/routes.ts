import { index, route } from '@react-router/dev/routes'
import type { RouteConfig } from '@react-router/dev/routes'

export default [
  index('routes/home.tsx'),
  route('forms', 'routes/forms.tsx'),
  route('api/auth/*', 'routes/api.auth.$.ts'),
  // What an authorization server answers.
  route('oauth/*', 'routes/api.auth.$.ts', { id: 'oauth' }),
  route('.well-known/oauth-authorization-server/*', 'routes/api.auth.$.ts', { id: 'metadata' }),
  route('.well-known/openid-configuration/*', 'routes/api.auth.$.ts', { id: 'openid' }),
] satisfies RouteConfig
