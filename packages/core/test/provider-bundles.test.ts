import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const core = `${import.meta.dirname}/..`
const generic = ['credentials.ts', 'email.ts', 'from-auth-js.ts', 'oauth.ts', 'oidc.ts']
const files = readdirSync(`${core}/src/providers`).filter((file) => !generic.includes(file))

/** Returns the modules of the bundle of one provider that are in the folder `providers`. */
async function bundleProvider(id: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: core,
    stdin: { contents: `export * from '@latchkey/core/providers/${id}'`, resolveDir: core },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd'],
    logLevel: 'silent',
  })
  return Object.keys(metafile.inputs)
    .filter((input) => input.startsWith('src/providers/'))
    .map((input) => basename(input))
}

test.each(files)('the bundle of %s has no other provider', async (file) => {
  const modules = await bundleProvider(file.replace(/\.ts$/, ''))
  expect(modules).toHaveLength(2)
  expect(modules).toContain(file)
  expect(modules.some((module) => ['oauth.ts', 'oidc.ts'].includes(module))).toBe(true)
})
