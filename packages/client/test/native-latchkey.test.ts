import { expect, test } from 'vitest'
import { openId } from '../../authorization-server/src/openid.ts'
import {
  allow,
  browseAs,
  issuer,
  localClient,
  notes,
  origin,
  serve,
} from '../../authorization-server/test/support/server.ts'
import { generateTokenKey } from '../../tokens/src/generate-token-key.ts'
import { createNativeClient } from '../src/native.ts'
import type { NativeClient, NativeOptions } from '../src/native.ts'
import { createTokenStore } from './support/token-store.ts'
import type { KeptTokens } from './support/token-store.ts'

const redirectUri = 'com.example.app:/cb'

function createTool(
  lose: () => boolean = () => false,
  server = serve(),
  over: Partial<NativeOptions> = {},
): {
  readonly tool: NativeClient
  readonly store: KeptTokens
  readonly paths: string[]
  readonly wait: (seconds: number) => void
} {
  const store = createTokenStore()
  const paths: string[] = []
  const tool = createNativeClient({
    issuer,
    clientId: localClient.id,
    resource: notes,
    tokens: store,
    clock: {
      now: () => server.now() * 1000,
      monotonic: () => server.now() * 1000,
      schedule: () => () => undefined,
    },
    browser: {
      redirectUri,
      visit: async (getUrl) => {
        const path = getUrl().slice(issuer.length)
        return (await allow(await browseAs(server), path)).href
      },
    },
    async fetch(url, init) {
      const path = url.slice(origin.length)
      paths.push(path)
      const response = await server.send(path, init)
      if (lose()) throw new TypeError('fetch failed')
      return response
    },
    ...over,
  })
  return { tool, store, paths, wait: server.wait }
}

test('a native client signs in at Latchkey, renews its token once, and signs out (I-71.3)', async () => {
  const { tool, store, paths, wait } = createTool()
  expect((await tool.signIn()).scope).toBe('notes:read notes:write')
  const first = await tool.getAccessToken()
  wait(600)
  paths.length = 0
  const tokens = await Promise.all(Array.from({ length: 20 }, () => tool.getAccessToken()))
  expect(new Set(tokens).size).toBe(1)
  expect(tokens[0]).not.toBe(first)
  expect(paths.filter((path) => path.endsWith('/token'))).toHaveLength(1)
  const kept = store.text
  expect(await tool.signOut()).toEqual({ isRevoked: true })
  store.text = kept
  expect(await tool.getAccessToken(tokens[0])).toBeUndefined()
  expect(store.text).toBeUndefined()
})

test('a lost reply of Latchkey costs nothing, also if it is lost more than once (I-71.3)', async () => {
  let lost = 0
  const { tool, paths } = createTool(() => lost-- > 0)
  await tool.signIn()
  const first = await tool.getAccessToken()
  lost = 1
  const second = await tool.getAccessToken(first)
  expect(second).toBeDefined()
  expect(second).not.toBe(first)
  lost = 2
  await expect(tool.getAccessToken(second)).rejects.toMatchObject({ code: 'unavailable' })
  paths.length = 0
  expect(await tool.getAccessToken(second)).not.toBe(second)
  expect(await tool.getAccessToken()).toBeDefined()
  expect(paths).toHaveLength(1)
})

test.each([
  ['RS256', [await generateTokenKey('RS256')]],
  ['EdDSA', []],
])(
  'a native client signs in with an ID Token of Latchkey by %s (I-71.2)',
  async (algorithm, otherKeys) => {
    const server = serve({ otherKeys, server: { openid: openId() } })
    const metadata = await server.send('/api/auth/.well-known/openid-configuration')
    expect(await metadata.json()).toMatchObject({
      id_token_signing_alg_values_supported: [algorithm],
    })
    const { tool } = createTool(undefined, server, { scope: 'openid notes:read' })
    expect((await tool.signIn()).claims).toMatchObject({ iss: issuer, aud: localClient.id })
  },
)
