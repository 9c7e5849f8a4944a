import { memoryStorage } from '../storage/memory.ts'
import type { AuthConfig, SessionToken } from '../config.ts'
import type { Provider } from '../ports/provider.ts'

/** What the session of the contract's service shows: the default, and what a client has updated. */
export interface ContractSession {
  readonly user: { readonly id: string; readonly name: string | null }
  readonly expires: string
  readonly note: unknown
}

/** What it keeps. */
export interface ContractToken extends SessionToken {
  readonly note?: unknown
}

/**
 * The configuration of the service that the service contract is run against, in whatever host. Its
 * one provider asks nobody: it sends people straight back, as whom the `login_hint` names, so that a
 * whole sign-in needs no second server.
 *
 * @param over What the host needs besides, such as `serviceUrl`
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { contractConfig } from '@latchkey/core/testing/contract-config'
 *
 *   const { handle } = createAuth(contractConfig({ serviceUrl: 'https://app.example' }))
 */
export function contractConfig(
  over: Partial<AuthConfig<ContractSession, ContractToken>> = {},
): AuthConfig<ContractSession, ContractToken> {
  return {
    secret: 'the secret of the service contract',
    providers: [passport],
    storage: memoryStorage(),
    callbacks: {
      jwt: ({ token }): ContractToken => token,
      session: ({ session, token }) => ({ ...session, note: token.note ?? null }),
    },
    session: { update: ({ token, data }) => ({ ...token, note: data }) },
    // Refusals are what half of the contract is about.
    logger: { error: () => undefined, warn: () => undefined },
    ...over,
  }
}

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
