import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authorizationServer, clientDocuments } from '@latchkey/authorization-server'
import { createAuth } from '@latchkey/core'
import { github } from '@latchkey/core/providers/github'
import { memoryStorage } from '@latchkey/core/memory'
import { apiTokens } from '@latchkey/tokens'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { expect, onTestFinished, test } from 'vitest'
import { getProgramFindings } from '../src/doctor/programs.ts'
import type { Deployed } from '../src/doctor/programs.ts'

const base = 'https://app.example/api/auth'
const use = [
  apiTokens({ keys: [await generateTokenKey()], audience: 'https://app.example' }),
  authorizationServer({
    resources: { 'https://app.example/mcp': { scopes: { read: { en: 'Read your notes' } } } },
    clientMetadata: clientDocuments({ fetch }),
  }),
]
const auth = createAuth({
  secret: 'a secret of thirty-two bytes or more',
  serviceUrl: 'https://app.example',
  storage: memoryStorage(),
  session: { strategy: 'storage' },
  providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
  use,
})

type Mounts = (pathname: string) => boolean

/** A deployment that passes some paths to the endpoints for programs. */
const deploy =
  (mounts: Mounts): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const isMounted = mounts(new URL(request.url).pathname)
    return (isMounted && auth.programs(request)) || auth.handle(request)
  }

const find = async (
  mounts: Mounts,
  deployed: Partial<Deployed> = {},
): Promise<readonly (readonly string[])[]> => {
  const application = { use, folder: import.meta.dirname, ...deployed }
  const findings = await getProgramFindings(application, base, deploy(mounts))
  return findings.map(({ level, text }) => [level, text])
}

test('the doctor finds what a host does not pass to an authorization server (I-64.2)', async () => {
  expect(await find(() => true)).toEqual([['ok', 'answers clients outside the base path']])
  const absent = 'is not answered by the service: no client can get tokens'
  const metadata = 'https://app.example/.well-known/oauth-authorization-server/api/auth'
  expect(await find(() => false)).toEqual([['broken', `${metadata} ${absent}`]])
  const endpoint = 'https://app.example/oauth/token'
  const withoutTokens = await find((path) => !path.startsWith('/oauth/'))
  expect(withoutTokens).toEqual([['broken', `${endpoint} ${absent}`]])
})

test('a service without an authorization server is not asked', async () => {
  expect(await find(() => false, { use: use.slice(0, 1) })).toEqual([])
})

test('a Worker that fetches documents of clients reaches public servers only (I-67.2)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-doctor-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const levels = async (config: string): Promise<readonly (string | undefined)[]> => {
    writeFileSync(join(folder, 'wrangler.jsonc'), config)
    return (await find(() => true, { folder })).map(([level]) => level)
  }
  const flags = '"compatibility_flags": ["nodejs_compat", "global_fetch_strictly_public"]'
  expect(await levels(`{ ${flags} }`)).toEqual(['ok'])
  expect(await levels('{ "name": "my-app" }')).toEqual(['ok', 'weak'])
  expect(await levels(`{\n  // ${flags}\n}`)).toEqual(['ok', 'weak'])
})
