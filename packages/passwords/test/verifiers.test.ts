import { readFile } from 'node:fs/promises'
import type { PasswordVerifier } from '@latchkey/passwords'
import { argon2Module } from '@latchkey/passwords/verifiers/argon2-module'
import { firebase, toFirebaseHash } from '@latchkey/passwords/verifiers/firebase'
import { keycloak, toKeycloakHash } from '@latchkey/passwords/verifiers/keycloak'
import { bcrypt } from '@latchkey/passwords/verifiers/bcrypt'
import { wordpress } from '@latchkey/passwords/verifiers/wordpress'
import { hash as hashBcrypt } from 'bcryptjs'
import * as fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { derivePbkdf2Key } from '../src/pbkdf2-key.ts'
import type { Pbkdf2Digest } from '../src/pbkdf2-key.ts'
import { mutationsOf } from './support/mutations.ts'
import { firebaseProject, verifiers } from './support/verifiers.ts'

/** A hash that a program of another service has made. */
interface ImportedHash {
  readonly verifier: string
  readonly command: string
  readonly password: string
  readonly hash: string
}

const file = new URL('support/imported-hashes.json', import.meta.url)
const imported: readonly ImportedHash[] = JSON.parse(await readFile(file, 'utf8'))

afterEach(() => vi.unstubAllGlobals())

function getVerifier(name: string): PasswordVerifier {
  const [verifier] = verifiers[name] ?? []
  if (!verifier) throw new Error(`expected the verifier ${name}`)
  return verifier
}

/** The first hash of each verifier. */
const samples = Object.keys(verifiers).flatMap(
  (name) => imported.find(({ verifier }) => verifier === name) ?? [],
)

describe.each(imported)(
  '$verifier: the hash %# of $password',
  ({ verifier: name, password, hash }) => {
    test('verifies, and no other password does', async () => {
      for (const verifier of verifiers[name] ?? []) {
        expect(verifier.matches(hash)).toBe(true)
        expect(await verifier.verify(password, hash)).toBe(true)
        expect(await verifier.verify(`${password}x`, hash)).toBe(false)
        expect(await verifier.verify(`${password}\0`, hash)).toBe(false)
        expect(await verifier.verify('', hash)).toBe(false)
      }
    })

    test('matches no other verifier', async () => {
      const others = Object.entries(verifiers).filter(([other]) => other !== name)
      for (const verifier of others.flatMap(([, list]) => list)) {
        expect(verifier.matches(hash)).toBe(false)
        expect(await verifier.verify(password, hash)).toBe(false)
      }
    })
  },
)

test('there are hashes for each verifier', () => {
  expect(samples).toHaveLength(Object.keys(verifiers).length)
})

describe.each(samples)('$verifier', ({ verifier: name, password, hash }) => {
  const verifier = getVerifier(name)

  test('a mutated hash does not verify, and never throws', async () => {
    // These versions are the same algorithm.
    const toVersion = (text: string): string => text.replace(/^\$2[aby]\$/, '$2b$')
    const mutations = mutationsOf(hash).filter((text) => toVersion(text) !== toVersion(hash))
    expect(await verifier.verify(password, hash)).toBe(true)
    await fc.assert(
      fc.asyncProperty(mutations, async (mutated) => {
        expect(await verifier.verify(password, mutated)).toBe(false)
      }),
      { numRuns: 20 },
    )
  })

  test('another text does not match, and never throws', async () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }))
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(verifier.matches(text)).toBe(false)
        expect(await verifier.verify(password, text)).toBe(false)
      }),
    )
  })
})

