import { createHash } from 'node:crypto'
import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Mail, Provider, Runtime } from '@latchkey/core'
import { accountPages } from '@latchkey/core/account'
import { apiTokens } from '@latchkey/core/api-tokens'
import { confirmation } from '@latchkey/core/confirmation'
import { cookieAccessTokens } from '@latchkey/core/cookie-access-tokens'
import { authJs } from '@latchkey/core/import/auth-js'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { de } from '@latchkey/core/languages/de'
import { memoryStorage } from '@latchkey/core/memory'
import { outbox } from '@latchkey/core/outbox'
import { credentials } from '@latchkey/core/providers/credentials'
import { email } from '@latchkey/core/providers/email'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import { secondFactor } from '@latchkey/core/second-factor'
import { securityEmails } from '@latchkey/core/security-emails'
import { createIssuer } from '@latchkey/core/testing/issuer'
import type { Issuer } from '@latchkey/core/testing/issuer'
import { generateTokenKey } from '@latchkey/core/token-key'
import { passkeys } from '@latchkey/passkeys'
import { passwords } from '@latchkey/passwords'
import type { PasswordHasher } from '@latchkey/passwords'
import { recoveryCodes, totp } from '@latchkey/totp'
import { createRandomBytes } from './random.ts'

export const origin = 'https://app.example'
export const base: string = `${origin}/api/auth`

/** Where sessions are. */
export const kinds = ['stored', 'cookie', 'stateless'] as const

/** A service with every feature that its sessions allow. */
export interface FuzzedService {
  readonly auth: Auth
  readonly mails: Mail[]
  readonly log: { readonly level: string; readonly text: string }[]
  readonly issuer: Issuer
  /** Advances the clock. */
  readonly wait: (seconds: number) => void
  /** Returns seconds since 1970. */
  readonly now: () => number
}

const client = { clientId: 'client-id', clientSecret: 'hush-never-say-this' }
const from = 'Example <sign-in@app.example>'
const until = new Date('2099-01-01')
const issuerUrl = 'https://issuer.example'
/** Milliseconds since 1970. */
const START = 1_800_000_000_000
/** Waits up to this many milliseconds end immediately; time limits never do. */
const LONGEST_WAIT = 2000

/** A hasher that costs nothing: how passwords are hashed is not fuzzed here. */
const hasher: PasswordHasher = {
  hash: async (password) => `plain ${Buffer.from(password).toString('base64url')}`,
  verify: async (password, hash) => hash === `plain ${Buffer.from(password).toString('base64url')}`,
  decoy: 'plain ',
  needsRehash: () => false,
}

/** The password of every user who has one. */
export const password = 'correct horse battery staple'

/**
 * Creates a service in memory. Its random numbers and its clock are the same for each case.
 *
 * @param tokenKey Signs tokens for APIs; generated once, because that is slow
 */
export function serve(kind: (typeof kinds)[number], tokenKey: TokenKey): FuzzedService {
  let elapsed = 0
  const mails: Mail[] = []
  const log: FuzzedService['log'] = []
  const mailer = { send: async (mail: Mail) => void mails.push(mail) }
  const now = (): number => START + elapsed
  const issuer = createIssuer({
    ...client,
    algorithm: 'ES256',
    now,
    api: { [`${issuerUrl}/me`]: me },
  })
  const line = (level: string) => (message: string, details: object) =>
    void log.push({ level, text: `${message} ${JSON.stringify(details)}` })
  const runtime: Runtime = {
    now,
    monotonic: () => elapsed,
    schedule: (milliseconds, callback) => scheduleSoon(milliseconds, callback),
    random: createRandomBytes(7),
    fetch: issuer.fetch,
  }
  const providers = createProviders()
  const config: AuthConfig = {
    serviceUrl: origin,
    secret: 'a secret of thirty-two bytes or more',
    providers: kind === 'stateless' ? providers : [...providers, ...createStoredProviders(mailer)],
    trustedOrigins: ['https://www.app.example'],
    messages: { de },
    limits: noLimits,
    tokens: apiTokens({ audience: 'https://api.example', keys: [tokenKey] }),
    logger: { error: line('error'), warn: line('warn'), debug: line('debug') },
    runtime,
    ...(kind === 'stateless'
      ? { session: { ...session, accessTokens: cookieAccessTokens() } }
      : createStoredOptions(kind, mailer)),
  }
  const wait = (seconds: number): void => void (elapsed += seconds * 1000)
  return { auth: createAuth(config), mails, log, issuer, wait, now: () => now() / 1000 }
}

