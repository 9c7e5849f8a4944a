import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('importing the module and creating a client uses no global', () => {
  const script = `
    const used = []
    for (const name of ['window', 'document', 'location', 'navigator', 'localStorage', 'fetch',
      'BroadcastChannel', 'addEventListener', 'setTimeout']) {
      Object.defineProperty(globalThis, name, { get() { used.push(name) }, configurable: true })
    }
    const { createClient } = await import(process.argv[1])
    createClient().getSnapshot()
    process.stdout.write(used.join())
  `
  const entry = join(import.meta.dirname, '../src/index.ts')
  const node = ['--experimental-strip-types', '--no-warnings', '--input-type=module', '-e', script]
  expect(execFileSync(process.execPath, [...node, entry], { encoding: 'utf8' })).toBe('')
})
