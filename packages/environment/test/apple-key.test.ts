import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { toPkcs8 } from '../src/apple-key.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

function toPem(key: KeyObject, type: 'pkcs8' | 'sec1'): string {
  return String(key.export({ format: 'pem', type }))
}

describe.each(['pkcs8', 'sec1'] as const)('a P-256 key in %s', (type) => {
  const pem = toPem(privateKey, type)

  test.each([
    ['as it is', pem],
    ['with \\n in the place of line breaks', pem.replaceAll('\n', '\\n')],
    ['with CRLF', pem.replaceAll('\n', '\r\n')],
    ['with text around it', `Bag Attributes\n${pem}\n`],
  ])('%s becomes PKCS #8', (_name, text) => {
    const key = createPrivateKey(toPkcs8(text))
    expect(toPem(key, 'pkcs8')).toBe(toPem(privateKey, 'pkcs8'))
    expect(toPkcs8(text)).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
  })

  test('that was cut off is refused', () => {
    const [begin = '', first = ''] = pem.split('\n')
    const end = begin.replace('BEGIN', 'END')
    for (const body of [first, first.slice(0, -1), '', 'MA==']) {
      expect(() => toPkcs8(`${begin}\n${body}\n${end}\n`)).toThrow(/P-256 key in PEM/)
    }
  })
})

const others = {
  'a P-384 key': generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  'an Ed25519 key': generateKeyPairSync('ed25519').privateKey,
}

test.each(Object.entries(others))('%s is refused', (_name, key) => {
  expect(() => toPkcs8(toPem(key, 'pkcs8'))).toThrow(
    expect.objectContaining({ option: 'providers.apple.privateKey' }),
  )
})

test('a text that is not a key is refused, and not repeated', () => {
  for (const text of [
    '',
    'hunter2',
    '-----BEGIN PRIVATE KEY-----\nhunter2=\n-----END PRIVATE KEY-----',
  ]) {
    expect(() => toPkcs8(text)).toThrow(/P-256 key in PEM/)
    expect(() => toPkcs8(text)).not.toThrow(/hunter2/)
  }
})
