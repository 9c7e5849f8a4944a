import { createAuth } from '@latchkey/core'
import type { AuthConfig, Provider } from '@latchkey/core'
import { Browser } from '@latchkey/testing/browser'
import { expect, test } from 'vitest'
import { alternate } from './support/alternate.ts'
import { onSelectedBackends } from './support/on-every-backend.ts'

const origin = 'https://app.example'

/** Creates a provider whose subjects are ids of the application: `code=<subject>` signs in. */
function createProvider(id: string): Provider {
  return {
    id,
    name: id,
    type: 'oauth',
    userId: ({ subject }) => subject,
    begin: async ({ state = '', redirectUri }) => ({
      redirect: new URL(`${redirectUri}?state=${state}`),
      flow: {},
    }),
    finish: async ({ params }) => ({
      subject: params.get('code') ?? '',
      profile: {},
      tokens: {},
      claims: {},
    }),
  }
}

onSelectedBackends('a user whom userId names (I-46)', (ready) => {
  test.each<[string, AuthConfig['session']]>([
    ['stored sessions', {}],
    ['sessions in cookies', { strategy: 'cookie', acceptsDeletedUsers: true }],
  ])('is joined by one of two identities in 50 concurrent sign-ins: %s', async (_, session) => {
    const storage = alternate(ready().storages)
    const providers = ['passport', 'licence'].map(createProvider)
    const { handle } = createAuth({
      serviceUrl: origin,
      secret: 'a secret of thirty-two bytes or more',
      limits: { startsPerClient: false, callbacksPerClient: false },
      logger: { error: () => undefined, warn: () => undefined },
      providers,
      storage,
      ...(session && { session }),
    })
    for (let round = 0; round < 3; round++) {
      const id = crypto.randomUUID()
      const name = null
      await storage.createUser({ id, name, email: null, emailVerified: false, image: null })
      const begin = async (provider: string): Promise<() => Promise<string | undefined>> => {
        const browser = new Browser(handle, `${origin}/api/auth`)
        const response = await browser.submit(`/signin/${provider}`)
        const url = `${response.headers.get('location') ?? ''}&code=${id}`
        return async () => {
          await browser.visit(url)
          const { user } = (await browser.json('/session')) as { user?: { id: string } }
          expect([id, undefined]).toContain(user?.id)
          return user && provider
        }
      }
      const attempts = Array.from({ length: 50 }, (__, i) => begin(providers[i % 2]?.id ?? ''))
      const begun = await Promise.all(attempts)
      const signedIn = await Promise.all(begun.map((complete) => complete()))
      const [account, ...others] = await storage.listAccounts(id)
      expect(others).toEqual([])
      expect(new Set(signedIn)).toEqual(new Set([account?.provider, undefined]))
      expect(signedIn.filter(Boolean)).toHaveLength(25)
    }
  })
})
