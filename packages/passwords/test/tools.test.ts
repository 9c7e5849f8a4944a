import { argon2id } from '@latchkey/passwords/argon2'
import { argon2Module } from '@latchkey/passwords/argon2-module'
import { scrypt } from '@latchkey/passwords/scrypt'
import { hashPassword } from 'better-auth/crypto'
import { describe, expect, test } from 'vitest'
import { getArgon2Problem } from '../src/argon2-node.ts'
import { loadArgon2Module } from './support/argon2-module.ts'
import { importTools, passwords } from './support/import-tools.ts'
import { argon2Tool, pythonTool } from './support/tools.ts'
import { verifiers } from './support/verifiers.ts'

const module = argon2Module((await loadArgon2Module()).argon2id)
const native = getArgon2Problem() === undefined ? argon2id() : module

const argon2 = argon2Tool('-id', '-t', '2', '-k', '19456', '-p', '1', '-l', '32')
const lanes = argon2Tool('-id', '-t', '3', '-k', '1024', '-p', '4', '-l', '16')
const passlib = pythonTool(
  'scrypt of passlib',
  'passlib',
  'from passlib.hash import scrypt; result = scrypt.hash(password)',
)
const strong = pythonTool(
  'scrypt of passlib with N = 2^17',
  'passlib',
  'from passlib.hash import scrypt; result = scrypt.using(rounds=17).hash(password)',
)

const tools = [
  { ...argon2, hasher: module, hasOwnParameters: true },
  { ...argon2, hasher: native, hasOwnParameters: true, name: `${argon2.name}, by node:crypto` },
  { ...lanes, hasher: module, hasOwnParameters: false },
  { ...lanes, hasher: native, hasOwnParameters: false, name: `${lanes.name}, by node:crypto` },
  { ...passlib, hasher: scrypt(), hasOwnParameters: false },
  { ...strong, hasher: scrypt(), hasOwnParameters: true },
]

describe.each(tools)('hashes of $name', ({ hash, hasher, hasOwnParameters }) => {
  test
    .runIf(hash)
    .each(['correct horse battery', 'Zoë 😀 пароль', 'x', '"$`\\', 'long '.repeat(13)])(
    'the hash of %j verifies',
    async (password) => {
      const made = hash?.(password) ?? ''
      expect(await hasher.verify(password, made)).toBe(true)
      expect(await hasher.verify(`${password}x`, made)).toBe(false)
      expect(hasher.needsRehash(made)).toBe(!hasOwnParameters)
    },
  )
})

const imported = importTools.flatMap(([name, tool]) =>
  (verifiers[name] ?? []).map((verifier, i) => ({ ...tool, verifier, title: `${name} ${i}` })),
)

describe.each(imported)('$title verifies what $name makes', ({ hash, verifier }) => {
  test.runIf(hash).each(passwords)('of %j', async (password) => {
    const made = hash?.(password) ?? ''
    expect(verifier.matches(made)).toBe(true)
    expect(await verifier.verify(password, made)).toBe(true)
    expect(await verifier.verify(`${password}x`, made)).toBe(false)
  })
})

test.each(passwords)('better-auth makes a hash of %j that verifies', async (password) => {
  const [verifier] = verifiers['betterAuth'] ?? []
  const made = await hashPassword(password)
  expect(await verifier?.verify(password, made)).toBe(true)
  expect(await verifier?.verify(`${password}x`, made)).toBe(false)
})
