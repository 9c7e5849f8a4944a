import type * as core from '@latchkey/core'
import { AuthError, ConfigurationError, createAuth } from '@latchkey/core'
import { getService, hashCsrfToken, RequestContext } from '@latchkey/core/capability'
import { revokeAllSessions } from '@latchkey/core/capability/factors'
import { completeIdentity } from '@latchkey/core/capability/sign-in'
import type * as memory from '@latchkey/core/memory'
import { github } from '@latchkey/core/providers/github'
import { version } from '@latchkey/core/unstable'
import type * as unstable from '@latchkey/core/unstable'
import { build } from 'esbuild'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { requestEmail, serveMail } from './support/mailbox.ts'
import { getRedirect, origin, passport, serve } from './support/service.ts'

/** What a test uses of another copy of core. */
type Copy = Pick<typeof core, 'AuthError' | 'ConfigurationError' | 'createAuth'> &
  Pick<typeof unstable, 'markAsTool'> &
  Pick<typeof memory, 'memoryStorage'>

const folder = mkdtempSync(join(tmpdir(), 'latchkey-copies-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Bundles and imports core, as if it had another version. */
async function importCopy(copyVersion: string): Promise<Copy> {
  const contents = `
    export * from '@latchkey/core'
    export { markAsTool } from '@latchkey/core/unstable'
    export { memoryStorage } from '@latchkey/core/memory'`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    write: false,
  })
  const file = join(folder, `core-${copyVersion}.mjs`)
  writeFileSync(file, String(outputFiles[0]?.text).replaceAll(`"${version}"`, `"${copyVersion}"`))
  return import(file) as Promise<Copy>
}

const config = {
  secret: 'a'.repeat(32),
  providers: [github({ clientId: 'id', clientSecret: 'secret' })],
}

test('the version is the one of the package', () => {
  expect(version).toBe(manifest.version)
})

test('a copy of another version is refused at the start, with both paths', async () => {
  createAuth(config)
  const copy = await importCopy('0.0.9')
  const [path, source] = [join(folder, 'core-0.0.9.mjs'), 'packages/core/src/lib/copies.ts']
  for (const create of [createAuth, copy.createAuth]) {
    expect(() => create(config)).toThrow(ConfigurationError)
    expect(() => create(config)).toThrow(/^@latchkey\/core: two versions are loaded, .*npm dedupe/)
    expect(() => create(config)).toThrow(path)
    expect(() => create(config)).toThrow(source)
  }
  copy.markAsTool()
  createAuth(config)
})

test('errors of another copy are recognised', async () => {
  const copy = await importCopy(version)
  const error = new copy.AuthError('AccessDenied', 'suspended')
  expect(error instanceof AuthError && error.code).toBe('AccessDenied')
  expect(new copy.ConfigurationError('secret', 'missing')).toBeInstanceOf(ConfigurationError)
  expect(new AuthError('AccessDenied', 'suspended')).toBeInstanceOf(copy.AuthError)
  expect(error).not.toBeInstanceOf(ConfigurationError)
  expect(new Error('AccessDenied')).not.toBeInstanceOf(AuthError)
  class Suspended extends AuthError {}
  expect(new Suspended('AccessDenied', 'suspended')).toBeInstanceOf(AuthError)
  expect(error).not.toBeInstanceOf(Suspended)
})

// As Next.js evaluates modules several times, while a storage in memory is kept.
test('a storage of another copy answers links and refusals as its own', async () => {
  const { memoryStorage } = await importCopy(version)
  const { browse, mailbox } = serveMail({ storage: memoryStorage() }, { code: true })
  const browser = browse()
  await requestEmail(browser)
  const refused = await browser.submit('/callback/email', { code: '00000000' })
  expect(getRedirect(refused)).toEqual({ path: '/api/auth/verify-request', error: 'Verification' })
  await browser.submit('/callback/email', { code: mailbox.getCode() })
  expect(await browser.json('/session')).toMatchObject({ user: { email: 'alice@example.com' } })
})

test('a request that ends the sign-ins of its user signs in, also with a storage of another copy', async () => {
  const { memoryStorage } = await importCopy(version)
  const { auth, wait } = serve({ storage: memoryStorage() })
  const service = getService(auth, 'test')
  const [startedAt, csrfTokenHash] = [service.runtime.now(), await hashCsrfToken('')]
  const flow = { purpose: 'signIn', callbackUrl: origin, csrfTokenHash, startedAt } as const
  const identity = { subject: 'alice', profile: {}, tokens: {}, claims: {} }
  const create = (): RequestContext => new RequestContext(service, new Request(origin), {})
  const signIn = (ctx = create()): Promise<unknown> =>
    completeIdentity(ctx, passport(), flow, identity)
  await signIn()
  const [user] = (await auth.users.list()).users
  wait(1)
  const ctx = create()
  await revokeAllSessions(service, user?.id ?? '', { ctx })
  await signIn(ctx)
  await expect(signIn()).rejects.toMatchObject({ code: 'SessionRequired' })
})
