import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const tsc = resolve(root, '../../node_modules/typescript/bin/tsc')

/** Returns what the compiler prints about options of `createAuth`. */
function compile(options: string): string {
  const folder = mkdtempSync(join(root, 'compiled-'))
  try {
    const source = `
      import { createAuth } from '@latchkey/core'
      import type { Provider } from '@latchkey/core'
      declare const providers: readonly Provider[]
      createAuth({ secret: '', providers, ${options} })`
    const compilerOptions = { rootDir: '..', types: [] }
    const config = { extends: '../tsconfig.json', include: ['*.ts'], compilerOptions }
    writeFileSync(join(folder, 'config.ts'), source)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test.each([
  ['callbacks: { session: ({ session }) => { void session } }', 'return what clients see'],
  ['callbacks: { session: async ({ session }) => { void session } }', 'return what clients see'],
  [
    'callbacks: { session: ({ session }) => (session.user.name ? session : undefined) }',
    'return what clients see',
  ],
  ['secondFactor: { methods: [] }', 'write use: [secondFactor({ methods })]'],
  ['confirmation: { maxAge: 300 }', 'write use: [confirmation()]'],
  ['account: { id: "account" }', 'write use: [accountPages()]'],
  [
    "tokens: { audience: 'https://api.example', keys: [] }",
    'write use: [apiTokens({ audience, keys })]',
  ],
  ['outbox: { deliver: () => undefined }', 'write outbox({ deliver })'],
  ["securityEmails: { mailer: {}, from: '' }", 'write use: [securityEmails({ mailer, from })]'],
  ['adapter: {}', 'write storage: authjsStorage(adapter)'],
])('the compiler says what to write in place of %s', (options, message) => {
  expect(compile(options)).toContain(message)
})

test('the compiler accepts a callback that returns the session', () => {
  expect(compile('callbacks: { session: ({ session }) => ({ ...session, a: 1 }) }')).toBe('')
})
