import { expect, test } from 'vitest'
import { listVariants } from './support/redirect-variants.ts'
import type { Variant } from './support/redirect-variants.ts'
import { browseAs, createPkce, serve, toAuthorize } from './support/server.ts'

const registeredUris = [
  'https://client.example/cb?keep=a+b',
  'https://client.example/cb?one=1&two=2',
  'https://client.example:8443/oauth/callback',
  'https://client.example/a%2Fb/cb',
  'https://127.0.0.1/cb',
  'http://127.0.0.1/cb',
  'http://127.0.0.1:4711/cb?a=b',
  'http://[::1]/cb',
  'http://localhost:8000/cb',
  'com.example.app:/cb',
  'com.example.app://callback/cb',
]

test('of 3,000 variants of registered URIs each is another port of loopback, or is never redirected to (I-65.1)', async () => {
  const clients = registeredUris.map((uri) => ({ id: uri, name: 'App', redirectUris: [uri] }))
  const limits = { authorizationsPerClient: false } as const
  const server = serve({ server: { clients, limits, consent: () => 'granted' } })
  const browser = await browseAs(server)
  const { challenge } = createPkce()
  const ran = { allowed: new Set<string>(), refused: new Set<string>() }
  for (const registered of registeredUris) {
    const own = { uri: registered, name: 'none', isAllowed: true }
    for (const variant of [own, ...listVariants(registered)]) {
      const over = { client_id: registered, redirect_uri: variant.uri, prompt: 'none' }
      const reply = await browser.visit(toAuthorize(challenge, over))
      await checkReply(registered, variant, reply)
      ran[variant.isAllowed ? 'allowed' : 'refused'].add(variant.uri)
    }
  }
  expect(ran.allowed.size).toBeGreaterThanOrEqual(registeredUris.length + 20)
  expect(ran.refused.size).toBeGreaterThanOrEqual(3000)
})

/** Checks that a request is answered at exactly this URI, or by a page that leads nowhere. */
async function checkReply(
  registered: string,
  { uri, name, isAllowed }: Variant,
  reply: Response,
): Promise<void> {
  const location = reply.headers.get('location')
  const found = { registered, name, uri, status: reply.status, location }
  if (isAllowed) {
    // A client on the device is told that its user must be asked: RFC 8252 §8.6.
    const answer = registered.startsWith('https://client.') ? 'code=' : 'error=consent_required&'
    const isOwn = location?.startsWith(`${uri}${uri.includes('?') ? '&' : '?'}${answer}`)
    expect({ ...found, isOwn }).toEqual({ ...found, status: 302, isOwn: true })
  } else {
    expect(found).toEqual({ ...found, status: 400, location: null })
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await reply.text()).not.toContain('evil')
  }
}
