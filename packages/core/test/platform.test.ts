import { execFileSync } from 'node:child_process'
import { hkdfSync } from 'node:crypto'
import { resolve } from 'node:path'
import { platform as chosen } from '#crypto'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { platform as node } from '../src/crypto/node.ts'
import type { Platform } from '../src/crypto/platform.ts'
import { createRandomPool } from '../src/crypto/random-pool.ts'
import { createKeys } from '../src/crypto/seal.ts'
import { platform as web } from '../src/crypto/web.ts'
import { platformContract } from './support/platform-contract.ts'
import { secret } from './support/service.ts'

const now = 1_000_000
const expires = now + 60

describe.for(Object.entries({ web, node }))('the contract of a platform: %s', ([, platform]) => {
  test.for(platformContract)('$name', ({ run }) => run(platform))
})

test('Node has the platform without promises', () => {
  expect(chosen).toBe(node)
  expect(node.hash('abc')).toBeTypeOf('string')
})

const pairs: readonly (readonly [string, Platform, string, Platform])[] = [
  ['web', web, 'node', node],
  ['node', node, 'web', web],
]

describe.for(pairs)('the keys of %s', ([, one, , other]) => {
  const keys = createKeys([secret], one.random, one)
  const others = createKeys([secret], other.random, other)

  test('open what the other platform sealed', async () => {
    for (const purpose of ['session', 'flow', 'return'] as const) {
      const sealed = await others[purpose].seal({ a: 'ä' }, expires)
      expect(await keys[purpose].open(sealed, now)).toEqual({ a: 'ä', exp: expires })
    }
  })

  test('verify what the other platform signed', async () => {
    for (const purpose of ['csrf', 'import', 'token'] as const) {
      const mac = await others[purpose].sign('ä')
      expect(await keys[purpose].verify('ä', mac)).toBe(true)
      expect(await keys[purpose].verify('a', mac)).toBe(false)
      expect(await keys[purpose].verify('ä', mac.slice(1))).toBe(false)
      expect(await keys[purpose].signWithAll('ä')).toEqual([mac])
    }
  })

  test('open what an earlier release sealed and signed', async () => {
    expect(await keys.session.open(earlier.sealed, now)).toEqual({ a: 'ä', exp: 4_102_444_800 })
    expect(await keys.csrf.verify('text ä', earlier.mac)).toBe(true)
  })

  test('seal a JWE that jose reads, and open one that jose wrote', async () => {
    const sealed = await keys.flow.seal({ a: 'ä' }, expires)
    const key = new Uint8Array(hkdfSync('sha256', secret, '', 'latchkey flow v1', 32))
    const { plaintext } = await compactDecrypt(sealed, key)
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toEqual({ a: 'ä', exp: expires })
    const { kid } = decodeProtectedHeader(sealed) as { kid: string }
    const written = await new CompactEncrypt(new TextEncoder().encode(`{"exp":${expires}}`))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
      .encrypt(key)
    expect(await keys.flow.open(written, now)).toEqual({ exp: expires })
  })
})

/** Made with `@noble/hashes` and WebCrypto, under {@link secret}. */
const earlier = {
  sealed:
    'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiOVpmUE5HZlcifQ..AAECAwQFBgcICQoL' +
    '.n9U4GTH1siSHtAMPGo4QO7e80Na4R9ryyLOg.YRkfL7GbLaL6chVczQx6HA',
  mac: '45o-aj9YJ4Pk72OawGjcnEN-XfZh5wynlw3DHT_aB8I',
}

describe('the random source of a platform', () => {
  /** Fills arrays with consecutive numbers, so that each byte of a block is another one. */
  const createCountingPool = () => {
    let next = 0
    const blocks: number[] = []
    const random = createRandomPool((bytes) => {
      blocks.push(bytes.byteLength)
      return bytes.map(() => next++ % 251)
    })
    return { random, blocks }
  }

  test('reads a block when it is first needed, and returns its bytes once', () => {
    const { random, blocks } = createCountingPool()
    expect(blocks).toEqual([])
    expect(createCountingPool().random(2)).toEqual(Uint8Array.of(0, 1))
    expect([...createRandomPool((block) => block.fill(7))(1)]).toEqual([7])
    const bytes = Array.from({ length: 64 }, () => [...random(16)]).flat()
    expect(bytes).toEqual(Array.from({ length: 1024 }, (_, i) => i % 251))
    expect(blocks).toEqual([1024])
    random(1000)
    random(100) // 24 bytes are left.
    expect(blocks).toEqual([1024, 1024, 1024])
  })

  test('clears the bytes of the block that it has handed out, and no other', () => {
    let block = new Uint8Array(0)
    const random = createRandomPool((bytes) => (block = bytes.fill(7)))
    for (const length of [16, 8]) expect([...random(length)]).toEqual(Array(length).fill(7))
    expect([...block]).toEqual([...Array(24).fill(0), ...Array(1000).fill(7)])
  })

  test('reads more than a block in one call', () => {
    const { random, blocks } = createCountingPool()
    expect(random(5000).byteLength).toBe(5000)
    expect(blocks).toEqual([5000])
  })

  test('repeats nothing after a failure of the platform', () => {
    let fails = false
    const random = createRandomPool((bytes) => {
      if (fails) throw new Error('no entropy')
      return crypto.getRandomValues(bytes)
    })
    const before = random(1000)
    fails = true
    expect(() => random(100)).toThrow('no entropy')
    const last = random(24)
    expect(() => random(1)).toThrow('no entropy')
    fails = false
    const values = [before.slice(0, 24), last, random(24)].map((bytes) => bytes.join())
    expect(new Set(values).size).toBe(3)
  })
})

test.for([
  ['tsconfig.json', false],
  ['tsconfig.node.json', true],
] as const)('%s: the types of Node are visible: %s', ([project, isVisible]) => {
  const root = resolve(import.meta.dirname, '..')
  const tsc = resolve(root, '../../node_modules/.bin/tsc')
  const files = execFileSync(tsc, ['-p', project, '--listFilesOnly'], { cwd: root }).toString()
  expect(files.includes('/@types/node/')).toBe(isVisible)
  expect(files.includes('src/crypto/node.ts')).toBe(isVisible)
})
