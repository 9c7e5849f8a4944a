import type { AuthorizationServerOptions } from '@latchkey/authorization-server'

/** What the tokens of every authorization server are for. */
export const resource = 'https://api.example/notes'
export const resources: AuthorizationServerOptions['resources'] = {
  [resource]: { scopes: { notes: { en: 'Read your notes' } } },
}
