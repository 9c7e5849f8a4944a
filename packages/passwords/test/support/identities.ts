import type { Account, Provider, Storage } from '@latchkey/core'
import type { Browser } from '@latchkey/testing'
import { alice, fastHasher, good } from './service.ts'

/** Who signs in at a provider. */
interface ProvidedIdentity {
  readonly id?: string
  /** Default: whom the hint names */
  readonly subject?: string
  /** Default: that of the subject at example.com */
  readonly email?: string
  /** Whether the provider proves the email address. Default: true */
  readonly isProven?: boolean
}

/** Creates a provider that redirects back immediately. */
export function provideIdentity({
  id = 'oauth',
  subject,
  email,
  isProven = true,
}: ProvidedIdentity = {}): Provider {
  return {
    id,
    name: id,
    type: 'oauth',
    begin: async ({ state, redirectUri, params }) => {
      const redirect = new URL(redirectUri)
      redirect.searchParams.set('code', subject ?? params.get('login_hint') ?? '')
      if (state !== undefined) redirect.searchParams.set('state', state)
      return { redirect, flow: {} }
    },
    finish: async ({ params, runtime }) => {
      const code = params.get('code') ?? ''
      return {
        subject: code,
        profile: { email: email ?? `${code}@example.com`, emailVerified: isProven },
        emailProven: isProven,
        tokens: {},
        claims: {},
        authentication: { authenticatedAt: Math.floor(runtime.now() / 1000), methods: [] },
      }
    },
  }
}

/** Signs a browser in at a provider, or links its account. */
export async function visitProvider(
  browser: Browser,
  path = '/signin/oauth',
  form: Readonly<Record<string, string>> = {},
): Promise<void> {
  const isElsewhere = ({ pathname }: URL): boolean => !pathname.includes('/callback/')
  await browser.follow(await browser.submit(path, form), isElsewhere)
}

/** A user of an import. */
interface StoredUser {
  readonly id?: string
  readonly email?: string
  readonly emailVerified?: boolean
  /** Default: the hash of {@link good} */
  readonly hash?: string
  readonly account?: Account
}

/** Stores a user with a password, which is unproven unless the email address is verified. */
export async function storeUser(
  storage: Storage,
  { id = 'u', email = alice, emailVerified = false, hash, account }: StoredUser = {},
): Promise<void> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(email))
  const unproven = `unproven ${Buffer.from(digest).toString('base64url')}`
  const data = JSON.stringify({ hash: hash ?? (await fastHasher().hash(good)) })
  const times = { changedAt: 1, createdAt: 1, lastUsedAt: null }
  await storage.createUser(
    { id, name: null, email, emailVerified, image: null },
    account,
    undefined,
    undefined,
    { type: 'password', id: emailVerified ? id : unproven, name: null, data, ...times },
  )
}
