import { mcp } from '@better-auth/mcp'
import { resource } from './resources.ts'

/** Creates better-auth's authorization server. A refresh token is not answered again. */
export function createMcp(): ReturnType<typeof mcp> {
  return mcp({
    loginPage: '/login',
    consentPage: '/consent',
    resource,
    scopes: ['notes', 'offline_access'],
    refreshTokenReuseInterval: 0,
  })
}
