import { createAuth } from '../../packages/core/src/index.ts'
import type { AuthConfig } from '../../packages/core/src/index.ts'
import { memoryStorage } from '../../packages/core/src/storage/memory.ts'
import { github } from '../../packages/core/src/providers/github.ts'
import { createMailbox } from '../../packages/testing/src/index.ts'

const config: AuthConfig = {
  secret: process.env['AUTH_SECRET'] ?? '',
  providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
  storage: memoryStorage(),
}

const mark = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'

/** The methods of an adapter of Auth.js. */
const adapterMethods =
  'createUser getUser getUserByEmail getUserByAccount updateUser linkAccount createSession ' +
  'getSessionAndUser updateSession deleteSession createVerificationToken useVerificationToken'

/** Answers every call of a client: the examples only create storages with them. */
const unused: object = new Proxy(
  { isOpen: true, options: {} },
  { get: (target, name) => Reflect.get(target, name) ?? (async () => []) },
)

/** What documents declare, by its name: the objects that an application has there. */
export const declared: Readonly<Record<string, unknown>> = {
  auth: createAuth(config),
  config,
  storage: { ...memoryStorage(), sweep: async () => 0 },
  sql: memoryStorage(),
  redis: memoryStorage(),
  mailer: createMailbox(),
  secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  members: {},
  logo: mark,
  intranetMark: mark,
  pool: unused,
  primary: unused,
  replica: unused,
  client: unused,
  latchkey: unused,
  adapter: Object.fromEntries(adapterMethods.split(' ').map((name) => [name, async () => null])),
  insertUser: async () => undefined,
  env: { DB: unused },
  Spotify: (options: object) => ({
    id: 'spotify',
    name: 'Spotify',
    type: 'oauth',
    authorization: 'https://accounts.spotify.com/authorize',
    token: 'https://accounts.spotify.com/api/token',
    userinfo: 'https://api.spotify.com/v1/me',
    profile: ({ id }: { readonly id: string }) => ({ id }),
    options,
  }),
}
