import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test.each([
  ['index.ts', 'createClient', 'getSnapshot'],
  ['factors.ts', 'createFactors', 'valueOf'],
  ['passkeys.ts', 'createPasskeys', 'valueOf'],
])('importing %s and calling %s uses no global', (file, create, method) => {
  const script = `
    const used = []
    for (const name of ['window', 'document', 'location', 'navigator', 'localStorage', 'fetch',
      'BroadcastChannel', 'addEventListener', 'setTimeout', 'PublicKeyCredential']) {
      Object.defineProperty(globalThis, name, { get() { used.push(name) }, configurable: true })
    }
    const module = await import(process.argv[1])
    module['${create}']()['${method}']()
    process.stdout.write(used.join())
  `
  const entry = join(import.meta.dirname, '../src', file)
  const node = ['--experimental-strip-types', '--no-warnings', '--input-type=module', '-e', script]
  expect(execFileSync(process.execPath, [...node, entry], { encoding: 'utf8' })).toBe('')
})
