import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { getCapabilities } from '@latchkey/core/unstable'
import { memoryStorage } from '@latchkey/core/memory'
import type { AuthConfig, SessionToken, Provider, StorageGroup, Storage } from '@latchkey/core'
import type { Capability } from '@latchkey/core/capability'
import { credentials } from '@latchkey/core/providers/credentials'
import { secondFactor } from '@latchkey/second-factor'
import { apiTokens } from '@latchkey/tokens'
import { contractCodes } from './contract-codes.ts'

/** The session of the contract's service: the default session, and the data of the last update. */
export interface ContractSession {
  readonly user: { readonly id: string; readonly name: string | null }
  readonly expires: string
  /** The `data` of the last `POST /session`, else null. */
  readonly note: unknown
}

/** The session token of the contract's service. */
export interface ContractToken extends SessionToken {
  readonly note?: unknown
}

/**
 * Returns the configuration of a service that the service contract runs against. Its provider
 * `passport` immediately redirects to the callback and signs in the user of `login_hint`, so that a sign-in
 * needs no second server; `credentials` signs in any name with the password `open sesame`. It has second factors and account pages
 * if the storage and the sessions of `over` allow them: `getServiceCases` leaves out what the service cannot do. Without a storage in
 * `over`, the first session of the user `due` is due for its renewal, so that a host can show that a page sets its cookie.
 *
 * @param over Options that the host needs or replaces, such as `serviceUrl`
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { contractConfig } from '@latchkey/testing/contract-config'
 *
 *   const { handle } = createAuth(contractConfig({ serviceUrl: 'https://app.example' }))
 */
export function contractConfig(
  over: Partial<AuthConfig<ContractSession, ContractToken>> = {},
): AuthConfig<ContractSession, ContractToken> {
  const { storage = dueStorage() } = over
  return {
    secret: 'the secret of the service contract',
    providers: [passport, members],
    storage,
    callbacks: {
      jwt: ({ token }): ContractToken => token,
      session: ({ session, token }) => ({ ...session, note: token.note ?? null }),
    },
    session: { update: ({ token, data }) => ({ ...token, note: data }) },
    use: [...(canHaveFactors(storage, over.session) ? accounts : []), tokens],
    trustedOrigins: (over.serviceUrl === undefined ? loopback : [over.serviceUrl]).map(
      getTrustedOrigin,
    ),
    // Half of the cases expect a refusal, which would fill the console.
    logger: { error: () => undefined, warn: () => undefined },
    ...over,
  }
}

/** A storage in memory in which the first session of the user `due` was renewed two days ago. */
function dueStorage(): Storage {
  const storage = memoryStorage()
  return {
    ...storage,
    async createUser(user, account, session, ...rest) {
      if (!session || account?.providerAccountId !== 'due') {
        return storage.createUser(user, account, session, ...rest)
      }
      const renewedAt = session.renewedAt - 2 * 86_400
      return storage.createUser(user, account, { ...session, renewedAt }, ...rest)
    },
  }
}

/** The cases link accounts without a confirmation. */
const accounts: readonly Capability[] = [
  confirmation({ maxAge: 0 }),
  secondFactor({ methods: [contractCodes] }),
  accountPages(),
]

function canHaveFactors(
  storage: Storage,
  session: AuthConfig<ContractSession, ContractToken>['session'],
): boolean {
  if (session?.strategy === 'cookie' && session.revocable !== true) return false
  const capabilities = getCapabilities(storage)
  return needed.every((capability) => capabilities.includes(capability))
}

/** What `confirmation()`, `secondFactor()` and `accountPages()` need of a storage. */
const needed: readonly StorageGroup[] = [
  'accountLists',
  'factors',
  'increment',
  'revocations',
  'sessions',
  'sessionData',
  'sessionLists',
]

/**
 * Returns the origin that the contract's service trusts: another port of its host.
 *
 * @param base The URL of the service
 *
 * @example
 *   import { getTrustedOrigin } from '@latchkey/testing/contract-config'
 *
 *   console.log(getTrustedOrigin('https://app.example/api/auth')) // https://app.example:4444
 */
export function getTrustedOrigin(base: string | URL): string {
  const url = new URL(base)
  url.port = '4444'
  return url.origin
}

/** Published, like everything here: a service that trusts them trusts everyone. */
// prettier-ignore
const tokenKeys = [
  { kty: 'OKP', crv: 'Ed25519', x: 'ryPKs1v5Y8aTO9dEssb4pdX9BBnZerE3EiDFItK3Xrs', d: 'CkmuzrBt-w5UHHIphA8c05L3O4eszptS7-Hi-sZ_898', kid: 'c4NrLovq5Tl9ZORQ8cuRvZfXn4-aE7JyYGPDVmH9SoI', alg: 'EdDSA', use: 'sig' },
  { kty: 'EC', crv: 'P-256', x: 'ty1lY7B2OLvm1r7Uq4ANVd6yBHD4DCSpqZ8cNU_Nn8c', y: 'IYvSudXlONNJd3OqwhoXkxUo-7lYoWRYoKPMH5FOFu4', d: 'hI9nNqgAyIk1jE6bZ0Eh2W1lEgYamWCvc5iJQ5tXINo', kid: 'pCX1H2kQ8GWKSog51m0L0xtcm4yTYO6BKd09k6mLQ1o', alg: 'ES256', use: 'sig' },
]

const tokens: Capability = apiTokens({
  audience: 'https://api.example',
  keys: tokenKeys,
  claims: ({ token }) => ({ name: token.name ?? null }),
})

/** Without `serviceUrl` the service answers for each of these hosts. */
const loopback: readonly string[] = ['http://localhost', 'http://127.0.0.1', 'http://[::1]']

const passport: Provider = {
  id: 'passport',
  name: 'Passport',
  type: 'oauth',
  async begin({ state, redirectUri, params }) {
    const redirect = new URL(redirectUri)
    redirect.searchParams.set('code', params.get('login_hint') ?? 'alice')
    if (state !== undefined) redirect.searchParams.set('state', state)
    return { redirect, flow: {} }
  },
  async finish({ params }) {
    const subject = params.get('code') ?? ''
    return {
      subject,
      profile: { name: `Person ${subject}`, email: `${subject}@example.com` },
      tokens: {},
      claims: { sub: subject },
    }
  },
}

const members = credentials({
  fields: {
    username: { label: 'User name' },
    password: { label: 'Password', type: 'password' },
  },
  authorize({ username, password }, { headers }) {
    // A host must pass the headers of the client on.
    const isRight = password === 'open sesame' && headers.has('cookie')
    return isRight ? { id: `id-of-${username}`, name: `Person ${username}` } : null
  },
})