describe('a hash that would cost too much, or is too short, does not match', () => {
  function zeros(length: number): string {
    return Buffer.alloc(length).toString('base64')
  }

  test.each([
    ['argon2', /m=\d+,t=\d+/, 'm=65536,t=4', 'm=65536,t=5'],
    ['argon2', /v=19/, 'v=19', 'v=16'],
    ['bcrypt', /\$05\$/, '$$14$$', '$$15$$'],
    ['bcrypt', /\$05\$/, '$$04$$', '$$03$$'],
    ['bcrypt', /\$05\$/, '$$10$$', '$$99$$'],
    ['bcrypt', /\$2y\$/, '$$2a$$', '$$2x$$'],
    ['django', /\$260000\$/, '$$2500000$$', '$$2500001$$'],
    ['django', /\$260000\$/, '$$1$$', '$$0$$'],
    ['django', /\$[^$]+$/, `$$${zeros(32)}`, `$$${zeros(31)}`],
    ['keycloak', /i=\d+/, 'i=2500000', 'i=2500001'],
    ['keycloak', /i=\d+/, 'i=1', 'i=0'],
  ])('%s, %s: %s matches, %s does not', async (name, found, affordable, hostile) => {
    const verifier = getVerifier(name)
    const hash = samples.find((row) => row.verifier === name)?.hash ?? ''
    expect(verifier.matches(hash.replace(found, affordable))).toBe(true)
    expect(verifier.matches(hash.replace(found, hostile))).toBe(false)
    expect(await verifier.verify('x', hash.replace(found, hostile))).toBe(false)
  })

  test('phpass', () => {
    const verifier = getVerifier('wordpress')
    const hash = imported.find((row) => row.hash.startsWith('$P$B'))?.hash ?? ''
    // The characters stand for 7, 16, 6 and 17.
    const results = ['5', 'E', '4', 'F'].map((count) =>
      verifier.matches(`$P$${count}${hash.slice(4)}`),
    )
    expect(results).toEqual([true, true, false, false])
  })
})

describe('bcrypt', () => {
  test('ignores what follows 72 bytes', async () => {
    const long = 'x'.repeat(72)
    const hash = await hashBcrypt(long, 4)
    for (const verifier of verifiers['bcrypt'] ?? []) {
      expect(await verifier.verify(long, hash)).toBe(true)
      expect(await verifier.verify(`${long}y`, hash)).toBe(true)
      expect(await verifier.verify(long.slice(1), hash)).toBe(false)
    }
  })

  test.each(['2a', '2b', '2y'])('$%s$ reaches a library as $2b$', async (version) => {
    const compare = vi.fn(async () => true)
    const hash = `$${version}$04$.SomeSaltSomeSaltSome.HashHashHashHashHashHashHash..`
    const valid = `$${version}$04$${'a'.repeat(21)}e${'a'.repeat(30)}e`
    expect(await bcrypt(compare).verify('x', hash)).toBe(false)
    expect(await bcrypt(compare).verify('x', valid)).toBe(true)
    expect(compare.mock.calls).toEqual([['x', valid.replace(version, '2b')]])
  })
})

describe('WordPress', () => {
  const compare = vi.fn(async () => false)
  const prefixed = `$wp$2y$10$${'a'.repeat(21)}e${'a'.repeat(30)}e`

  test.each([
    ['a word', 'x', 1],
    ['white space', ' x\t', 1],
    ['an apostrophe', "it's", 2],
    ['quotation marks', '"', 2],
    ['a backslash', '\\', 2],
    ['4,096 characters', 'x'.repeat(4096), 1],
    ['2,049 apostrophes', "'".repeat(2049), 1],
    ['4,097 characters', 'x'.repeat(4097), 0],
  ])('tries %s in $2 forms', async (_, password, count) => {
    compare.mockClear()
    await wordpress(compare).verify(password, prefixed)
    expect(compare).toHaveBeenCalledTimes(count)
  })

  test('white space around a password is removed, and quotation marks may have a backslash', async () => {
    // php -r "echo base64_encode(hash_hmac('sha384', \"it\\\\'s\", 'wp-sha384', true));"
    const expected = '4/HYXlrd5V6Seg3zNSzCYQF26E7baO7aEPDDWy2rIdlkIe2akmh6WPMU0FXxyvcC'
    const verifier = wordpress(async (hmac) => hmac === expected)
    expect(await verifier.verify(" it's\n", prefixed)).toBe(true)
    expect(await verifier.verify("it's", prefixed)).toBe(true)
    expect(await verifier.verify('its', prefixed)).toBe(false)
  })
})

