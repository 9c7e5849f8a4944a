import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { importJWK, jwtVerify, SignJWT, calculateJwkThumbprint, createLocalJWKSet } from 'jose'
import type { JSONWebKeySet, JWK } from 'jose'
import { afterAll, expect, test } from 'vitest'
import { createFolder, latchkey } from './support/command-line.ts'

const { folder, remove } = createFolder()
afterAll(remove)

const file = join(folder, '.env')
const getMode = (path: string): string => (statSync(path).mode & 0o777).toString(8)
const readSecret = (): string => parseEnv(readFileSync(file, 'utf8'))['AUTH_SECRET'] ?? ''

test('secret prints 32 random bytes and nothing else', async () => {
  const [first, second] = await Promise.all([
    latchkey(folder, ['secret']),
    latchkey(folder, ['secret']),
  ])
  expect(Buffer.from(first.stdout.trim(), 'base64url')).toHaveLength(32)
  expect(first.stdout).not.toBe(second.stdout)
})

test('secret --write adds one, and never replaces one', async () => {
  writeFileSync(file, 'OTHER=1\nAUTH_SECRET=\n')
  expect(await latchkey(folder, ['secret', '--write', '.env'])).toMatchObject({
    code: 0,
    stdout: '',
  })
  const written = readSecret()
  expect(written).toHaveLength(43)
  const again = await latchkey(folder, ['secret', '--write', '.env'])
  expect(again).toMatchObject({ code: 1 })
  expect(again.stderr).toContain('--rotate')
  expect(readSecret()).toBe(written)
})

test.each([
  ['--write', ''],
  ['--rotate', 'AUTH_SECRET=previous\n'],
])('secret %s makes the file unreadable to other users, and says so', async (option, text) => {
  for (const [mode, expected] of [
    [0o644, '600'],
    [0o606, '600'],
    [0o640, '640'],
  ] as const) {
    writeFileSync(file, text)
    chmodSync(file, mode)
    const { code, stderr } = await latchkey(folder, ['secret', option, '.env'])
    expect([code, getMode(file)]).toEqual([0, expected])
    expect(stderr.includes('.env could be read by every user')).toBe(expected === '600')
    expect(readSecret()).not.toBe('')
  }
})

test.each(['AUTH_SECRET=previous', 'AUTH_SECRET="previous"', 'export AUTH_SECRET=previous'])(
  'secret --rotate puts a new one first: %s',
  async (line) => {
    writeFileSync(file, `${line}\nOTHER=1\n`)
    expect(await latchkey(folder, ['secret', '--rotate', '.env'])).toMatchObject({ code: 0 })
    expect(readSecret()).toMatch(/^[\w-]{43},previous$/)
  },
)

test.each(['EdDSA', 'ES256'])(
  'keys --alg %s prints a pair whose signatures verify',
  async (alg) => {
    const { stdout } = await latchkey(folder, ['keys', '--alg', alg])
    const keys = JSON.parse(stdout) as { private: JWK; public: JSONWebKeySet }
    const { kid = '' } = keys.private
    expect(kid).toBe(await calculateJwkThumbprint(keys.private))
    expect(stdout.slice(stdout.indexOf('"public"'))).not.toContain('"d"')
    const token = await new SignJWT({ sub: 'alice' })
      .setProtectedHeader({ alg, kid })
      .sign(await importJWK(keys.private, alg))
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys.public))
    expect(payload.sub).toBe('alice')
  },
)

test('keys --as-variable prints a line that files of variables hold', async () => {
  const { stdout } = await latchkey(folder, ['keys', '--as-variable'])
  expect(JSON.parse(parseEnv(stdout)['TOKEN_KEYS'] ?? '')).toMatchObject([{ alg: 'EdDSA' }])
})

test('an unknown command or option is refused with 2, and --help explains', async () => {
  expect(await latchkey(folder, ['secrets'])).toMatchObject({ code: 2 })
  expect(await latchkey(folder, ['keys', '--alg', 'RS256'])).toMatchObject({ code: 2 })
  for (const name of ['init', 'secret', 'keys', 'migrate', 'doctor', 'providers']) {
    const { code, stdout } = await latchkey(folder, [name, '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`$ latchkey ${name}`)
  }
})
