import * as nodeCrypto from 'node:crypto'
import { scryptSync } from 'node:crypto'
import { ConfigurationError } from '@latchkey/core'
import { argon2id } from '@latchkey/passwords/argon2'
import { argon2Module } from '@latchkey/passwords/argon2-module'
import { scrypt } from '@latchkey/passwords/scrypt'
import * as fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parsePhc } from '../src/phc.ts'
import { deriveScryptKey } from '../src/scrypt-key.ts'
import { loadArgon2Module } from './support/argon2-module.ts'
import { mutationsOf } from './support/mutations.ts'

afterEach(() => vi.unstubAllGlobals())

const { argon2id: computeByModule } = await loadArgon2Module()
const password = 'correct horse, Zoë 😀'

/** Hashes of the password that cost little. */
const weakScrypt = computeScrypt(4, 8, 1)
/** By `printf 'correct horse, Zoë 😀' | argon2 saltsaltsaltsalt -id -t 1 -k 64 -p 1 -l 32 -e`. */
const weakArgon2 =
  '$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$4vqIif02dJUQjaRvydVrLClQMc3xcKkXJU+1J0369A8'

/** Not by the function under test, which would then agree with itself. */
const hasArgon2 = typeof Reflect.get(nodeCrypto, 'argon2') === 'function'
const hashers = [
  ['scrypt', scrypt(), weakScrypt, /^\$scrypt\$ln=17,r=8,p=1\$[^$]{22}\$[^$]{43}$/],
  ['argon2Module', argon2Module(computeByModule), weakArgon2, argon2Pattern()],
  ...(hasArgon2 ? ([['argon2id', argon2id(), weakArgon2, argon2Pattern()]] as const) : []),
] as const

function argon2Pattern(): RegExp {
  return /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$]{22}\$[^$]{43}$/
}