describe('Firebase', () => {
  test.each([
    ['another signer key', { signerKey: firebaseProject.signerKey.replace('jx', 'jy') }],
    ['another salt separator', { saltSeparator: 'Bg==' }],
    ['other rounds', { rounds: 7 }],
    ['another memory cost', { memCost: 13 }],
  ])('a project with %s has other hashes', async (_, change) => {
    const { password, hash } = samples.find((row) => row.verifier === 'firebase') ?? {
      password: '',
      hash: '',
    }
    expect(await firebase(firebaseProject).verify(password, hash)).toBe(true)
    const other = firebase({ ...firebaseProject, ...change })
    expect(other.matches(hash)).toBe(true)
    expect(await other.verify(password, hash)).toBe(false)
  })

  test.each([
    [{ signerKey: 'AAAA' }, 'signerKey: must be 64 bytes in base64'],
    [{ signerKey: 'not base64' }, 'signerKey: must be 64 bytes in base64'],
    [{ saltSeparator: '=' }, 'saltSeparator: must be base64'],
    [{ rounds: 9 }, 'rounds: must be an integer from 1 to 8'],
    [{ memCost: 15 }, 'memCost: must be an integer from 1 to 14'],
    [{ mem_cost: 14 }, 'mem_cost: is not an option'],
  ])('%j is refused', (change, problem) => {
    expect(() => firebase(firebaseProject)).not.toThrow()
    expect(() => firebase({ ...firebaseProject, ...change })).toThrow(`firebase.${problem}`)
  })

  test('the hash of a user is read in base64 and base64url, and none of a user without a password', () => {
    const expected = '$firebase-scrypt$+/8$/+8/'
    expect(toFirebaseHash({ passwordHash: '/+8/', salt: '+/8=' })).toBe(expected)
    expect(toFirebaseHash({ passwordHash: '_-8_', salt: '-_8' })).toBe(expected)
    expect(toFirebaseHash({ passwordHash: '', salt: '' })).toBeUndefined()
    expect(toFirebaseHash({ passwordHash: '*', salt: '+/8=' })).toBeUndefined()
  })
})

describe('Keycloak', () => {
  const secretData = JSON.stringify({
    value: '1u7BLvfSPxQFpwc5jpGSA+88EGl9pZYKhaZ8YPIu9N4=',
    salt: 'x/bm4Y3DcuV9eU97ervkPA==',
    additionalParameters: {},
  })
  const write = (data: object): string | undefined =>
    toKeycloakHash({ credentialData: JSON.stringify(data), secretData })

  test('a credential of PBKDF2 becomes a text that verifies', async () => {
    const hash = write({
      hashIterations: 27500,
      algorithm: 'pbkdf2-sha256',
      additionalParameters: {},
    })
    expect(hash).toBe(
      '$pbkdf2-sha256$i=27500$x/bm4Y3DcuV9eU97ervkPA$1u7BLvfSPxQFpwc5jpGSA+88EGl9pZYKhaZ8YPIu9N4',
    )
    expect(await keycloak().verify('admin', hash ?? '')).toBe(true)
    expect(await keycloak().verify('Admin', hash ?? '')).toBe(false)
  })

  test('a credential of Argon2 becomes a hash of Argon2', () => {
    const list = {
      hashLength: ['32'],
      memory: ['7168'],
      type: ['id'],
      version: ['1.3'],
      parallelism: ['1'],
    }
    const hash = write({ hashIterations: 5, algorithm: 'argon2', additionalParameters: list })
    expect(hash).toBe(
      '$argon2id$v=19$m=7168,t=5,p=1$x/bm4Y3DcuV9eU97ervkPA$1u7BLvfSPxQFpwc5jpGSA+88EGl9pZYKhaZ8YPIu9N4',
    )
    expect(getVerifier('argon2').matches(hash ?? '')).toBe(true)
    const older = { ...list, version: ['1.0'] }
    expect(
      write({ hashIterations: 5, algorithm: 'argon2', additionalParameters: older }),
    ).toBeUndefined()
  })

  test.each([
    { hashIterations: 27500, algorithm: 'bcrypt' },
    { hashIterations: '27500', algorithm: 'pbkdf2-sha256' },
    { algorithm: 'pbkdf2-sha256' },
  ])('%j has no hash', (data) => {
    expect(write({ hashIterations: 1, algorithm: 'pbkdf2-sha256' })).toBeDefined()
    expect(write(data)).toBeUndefined()
  })

  test.each([
    '',
    '{',
    'null',
    '[]',
    '{"salt":1,"value":2}',
    '{"salt":"*","value":"*"}',
    '{"salt":"+/8=","value":"*"}',
  ])('the secret data %j is refused', (data) => {
    const credentialData = '{"hashIterations":1,"algorithm":"pbkdf2"}'
    expect(toKeycloakHash({ credentialData, secretData })).toBeDefined()
    expect(toKeycloakHash({ credentialData, secretData: data })).toBeUndefined()
  })

  test.each([20, 32, 64])(
    'only the lengths that Keycloak derives match, such as %d bytes',
    (length) => {
      const encode = (size: number): string =>
        Buffer.alloc(size).toString('base64').replaceAll('=', '')
      const withLength = (size: number): string =>
        `$pbkdf2-sha512$i=1$${encode(16)}$${encode(size)}`
      expect(keycloak().matches(withLength(length))).toBe(true)
      expect(keycloak().matches(withLength(length - 1))).toBe(false)
    },
  )
})