/** A key of {@link createTokenKey}. */
export type TokenKey = Awaited<ReturnType<typeof generateTokenKey>>

/** Creates the key that signs tokens for APIs. */
export function createTokenKey(): Promise<TokenKey> {
  return generateTokenKey()
}

const me = { id: 4711, name: 'Person <me>', email: 'me@issuer.example' }

const session: AuthConfig['session'] = {
  update: ({ token, data }) => ({ ...token, data }),
  importFrom: [
    nextAuthV4({ secret: 'the previous secret of next-auth', until }),
    authJs({ secret: 'the previous secret of Auth.js, long', until }),
  ],
}

/** Limits would end a case early. Their own tests count. */
const limitNames = [
  'mailsPerAddress',
  'mailsPerClient',
  'linkMailsPerAddress',
  'linkMailsPerUser',
  'startsPerClient',
  'callbacksPerClient',
  'credentialsPerClient',
  'credentialsPerName',
  'notLinkedPerAccount',
  'notLinkedPerClient',
  'passkeyOptionsPerClient',
  'tokensPerClient',
  'tokensPerSession',
] as const
const noLimits = Object.fromEntries(limitNames.map((name) => [name, { times: 1e6, window: 60 }]))

function createProviders(): Provider[] {
  return [
    passport,
    oidc({ id: 'op', name: 'Provider', issuer: issuerUrl, ...client }),
    oauth({
      id: 'forge',
      name: 'Forge',
      authorizationEndpoint: `${issuerUrl}/authorize`,
      tokenEndpoint: `${issuerUrl}/token`,
      userinfo: `${issuerUrl}/me`,
      profile: ({ name, email: address }) => ({ name, email: address }),
      ...client,
    }),
    credentials({
      fields: { username: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
      authorize: ({ username, password: given }) =>
        given === password ? { id: toId(username), name: username } : null,
    }),
  ]
}

function createStoredProviders(mailer: Mailer): Provider[] {
  return [
    email({ mailer, from, code: true }),
    passwords({ hasher, mailer, from }),
    passkeys({ userVerification: 'preferred' }),
  ]
}

type Mailer = Parameters<typeof securityEmails>[0]['mailer']

function createStoredOptions(kind: 'stored' | 'cookie', mailer: Mailer): Partial<AuthConfig> {
  return {
    storage: memoryStorage(),
    session: { ...session, ...(kind === 'cookie' && { strategy: 'cookie', revocable: true }) },
    confirmation: confirmation(),
    secondFactor: secondFactor({ methods: [totp(), recoveryCodes()] }),
    account: accountPages(),
    securityEmails: securityEmails({ mailer, from }),
    outbox: outbox({ deliver: async () => undefined }),
  }
}

/** Returns the id of a user name, which can have any character. */
function toId(username: string): string {
  return createHash('sha256').update(username).digest('base64url')
}

/** Signs in the subject that the callback names: what it says comes from the case. */
const passport: Provider = {
  id: 'passport',
  name: 'Passport',
  type: 'oauth',
  async begin({ state, redirectUri, params }) {
    const redirect = new URL('https://idp.example/authorize')
    redirect.searchParams.set('redirect_uri', redirectUri)
    if (state !== undefined) redirect.searchParams.set('state', state)
    const hint = params.get('login_hint')
    if (hint !== undefined) redirect.searchParams.set('login_hint', hint)
    return { redirect, flow: {} }
  },
  async finish({ params }) {
    const subject = params.get('code') ?? ''
    return {
      subject,
      profile: {
        name: params.get('name') ?? subject,
        email: `${subject}@example.com`,
        emailVerified: true,
        image: params.get('image') ?? null,
      },
      tokens: { access_token: 'access-token-of-the-person' },
      claims: { sub: subject },
      emailProven: true,
    }
  },
}

function scheduleSoon(milliseconds: number, callback: () => void): () => void {
  if (milliseconds > LONGEST_WAIT) return () => undefined
  const immediate = setImmediate(callback)
  return () => clearImmediate(immediate)
}
