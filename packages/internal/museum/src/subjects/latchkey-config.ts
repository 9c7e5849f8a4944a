import type { AuthConfig, Mailer, Provider, Storage } from '@latchkey/core'
import { accountPages } from '@latchkey/core/account'
import { apiTokens } from '@latchkey/core/api-tokens'
import { confirmation } from '@latchkey/core/confirmation'
import { cookieAccessTokens } from '@latchkey/core/cookie-access-tokens'
import { credentials } from '@latchkey/core/providers/credentials'
import { email } from '@latchkey/core/providers/email'
import { oauth } from '@latchkey/core/providers/oauth'
import { secondFactor } from '@latchkey/core/second-factor'
import { generateTokenKey } from '@latchkey/core/token-key'
import { passkeys } from '@latchkey/passkeys'
import { recoveryCodes, totp } from '@latchkey/totp'
import type { Setup, Strategy } from '../subject.ts'
import { client, createProviderFetch, endpoints } from './identity-provider.ts'
import type { People } from './identity-provider.ts'
import type { Mails } from './mails.ts'

export const origin = 'https://app.example'

/** What the world around a Latchkey service holds. */
export interface World {
  readonly people: People
  readonly mails: Mails
  /** The passwords of the application's own table, by email address. */
  readonly passwords: Map<string, string>
}

/** Where the URL of the service is from. */
const urls = {
  configured: { serviceUrl: origin },
  listed: { trustHost: ['app.example'] },
  any: { trustHost: true },
} as const satisfies Record<string, Partial<AuthConfig>>

/** Sessions of each strategy. */
const sessions: Readonly<Record<Strategy, NonNullable<AuthConfig['session']>>> = {
  cookie: { strategy: 'cookie', accessTokens: cookieAccessTokens() },
  'cookie and users': { strategy: 'cookie' },
  revocable: { strategy: 'cookie', revocable: true },
  storage: { strategy: 'storage' },
}

/** What requires sessions that can be ended. */
const factors = {
  confirmation: confirmation(),
  secondFactor: secondFactor({ methods: [totp(), recoveryCodes()] }),
  account: accountPages(),
} as const satisfies Partial<AuthConfig>

/** Limits that one browser would reach in an attack on something else. */
const unlimited = {
  mailsPerAddress: false,
  mailsPerClient: false,
  startsPerClient: false,
  callbacksPerClient: false,
  credentialsPerClient: false,
  credentialsPerName: false,
} as const satisfies AuthConfig['limits']

/**
 * Creates a configuration with everything that attacks use.
 *
 * @param storage Absent if users are not stored: then there is no email, second factor or passkey
 */
export async function createConfig(
  setup: Setup,
  world: World,
  storage: Storage | undefined,
): Promise<AuthConfig> {
  const { strategy = 'storage', limits = false, urlOfRequest, trustedOrigins } = setup
  return {
    ...urls[urlOfRequest ?? 'configured'],
    secret: 'thirty-two bytes of a secret for attacks only',
    session: sessions[strategy],
    ...(!limits && { limits: unlimited }),
    ...(trustedOrigins && { trustedOrigins }),
    tokens: apiTokens({ audience: 'https://api.example', keys: [await generateTokenKey()] }),
    ...(storage && { storage }),
    ...(endsSessions(strategy) && factors),
    providers: [
      ...createProviders(world),
      ...(storage ? [createEmail(world)] : []),
      ...(endsSessions(strategy) ? [passkeys()] : []),
    ],
    runtime: { fetch: createProviderFetch(world.people) },
    logger: { error: ignore, warn: ignore },
  }
}

function createProviders({ passwords }: World): readonly Provider[] {
  const own = credentials({
    fields: { email: { label: 'Email' }, password: { label: 'Password', type: 'password' } },
    authorize: async ({ email: address, password }) =>
      password !== '' && passwords.get(address) === password
        ? { id: `own-${address}`, email: address }
        : null,
  })
  return [own, createProvider('forge'), createProvider('guild')]
}

function createProvider(id: 'forge' | 'guild'): Provider {
  const { authorization, token, user } = endpoints[id]
  return oauth({
    id,
    name: id,
    authorizationEndpoint: authorization,
    tokenEndpoint: token,
    userinfo: user,
    scope: 'user',
    ...client,
    profile: (person) => ({
      name: person['name'],
      email: person['email'],
      emailVerified: person['email_verified'],
    }),
    trustEmailVerified: true,
  })
}

function createEmail({ mails }: World): Provider {
  const mailer: Mailer = { send: async ({ to, text }) => mails.receive(to.address, text) }
  return email({ mailer, from: 'museum@app.example', code: true })
}

/** Whether sessions of a strategy can be ended in the storage, which second factors and passkeys require. */
export function endsSessions(strategy: Strategy): boolean {
  return strategy === 'revocable' || strategy === 'storage'
}

function ignore(): void {}