test('an Argon2 module without a variant matches no hash of it', async () => {
  const argon2i = async (): Promise<Uint8Array> => new Uint8Array(32)
  const hash = samples.find((row) => row.verifier === 'argon2')?.hash ?? ''
  expect(hash).toMatch(/^\$argon2id/)
  expect(argon2Module({ argon2i }).matches(hash.replace('argon2id', 'argon2i'))).toBe(true)
  expect(argon2Module({ argon2i }).matches(hash)).toBe(false)
})

test('each verifier says whether Workers support it', () => {
  const getReasons = (): Record<string, string | undefined> =>
    Object.fromEntries(
      Object.keys(verifiers).map((name) => [name, getVerifier(name).getUnsupportedReason()]),
    )
  expect(Object.values(getReasons())).toEqual(Array(7).fill(undefined))
  const hash = imported.find((row) => row.verifier === 'keycloak')?.hash ?? ''
  const expensive = hash.replace('i=27500', 'i=100001')
  expect([keycloak().matches(hash), keycloak().matches(expensive)]).toEqual([true, true])
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
  const slow = 'bcrypt takes more CPU time in JavaScript than Workers allow'
  expect(getReasons()).toMatchObject({
    argon2: undefined,
    bcrypt: slow,
    django: 'workerd computes at most 100,000 iterations of PBKDF2',
    firebase: undefined,
    keycloak: undefined,
    wordpress: slow,
  })
  expect([keycloak().matches(hash), keycloak().matches(expensive)]).toEqual([true, false])
})

describe('the vectors of PBKDF2: RFC 6070, section 2, and RFC 7914, section 11', () => {
  test.each([
    ['password', 'salt', 1, 20, 'sha1', '0c60c80f961f0e71f3a9b524af6012062fe037a6'],
    ['password', 'salt', 2, 20, 'sha1', 'ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957'],
    ['password', 'salt', 4096, 20, 'sha1', '4b007901b765489abead49d926f721d065a429c1'],
    [
      'passwordPASSWORDpassword',
      'saltSALTsaltSALTsaltSALTsaltSALTsalt',
      4096,
      25,
      'sha1',
      '3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038',
    ],
    ['pass\0word', 'sa\0lt', 4096, 16, 'sha1', '56fa6aa75548099dcc37d7f03425e0c3'],
    [
      'passwd',
      'salt',
      1,
      64,
      'sha256',
      '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783',
    ],
    [
      'Password',
      'NaCl',
      80000,
      64,
      'sha256',
      '4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d',
    ],
  ] satisfies readonly (readonly [string, string, number, number, Pbkdf2Digest, string])[])(
    '%j, %j, %d times, %d bytes',
    async (password, salt, iterations, length, digest, expected) => {
      const key = await derivePbkdf2Key(password, salt, iterations, length, digest)
      expect(Buffer.from(key).toString('hex')).toBe(expected)
    },
  )
})
