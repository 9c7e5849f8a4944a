import type { Exhibit } from '../exhibit.ts'
import type { Capabilities } from '../subject.ts'
import type { BetterAuthModules } from './better-auth-modules.ts'
import { client, endpoints } from './identity-provider.ts'
import type { Mails } from './mails.ts'

export const origin = 'https://app.example'
export const basePath = '/api/auth'

/** Creates the options of better-auth with everything that attacks use. */
export function createOptions(
  { setup, needs }: Pick<Exhibit, 'setup' | 'needs'>,
  plugins: BetterAuthModules['plugins'],
  mails: Mails,
): object {
  const { limits = false, urlOfRequest, trustedOrigins = [], cachedSessions = false } = setup
  return {
    ...(urlOfRequest === undefined && { baseURL: origin, basePath }),
    appName: 'museum',
    secret: 'thirty-two bytes of a secret for attacks only',
    emailAndPassword: { enabled: true, password: cheapHashes },
    trustedOrigins: [...trustedOrigins],
    rateLimit: { enabled: limits },
    session: { cookieCache: { enabled: cachedSessions } },
    ...(setup.secondaryStorage && { secondaryStorage: createSecondaryStorage() }),
    plugins: needs.flatMap((name) => createPlugin(name, plugins, mails) ?? []),
    telemetry: { enabled: false },
    logger: { disabled: true },
    // In production, later versions show their error page only if it is configured.
    onAPIError: { onError: () => undefined, customizeDefaultErrorPage: {} },
  }
}

/** Hashes that cost nothing: no attack is about them. */
const cheapHashes = {
  hash: async (password: string) => `hash of ${password}`,
  verify: async ({ hash, password }: { readonly hash: string; readonly password: string }) =>
    hash === `hash of ${password}`,
}

/** Creates a key-value store whose steps are atomic, as Redis has them. */
function createSecondaryStorage(): object {
  const values = new Map<string, string>()
  return {
    get: async (key: string) => values.get(key) ?? null,
    set: async (key: string, value: string) => void values.set(key, value),
    delete: async (key: string) => void values.delete(key),
    async getAndDelete(key: string) {
      const value = values.get(key) ?? null
      values.delete(key)
      return value
    },
    async increment(key: string) {
      const count = Number(values.get(key) ?? 0) + 1
      values.set(key, String(count))
      return count
    },
  }
}

/** Creates the plugin of a capability; undefined without such a plugin. */
function createPlugin(
  name: keyof Capabilities,
  plugins: BetterAuthModules['plugins'],
  mails: Mails,
): object | undefined {
  const { admin, emailOTP, genericOAuth, magicLink, twoFactor, apiKey, passkey } = plugins
  const creators: Partial<Record<keyof Capabilities, () => object | undefined>> = {
    oauth: () => genericOAuth({ config: [createProvider('forge'), createProvider('guild')] }),
    email: () =>
      magicLink({ sendMagicLink: async (mail: Link) => mails.receive(mail.email, mail.url) }),
    code: () =>
      emailOTP({ sendVerificationOTP: async (mail: Code) => mails.receive(mail.email, mail.otp) }),
    secondFactor: () => twoFactor(),
    deletion: () => admin(),
    keys: () => apiKey?.({ rateLimit: { enabled: false } }),
    passkeys: () => passkey?.({ rpID: 'app.example', rpName: 'museum', origin }),
  }
  return creators[name]?.()
}

interface Link {
  readonly email: string
  readonly url: string
}

interface Code {
  readonly email: string
  readonly otp: string
}

function createProvider(id: 'forge' | 'guild'): object {
  const { authorization, token, user } = endpoints[id]
  return {
    providerId: id,
    authorizationUrl: authorization,
    tokenUrl: token,
    userInfoUrl: user,
    scopes: ['user'],
    ...client,
    pkce: true,
    mapProfileToUser: (profile: Readonly<Record<string, unknown>>) => ({
      emailVerified: profile['email_verified'],
    }),
  }
}
