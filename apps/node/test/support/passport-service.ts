import { createAuth } from '@latchkey/core'
import type { Provider } from '@latchkey/core'
import { openDatabase } from '../../src/database.ts'
import { run } from '../../src/run.ts'
import { listen, listenerOf, withClose } from '../../src/server.ts'

/** Whoever comes back with `code=<subject>` is that person: this is about what is stored of them. */
const passport: Provider = {
  id: 'passport',
  name: 'Passport',
  type: 'oauth',
  async begin({ state, redirectUri }) {
    const redirect = new URL(redirectUri)
    if (state !== undefined) redirect.searchParams.set('state', state)
    return { redirect, keep: {} }
  },
  async finish({ params }) {
    const subject = params.get('code') ?? ''
    return {
      subject,
      profile: { name: subject, email: `${subject}@example.com`, emailVerified: true },
      tokens: { access_token: 'access', refresh_token: 'refresh' },
      claims: { sub: subject },
    }
  },
}

await run(async () => {
  const { storage, close } = await openDatabase(process.env['AUTH_DATABASE'] ?? '')
  const { handle } = createAuth({
    secret: 'a-secret-of-thirty-two-bytes-or-more',
    providers: [passport],
    storage,
    limits: { callbacksPerClient: false },
  })
  const server = await listen(listenerOf(handle), { host: 'localhost', port: 0 })
  console.log(`listening on ${server.address}`)
  return [withClose(server, close)]
})
