import { createHash, createPrivateKey, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import { oidc } from '@latchkey/core/providers/oidc'
import { createIssuer } from '@latchkey/testing/issuer'
import { createJws } from '@latchkey/testing/issuer-keys'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
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

/**
 * A key of 2048 bits whose primes are 65537^12345 and 65537^67890 modulo the first 126 primes, as in CVE-2017-15361. Of
 * other such primes many products have 2047 bits: they are refused for another reason.
 */
function createRocaKey(): RsaKey {
  const p = parseHex(`
    8f7bbf21c928684f520faac76f39ed9d50bc856ffd270ad45c38b31f0887b062
    6b7e14dce2db90c98aecb79a7026d14cf3b582c2bebd76a36f22014431de753f
    aed507061389724f4cc6413d001a0771b362bf50c5f127dc8be18912fcc0517d
    55ee505f487af92cd92ad52c7741334aa3a3ee14c8c74231914e2ba1361ee0eb`)
  const q = parseHex(`
    eb436ebe8d6ae12839618a7d07d88e7f63d3dcbfd7a9b12a6630cec7141da40e
    4ac7137e0e379a933c7f1f32027ce69658e6cdc5df3e8df373cffd816c533252
    8af6e8819d1f6caa1221263bd1abdb9909308666b9d058b004ce9f235ee14e2c
    75ae2d6688e09fc8520883fbdd0c9cfd966543c1f0c1f313590235e572a505b1`)
  const e = 65_537n
  const d = inverse(e, (p - 1n) * (q - 1n))
  const parts = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) }
  const encoded = Object.entries(parts).map(([name, value]) => [name, encode(value)])
  const jwk = { kty: 'RSA', ...Object.fromEntries(encoded) } as KeyInput
  return toRsaKey(createPrivateKey({ key: jwk, format: 'jwk' }))
}

function parseHex(text: string): bigint {
  return BigInt(`0x${text.replaceAll(/\s/g, '')}`)
}

type KeyInput = Extract<Parameters<typeof createPrivateKey>[0], { readonly format: 'jwk' }>['key']

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

test('the key with the ROCA vulnerability is as long as a strong one', () => {
  const bits = [strong, createRocaKey()].map(
    ({ jwk: { n = '' } }) =>
      parseHex(Buffer.from(n, 'base64url').toString('hex')).toString(2).length,
  )
  expect(bits).toEqual([2048, 2048])
})

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
