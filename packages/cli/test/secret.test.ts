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
  ['--promote', 'AUTH_SECRET=previous,next\n'],
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

test.each([
  ['AUTH_SECRET=', ''],
  ['AUTH_SECRET="', '"'],
  ["export AUTH_SECRET='", "'"],
  ['AUTH_SECRET=', ' # of production'],
])(
  'secret --rotate appends one, and --promote puts the last one first: %s%s',
  async (start, end) => {
    writeFileSync(file, `FIRST=1\n${start}previous${end}\nOTHER=1\n`)
    expect(await latchkey(folder, ['secret', '--rotate', '.env'])).toMatchObject({ code: 0 })
    expect(readSecret()).toMatch(/^previous,[\w-]{43}$/)
    const [, appended = ''] = readSecret().split(',')
    expect(await latchkey(folder, ['secret', '--rotate', '.env'])).toMatchObject({ code: 0 })
    const [, , newest = ''] = readSecret().split(',')
    expect(await latchkey(folder, ['secret', '--promote', '.env'])).toMatchObject({ code: 0 })
    expect(readSecret()).toBe([newest, 'previous', appended].join(','))
    const kept = `FIRST=1\n${start}${newest},previous,${appended}${end}\nOTHER=1\n`
    expect(readFileSync(file, 'utf8')).toBe(kept)
  },
)

test('secret --rotate keeps a # in quotes, and a list of several lines', async () => {
  writeFileSync(file, 'AUTH_SECRET="one#1\n two "\n')
  expect(await latchkey(folder, ['secret', '--rotate', '.env'])).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toMatch(/^AUTH_SECRET="one#1,two,[\w-]{43}"\n$/)
})

test('secret --promote is refused without a second secret', async () => {
  for (const text of ['AUTH_SECRET=previous\n', 'AUTH_SECRET=\n', 'OTHER=1\n']) {
    writeFileSync(file, text)
    const { code, stderr } = await latchkey(folder, ['secret', '--promote', '.env'])
    expect([code, readFileSync(file, 'utf8')]).toEqual([1, text])
    expect(stderr).toMatch(/--(rotate|write) \.env/)
  }
})

test.each(['EdDSA', 'ES256', 'RS256'])(
  'keys --alg %s prints a pair whose signatures verify',
  async (alg) => {
    const { stdout } = await latchkey(folder, ['keys', '--alg', alg])
    const keys = JSON.parse(stdout) as { private: JWK; public: JSONWebKeySet }
    const { kid = '' } = keys.private
    expect(kid).toBe(await calculateJwkThumbprint(keys.private))
    expect(stdout.slice(stdout.indexOf('"public"'))).not.toMatch(/"(d|p|q|dp|dq|qi)"/)
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
  expect(await latchkey(folder, ['keys', '--alg', 'PS256'])).toMatchObject({ code: 2 })
  for (const name of ['init', 'secret', 'keys', 'migrate', 'sweep', 'doctor', 'providers']) {
    const { code, stdout } = await latchkey(folder, [name, '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`$ latchkey ${name}`)
  }
})