describe.each(hashers)('%s', (_, hasher, weak, pattern) => {
  test('verifies the hash that it has made, and refuses another password', async () => {
    const hash = await hasher.hash(password)
    expect(hash).toMatch(pattern)
    expect(await hasher.verify(password, hash)).toBe(true)
    expect(await hasher.verify(`${password} `, hash)).toBe(false)
    expect(await hasher.hash(password)).not.toBe(hash)
    expect(hasher.needsRehash(hash)).toBe(false)
  })

  test('verifies a hash with other parameters, which needs a rehash', async () => {
    expect(await hasher.verify(password, weak)).toBe(true)
    expect(await hasher.verify(password.slice(0, -1), weak)).toBe(false)
    expect(hasher.needsRehash(weak)).toBe(true)
  })

  test('the form in which a keyboard types a letter does not matter', async () => {
    expect(password.normalize('NFD')).not.toBe(password)
    expect(await hasher.verify(password.normalize('NFD'), weak)).toBe(true)
    expect(await hasher.verify(password.normalize('NFKD'), weak)).toBe(true)
    expect(await hasher.verify(password.replace('ë', 'e'), weak)).toBe(false)
  })

  test('a password is not cut', async () => {
    expect(await hasher.verify(password, weak)).toBe(true)
    for (const end of ['\0', ' ', 'x'.repeat(1000)]) {
      expect(await hasher.verify(password + end, weak)).toBe(false)
    }
  })

  test('NUL, lone surrogates and an empty password are not hashed', async () => {
    await expect(hasher.hash('\ud83d\ude00')).resolves.toMatch(pattern)
    for (const text of ['\ud83d', 'x\0', '']) {
      const problem = 'the password is empty, or contains NUL or a lone surrogate'
      await expect(hasher.hash(text)).rejects.toThrow(problem)
      expect(await hasher.verify(text, weak)).toBe(false)
    }
  })

  test('a mutated hash does not verify, and never throws', async () => {
    expect(await hasher.verify(password, weak)).toBe(true)
    await fc.assert(
      fc.asyncProperty(mutationsOf(weak), async (mutated) => {
        expect(await hasher.verify(password, mutated)).toBe(false)
        expect(hasher.needsRehash(mutated)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  test.each([
    '',
    'x',
    '$2b$10$abcdefghijklmnopqrstuv',
    '$argon2d$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$AAAA',
  ])('the text %j is the hash of no password', async (text) => {
    expect(await hasher.verify(password, text)).toBe(false)
    expect(hasher.needsRehash(text)).toBe(true)
  })
})

/** Computes the hash of the password by `node:crypto` directly. */
function computeScrypt(ln: number, r: number, p: number): string {
  const salt = Buffer.from('saltsaltsaltsalt')
  const limits = { maxmem: 2 ** 30 }
  const output = scryptSync(password, salt, 32, { N: 2 ** ln, r, p, ...limits })
  const encoded = [salt, output].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$scrypt$ln=${ln},r=${r},p=${p}$${encoded.join('$')}`
}

describe('a hash that would cost too much is refused before anything is computed', () => {
  const hasher = scrypt()

  test.each([
    [18, 8, 1, 'ln=18,r=9,p=1'],
    [15, 8, 16, 'ln=15,r=8,p=17'],
    [4, 8, 32, 'ln=4,r=8,p=33'],
    [4, 8, 1, 'ln=63,r=8,p=1'],
    [4, 32, 1, 'ln=4,r=33,p=1'],
    [4, 32, 1, 'ln=4,r=1073741824,p=1'],
  ])('scrypt verifies ln=%d, r=%d, p=%d, and refuses %s', async (ln, r, p, change) => {
    const hash = computeScrypt(ln, r, p)
    expect(await hasher.verify(password, hash)).toBe(true)
    const hostile = hash.replace(/ln=.*(?=\$.*\$)/, change)
    expect(parsePhc(hostile)).toBeDefined()
    const startedAt = process.cpuUsage()
    expect(await hasher.verify(password, hostile)).toBe(false)
    const { user, system } = process.cpuUsage(startedAt)
    expect(user + system).toBeLessThan(200_000)
  })

  test.each([
    ['m=65536,t=4,p=1', 'm=65536,t=5,p=1'],
    ['m=65536,t=1,p=1', 'm=65537,t=1,p=1'],
    ['m=8,t=32768,p=1', 'm=8,t=32769,p=1'],
    ['m=8,t=1,p=1', 'm=8,t=4294967295,p=1'],
    ['m=8,t=1,p=1', 'm=7,t=1,p=1'],
    ['m=16,t=1,p=2', 'm=15,t=1,p=2'],
    ['m=136,t=1,p=16', 'm=136,t=1,p=17'],
    ['m=8,t=1,p=1', 'm=8,t=0,p=1'],
    ['m=8,t=1,p=1', 'm=8,t=1,p=0'],
  ])('Argon2 computes %s, and refuses %s', async (affordable, hostile) => {
    const compute = vi.fn(async () => new Uint8Array(32))
    const module = argon2Module(compute)
    const withParameters = (list: string): string => weakArgon2.replace('m=64,t=1,p=1', list)
    expect(await module.verify(password, withParameters(hostile))).toBe(false)
    expect(compute).not.toHaveBeenCalled()
    expect(await module.verify(password, withParameters(affordable))).toBe(false)
    expect(compute).toHaveBeenCalledOnce()
  })
})

describe('options', () => {
  const scryptWith = (options: object) => () => scrypt(options)
  const argon2With = (options: object) => () => argon2Module(computeByModule, options)

  test.each([
    [
      scryptWith({ cost: 2 ** 16, parallelization: 2 }),
      scryptWith({ cost: 2 ** 16 + 1, parallelization: 2 }),
      'scrypt.cost: must be a power of two from 1,024 to 1,048,576',
    ],
    [
      scryptWith({ cost: 2 ** 17 }),
      scryptWith({ cost: 2 ** 16 }),
      'scrypt.cost: times blockSize times parallelization must be at least',
    ],
    [
      scryptWith({ cost: 2 ** 18 }),
      scryptWith({ cost: 2 ** 19 }),
      'scrypt.cost: exceeds 256 MiB of memory',
    ],
    [
      scryptWith({ parallelization: 4 }),
      scryptWith({ parallelization: 5 }),
      'scrypt.cost: exceeds 256 MiB of memory, or four times',
    ],
    [
      scryptWith({ blockSize: 16 }),
      scryptWith({ blockSize: 7 }),
      'scrypt.blockSize: must be an integer from 8 to 32',
    ],
    [
      scryptWith({ parallelization: 1 }),
      scryptWith({ parallelization: 1.5 }),
      'scrypt.parallelization: must be an integer from 1 to 32',
    ],
    [scryptWith({}), scryptWith({ N: 2 ** 17 }), 'scrypt.N: is not an option'],
    [
      argon2With({ memory: 65_536 }),
      argon2With({ memory: 65_537 }),
      'argon2Module.memory: must be an integer from 7168 to 65536 (KiB)',
    ],
    [
      argon2With({ memory: 7168, passes: 5 }),
      argon2With({ memory: 7168, passes: 4 }),
      'argon2Module.passes: must be an integer from 5 to 36',
    ],
    [
      argon2With({ passes: 13 }),
      argon2With({ passes: 14 }),
      'argon2Module.passes: must be an integer from 2 to 13',
    ],
    [
      argon2With({ parallelism: 16 }),
      argon2With({ parallelism: 17 }),
      'argon2Module.parallelism: must be an integer from 1 to 16',
    ],
    [argon2With({}), argon2With({ time: 2 }), 'argon2Module.time: is not an option'],
  ])('%#: an invalid one is named', (create, refused, message) => {
    expect(create).not.toThrow()
    expect(refused).toThrow(ConfigurationError)
    expect(refused).toThrow(message)
  })

  test('the Argon2 module must be a function', () => {
    const create: (compute: never) => unknown = argon2Module
    expect(() => create(computeByModule as never)).not.toThrow()
    expect(() => create({ argon2id: computeByModule } as never)).toThrow(
      'argon2Module: must be the function argon2id of a module',
    )
  })
})

describe('the runtime', () => {
  test('argon2id says at start-up where it works', () => {
    if (hasArgon2) {
      expect(() => argon2id()).not.toThrow()
      expect(() => argon2id({ passes: 0 })).toThrow('argon2id.passes: must be an integer')
    } else
      expect(() => argon2id()).toThrow(
        'argon2id: needs argon2 of node:crypto, which Node has since 24.7',
      )
  })

  test('on Workers the default of scrypt costs 16 MiB', () => {
    const [server, worker] = ['ln=17,r=8,p=1', 'ln=14,r=8,p=5']
    const needsRehash = (list: string): boolean =>
      scrypt().needsRehash(weakScrypt.replace('ln=4,r=8,p=1', list))
    expect([needsRehash(server), needsRehash(worker)]).toEqual([false, true])
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    expect([needsRehash(server), needsRehash(worker)]).toEqual([true, false])
  })
})

describe('the vectors of RFC 7914, section 12', () => {
  test.each([
    [
      '',
      '',
      16,
      1,
      1,
      '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906',
    ],
    [
      'password',
      'NaCl',
      1024,
      8,
      16,
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    ],
    [
      'pleaseletmein',
      'SodiumChloride',
      16384,
      8,
      1,
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    ],
  ])(
    'scrypt of %j and %j with N=%d, r=%d, p=%d',
    async (secret, salt, cost, blockSize, parallelization, expected) => {
      const parameters = { cost, blockSize, parallelization }
      const key = await deriveScryptKey(Buffer.from(secret), Buffer.from(salt), 64, parameters)
      expect(Buffer.from(key).toString('hex')).toBe(expected)
    },
  )
})
