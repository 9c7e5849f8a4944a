/** The service of a soak, with every feature that its sessions allow. */
import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Logger, Provider, Storage } from '@latchkey/core'
import { accountPages } from '@latchkey/core/account'
import { apiTokens } from '@latchkey/core/api-tokens'
import { createBackchannelLogout } from '@latchkey/core/backchannel-logout'
import { confirmation } from '@latchkey/core/confirmation'
import { cookieAccessTokens } from '@latchkey/core/cookie-access-tokens'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { de } from '@latchkey/core/languages/de'
import { metadataCache } from '@latchkey/core/metadata-cache'
import { outbox, webhook } from '@latchkey/core/outbox'
import { credentials } from '@latchkey/core/providers/credentials'
import { email } from '@latchkey/core/providers/email'
import { github } from '@latchkey/core/providers/github'
import { oidc } from '@latchkey/core/providers/oidc'
import { secondFactor } from '@latchkey/core/second-factor'
import { securityEmails } from '@latchkey/core/security-emails'
import { generateTokenKey } from '@latchkey/core/token-key'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import { breachedPasswords, passwords } from '@latchkey/passwords'
import { recoveryCodes, totp } from '@latchkey/totp'
import { cheapHasher } from '../../../bench/src/contenders/cheap-hasher.ts'
import type { SoakClock } from './clock.ts'
import type { Mailbox } from './mailbox.ts'
import { CLIENT_ID, ISSUER, WEBHOOK } from './network.ts'
import type { Network } from './network.ts'

export const ORIGIN = 'https://app.example'
export const TRUSTED = 'https://spa.app.example'
export const AUDIENCE = 'https://api.example'
/** The secret of the sessions of next-auth v4 that are imported. */
export const PREVIOUS_SECRET = 'the NEXTAUTH_SECRET of the application'
/** The password that every name has. */
export const RIGHT = 'the right password'

/** Seconds. */
const DAY = 86_400
const FROM = 'Example <sign-in@app.example>'

function listen(): void {}

/** Every event has a listener, which keeps nothing. */
const events: Required<NonNullable<AuthConfig['events']>> = {
  signIn: listen,
  signInFailed: listen,
  signOut: listen,
  createUser: listen,
  updateUser: listen,
  joinUser: listen,
  deleteUser: listen,
  linkAccount: listen,
  unlinkAccount: listen,
  enrolFactor: listen,
  removeFactor: listen,
  session: listen,
  updateSession: listen,
  providerLogout: listen,
  revokeSession: listen,
  securityChanged: listen,
}

/** Where the sessions of a service are kept. Without a storage only the cookie keeps them. */
export type SessionKind = 'stored' | 'revocable' | 'unstored'

/** What the services of a soak share. */
export interface SoakPorts {
  readonly clock: SoakClock
  readonly network: Network
  readonly mailbox: Mailbox
  readonly logger: Logger
  /** Seconds without use after which a session ends. */
  readonly maxAge: number
}

/** A service under test. */
export interface SoakService {
  readonly kind: SessionKind
  readonly auth: Auth
  /** The storage, if the service has one. */
  readonly storage: Storage | undefined
  /** Handles Logout Tokens, if sessions can be ended. */
  readonly endSessions: ((request: Request) => Promise<Response>) | undefined
}

/** Creates a service whose sessions are stored, in cookies that can be revoked, or only in cookies. */
export async function createSoakService(
  kind: SessionKind,
  ports: SoakPorts,
  storage?: Storage,
): Promise<SoakService> {
  const stored = kind === 'unstored' ? undefined : storage
  const auth = createAuth({
    ...(await createCommonConfig(ports)),
    ...(stored && createStoredConfig(kind, ports, stored)),
    ...(!stored && { session: { ...createSession(ports), accessTokens: cookieAccessTokens() } }),
  })
  const endSessions = stored && createBackchannelLogout(auth, 'op')
  return { kind, auth, storage: stored, endSessions }
}

async function createCommonConfig(ports: SoakPorts): Promise<AuthConfig> {
  const { clock, network, logger } = ports
  const documents = new Map<string, string>()
  return {
    serviceUrl: ORIGIN,
    secret: [
      'the first secret of the soak, of 32 bytes',
      'the second secret of the soak, 32 bytes',
    ],
    trustedOrigins: [TRUSTED],
    providers: createProviders(),
    confirmation: confirmation(),
    tokens: apiTokens({ audience: AUDIENCE, keys: [await generateTokenKey()] }),
    metadataCache: metadataCache({
      get: async (key) => documents.get(key),
      set: async (key, value) => void documents.set(key, value),
    }),
    messages: { de },
    callbacks: {
      jwt: ({ token, trigger }) => ({ ...token, trigger }),
      session: ({ session, token }) => ({ ...session, note: token['note'] ?? null }),
    },
    events,
    logger,
    runtime: { now: () => clock.now() * 1000, schedule: clock.schedule, fetch: network.fetch },
  }
}

/** Providers that need no storage. */
function createProviders(): Provider[] {
  return [
    oidc({
      id: 'op',
      name: 'Provider',
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: 'kept secret',
      scope: 'openid profile email offline_access',
      trustEmailVerified: true,
      logout: true,
    }),
    github({ clientId: 'Iv1.soak', clientSecret: 'kept secret', confirm: 'trust' }),
    credentials({
      fields: { name: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
      authorize: async ({ name, password }) => (password === RIGHT ? { id: name, name } : null),
    }),
  ]
}

function createSession({ maxAge }: SoakPorts): NonNullable<AuthConfig['session']> {
  return {
    maxAge,
    update: ({ token, data }) => ({ ...token, note: String(data).slice(0, 20) }),
    importFrom: [nextAuthV4({ secret: PREVIOUS_SECRET, until: new Date('9999-01-01') })],
  }
}

function createStoredConfig(
  kind: SessionKind,
  ports: SoakPorts,
  storage: Storage,
): Partial<AuthConfig> {
  const { mailbox: mailer, network } = ports
  const session = createSession(ports)
  const strategy = { strategy: 'cookie', revocable: true } as const
  const check = breachedPasswords({ fetch: network.fetch })
  return {
    storage,
    session: kind === 'stored' ? { ...session, strategy: 'storage' } : { ...session, ...strategy },
    providers: [
      ...createProviders(),
      email({ mailer, from: FROM, code: true }),
      passwords({ hasher: cheapHasher, mailer, from: FROM, check }),
      passkeys(),
    ],
    account: accountPages(),
    securityEmails: securityEmails({ mailer, from: FROM }),
    secondFactor: secondFactor({
      methods: [totp(), recoveryCodes(), passkeyFactor()],
      rememberFor: 7 * DAY,
    }),
    outbox: outbox({
      deliver: webhook({
        url: WEBHOOK,
        secret: 'whsec_c29hayB3ZWJob29rIHNlY3JldCBvZiB0aGUgdGVzdHM=',
      }),
    }),
  }
}
