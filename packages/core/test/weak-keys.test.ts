import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  generatePrimeSync,
  sign as signBytes,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import { oidc } from '@latchkey/core/providers/oidc'
import { createIssuer } from '@latchkey/core/testing/issuer'
import { createJws } from '@latchkey/core/testing/issuer-keys'
import { signInAtIssuer } from '@latchkey/core/testing/issuer-sign-in'
import { origin, getRedirect, serve } from './support/service.ts'

const client = { clientId: 'client-id', clientSecret: 'kept secret' }

/** A published RSA key, and a function that signs with it. */
interface RsaKey {
  readonly jwk: JsonWebKey
  readonly sign: (input: Uint8Array) => Uint8Array
}

function createKey(modulusLength: number, publicExponent = 65_537): RsaKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength, publicExponent })
  return toRsaKey(privateKey)
}

function toRsaKey(privateKey: KeyObject): RsaKey {
  const { kty, n, e } = privateKey.export({ format: 'jwk' })
  const jwk = { kty: String(kty), n: String(n), e: String(e) }
  return { jwk, sign: (input) => signBytes('sha256', input, privateKey) }
}

/** With the exponent 1 a signature is its own encoded message (RFC 8017 §9.2): anyone can make it. */
function createExponentOneKey(): RsaKey {
  const { jwk } = createKey(2048)
  const prefix = Buffer.from('3031300d060960864801650304020105000420', 'hex')
  return {
    jwk: { ...jwk, e: 'AQ' },
    sign(input) {
      const digest = new Uint8Array(createHash('sha256').update(input).digest())
      const padding = Buffer.alloc(256 - 3 - prefix.length - digest.length, 0xff)
      return Buffer.concat([Buffer.of(0, 1), padding, Buffer.of(0), prefix, digest])
    },
  }
}

/** A key whose primes are powers of 65537 modulo the first 126 primes, as in CVE-2017-15361. */
function createRocaKey(): RsaKey {
  const primorial = getPrimes(701).reduce((product, prime) => product * BigInt(prime), 1n)
  const [p, q] = [12_345n, 67_890n].map((exponent) => {
    const rem = power(65_537n, exponent, primorial)
    return generatePrimeSync(1024, { add: primorial, rem, bigint: true })
  }) as [bigint, bigint]
  const e = 65_537n
  const d = inverse(e, (p - 1n) * (q - 1n))
  const parts = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) }
  const encoded = Object.entries(parts).map(([name, value]) => [name, encode(value)])
  const jwk = { kty: 'RSA', ...Object.fromEntries(encoded) } as KeyInput
  return toRsaKey(createPrivateKey({ key: jwk, format: 'jwk' }))
}

type KeyInput = Extract<Parameters<typeof createPrivateKey>[0], { readonly format: 'jwk' }>['key']

function getPrimes(max: number): readonly number[] {
  const numbers = Array.from({ length: max - 1 }, (_, index) => index + 2)
  return numbers.filter((each) => numbers.every((other) => other >= each || each % other !== 0))
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  for (const bit of exponent.toString(2)) {
    result = (result * result * (bit === '1' ? base : 1n)) % modulus
  }
  return result
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [previous, rest, a, b] = [modulus, value, 0n, 1n]
  while (rest !== 0n) {
    const quotient = previous / rest
    ;[previous, rest] = [rest, previous - quotient * rest]
    ;[a, b] = [b, a - quotient * b]
  }
  return ((a % modulus) + modulus) % modulus
}

function encode(value: bigint): string {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url')
}

/** Signs in at an issuer that publishes the keys, and signs with one of them, without a `kid`. */
async function signInWith(published: readonly JsonWebKey[], { sign }: RsaKey): Promise<Outcome> {
  const issuer = createIssuer({
    ...client,
    metadata: { id_token_signing_alg_values_supported: ['RS256'] },
  })
  const { browse, lines } = serve({
    providers: [oidc({ id: 'op', name: 'The provider', issuer: issuer.issuer, ...client })],
    runtime: {
      async fetch(url, init) {
        const response = await issuer.fetch(url, init)
        if (url.endsWith('/jwks')) return Response.json({ keys: published })
        if (!url.endsWith('/token')) return response
        const body = (await response.json()) as { id_token: string }
        const payload = Buffer.from(body.id_token.split('.')[1] ?? '', 'base64url').toString()
        const id_token = await createJws({ alg: 'RS256' }, payload, async (input) => sign(input))
        return Response.json({ ...body, id_token })
      },
    },
  })
  const response = await signInAtIssuer(browse(), issuer)
  const isSignedIn = response.headers.get('location') === origin
  return {
    result: isSignedIn ? 'signed in' : getRedirect(response).error,
    log: JSON.stringify(lines),
  }
}

interface Outcome {
  readonly result: string | null
  readonly log: string
}

const strong = createKey(2048)

test.each([
  ['of 2048 bits with the exponent 65537', strong],
  ['of 2048 bits with the exponent 3', createKey(2048, 3)],
  ['of 3072 bits', createKey(3072)],
])('an ID Token signed with an RSA key %s is accepted (I-24)', async (_, key) => {
  expect(await signInWith([key.jwk], key)).toMatchObject({ result: 'signed in' })
})

test.each([
  ['with the exponent 1', createExponentOneKey()],
  ['with the ROCA vulnerability', createRocaKey()],
  ['of 1024 bits', createKey(1024)],
  ['of 2040 bits', createKey(2040)],
])('an ID Token signed with an RSA key %s is refused (I-24)', async (_, key) => {
  const { result, log } = await signInWith([key.jwk], key)
  expect(result).toBe('OAuthCallback')
  expect(log).toContain('found only weak ones')
})

test.each([
  ['the exponent 1', createExponentOneKey().jwk],
  ['an even exponent', { ...createKey(2048).jwk, e: 'AgAA' }],
  ['the exponent 0', { ...createKey(2048).jwk, e: 'AA' }],
  ['no exponent', { kty: 'RSA', n: createKey(2048).jwk.n ?? '' }],
  ['a malformed modulus', { ...createKey(2048).jwk, n: '!' }],
  ['the ROCA vulnerability', createRocaKey().jwk],
  ['1024 bits', createKey(1024).jwk],
])('an RSA key with %s is ignored beside another one (I-24)', async (_, weak) => {
  expect(await signInWith([weak, strong.jwk], strong)).toMatchObject({ result: 'signed in' })
})
