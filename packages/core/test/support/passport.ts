import type { Identity, Provider } from '@latchkey/core'

export const idp = 'https://idp.example'

/**
 * Creates a provider without a protocol: a callback with `code=<subject>` signs in that subject. For
 * tests of the service that do not depend on OAuth. Its `emailVerified: true` is authoritative.
 */
export function passport(
  over: Partial<Provider> & { identify?: (subject: string) => Partial<Identity> } = {},
): Provider {
  const { identify, ...rest } = over
  return {
    id: 'passport',
    name: 'Passport',
    type: 'oauth',
    async begin({ state, redirectUri, params }) {
      const redirect = new URL(`${idp}/authorize`)
      redirect.searchParams.set('redirect_uri', redirectUri)
      if (state !== undefined) redirect.searchParams.set('state', state)
      const hint = params.get('login_hint')
      if (hint !== undefined) redirect.searchParams.set('login_hint', hint)
      return { redirect, flow: { began: 'here' } }
    },
    async finish({ params, flow }) {
      if (flow['began'] !== 'here') throw new Error('expected the flow of begin()')
      const subject = params.get('code') ?? ''
      const identity = {
        subject,
        profile: {
          name: `Person ${subject}`,
          email: `${subject}@Example.com`,
          emailVerified: true,
          image: null,
        },
        tokens: { access_token: 'access-token-of-the-person' },
        claims: { sub: subject },
        ...identify?.(subject),
      }
      return { emailProven: identity.profile['emailVerified'] === true, ...identity }
    },
    ...rest,
  }
}

/** Returns the callback URL with the authorization response for a subject. */
export function toCallbackUrl(request: URL, subject: string): string {
  const url = new URL(request.searchParams.get('redirect_uri') as string)
  url.searchParams.set('code', subject)
  const state = request.searchParams.get('state')
  if (state !== null) url.searchParams.set('state', state)
  return url.href
}
