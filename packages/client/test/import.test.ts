import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('nothing global is touched when the client is imported and made, as on a server', () => {
  const script = `
    const touched = []
    for (const name of ['window', 'document', 'location', 'navigator', 'localStorage', 'fetch',
      'BroadcastChannel', 'addEventListener', 'setTimeout']) {
      Object.defineProperty(globalThis, name, { get() { touched.push(name) }, configurable: true })
    }
    const { createClient } = await import(process.argv[1])
    createClient().getSnapshot()
    process.stdout.write(touched.join())
  `
  const entry = join(import.meta.dirname, '../src/index.ts')
  const node = ['--experimental-strip-types', '--no-warnings', '--input-type=module', '-e', script]
  expect(execFileSync(process.execPath, [...node, entry], { encoding: 'utf8' })).toBe('')
})
