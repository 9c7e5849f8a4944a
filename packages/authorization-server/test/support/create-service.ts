/** The service of the tests, which every runtime can create. */
import { authorizationServer } from '@latchkey/authorization-server'
import type { AuthorizationServerOptions, ClientOptions } from '@latchkey/authorization-server'
import { createAuth } from '@latchkey/core'
import type { AuthConfig, Capability, Storage } from '@latchkey/core'
import { apiTokens } from '@latchkey/tokens'
import type { TokenKey } from '@latchkey/tokens'
import { passport } from '../../../core/test/support/passport.ts'

export const origin = 'https://app.example'
export const issuer: string = `${origin}/api/auth`
export const notes = 'https://api.example/notes'
export const mail = 'https://api.example/mail'
export const redirectUri = 'https://client.example/cb?keep=a+b'
const secret = 'a secret of thirty-two bytes or more'

/** A public client, as most are. */
export const publicClient: ClientOptions = {
  id: 'notes-app',
  name: 'Notes <app>',
  redirectUris: [redirectUri],
}
/** A public client on the user's device. */
export const localClient: ClientOptions = {
  id: 'local',
  name: 'A command line',
  redirectUris: ['http://127.0.0.1/cb', 'http://[::1]/cb', 'com.example.app:/cb'],
}

/** The service that {@link createService} creates. */
export interface ServiceOptions {
  readonly server?: Partial<AuthorizationServerOptions> | undefined
  readonly config?: Partial<AuthConfig> | undefined
  readonly storage: Storage
  readonly keys: readonly TokenKey[]
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Capabilities besides. */
  readonly others?: readonly Capability[] | undefined
}

/** Creates a service whose users sign in by the passport. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- inferred from the capabilities
export function createService({ server, config, storage, keys, now, others = [] }: ServiceOptions) {
  return createAuth({
    serviceUrl: origin,
    secret,
    storage,
    session: { strategy: 'storage' },
    providers: [
      passport({
        identify: () => ({
          authentication: {
            authenticatedAt: Math.floor(now() / 1000),
            methods: ['pwd'],
          },
        }),
      }),
    ],
    ...config,
    runtime: { ...config?.runtime, now },
    use: [
      ...others,
      apiTokens({ keys: keys, audience: 'https://api.example' }),
      authorizationServer({
        resources: {
          [notes]: {
            scopes: {
              'notes:read': { en: 'Read your notes', de: 'Ihre Notizen lesen' },
              'notes:write': { en: 'Change your notes' },
            },
            required: ['notes:read'],
          },
          [mail]: { scopes: { 'mail:read': { en: 'Read your mail' } } },
        },
        clients: [publicClient, localClient],
        ...server,
      }),
    ],
  })
}
