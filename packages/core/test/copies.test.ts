import type * as core from '@latchkey/core'
import { AuthError, ConfigurationError, createAuth } from '@latchkey/core'
import { github } from '@latchkey/core/providers/github'
import { version } from '@latchkey/core/unstable'
import type * as unstable from '@latchkey/core/unstable'
import { build } from 'esbuild'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

/** What a test uses of another copy of core. */
type Copy = Pick<typeof core, 'AuthError' | 'ConfigurationError' | 'createAuth'> &
  Pick<typeof unstable, 'markAsTool'>

const folder = mkdtempSync(join(tmpdir(), 'latchkey-copies-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Bundles and imports core, as if it had another version. */
async function importCopy(copyVersion: string): Promise<Copy> {
  const contents = `export * from '@latchkey/core'; export { markAsTool } from '@latchkey/core/unstable'`
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
