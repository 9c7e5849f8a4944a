import { equal } from '@latchkey/testing/equal'
import fc from 'fast-check'
import type { AesKey, HmacKey, Platform, RootKey } from '../../src/crypto/platform.ts'

/** One requirement of a {@link Platform}. */
export interface PlatformCase {
  readonly name: string
  /** @throws Error with the expected and the actual value */
  readonly run: (platform: Platform) => Promise<void>
}

const secret = 'a secret of thirty-two bytes or more'
const iv = Uint8Array.from({ length: 12 }, (_, i) => i)
/** `Zoë 😀`, sealed with the key of {@link getAesKey}, {@link iv} and the additional data `header`. */
const sealed = 'AAECAwQFBgcICQoL.vpiakCsn7hgl.AX6lWPXBmYxc83K9xQvZXQ'
/** The bytes C3 28, which are not UTF-8, sealed in the same way. */
const sealedInvalid = 'AAECAwQFBgcICQoL.J98.jzxrFpbV_ZkqDzOIL2zxkA'
/** The HMAC of `Zoë 😀` with the key of {@link getHmacKey}. */
const mac = 'GKlaMN8U188oBB5wDfgaZ3UPiWUu5oxxPhXg7n2kTTI'
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Plain data, for any test framework: the cases run on Node and inside workerd. */
export const platformContract: readonly PlatformCase[] = [
  contract('hash returns the digest of UTF-8 (FIPS 180-4)', async (platform) => {
    for (const [text, algorithm, digest] of digests) {
      equal(await platform.hash(text, algorithm), digest, `${algorithm} of ${text}`)
    }
    equal(await platform.hash('abc'), digests[0][2], 'the default')
    equal(await platform.hash('a\uD800'), await platform.hash('a\uFFFD'), 'a lone surrogate')
  }),
  contract('deriveBytes is HKDF-SHA-256 (RFC 5869 §A.3)', async (platform) => {
    const root = await platform.importSecret('\v'.repeat(22))
    const bytes = await root.deriveBytes({ salt: '', info: '' }, 42)
    const expected =
      '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8'
    equal(toHex(bytes), expected, 'the bytes')
  }),
  contract('salt and info are both part of a derivation', async (platform) => {
    const root = await platform.importSecret(secret)
    const bytes = await root.deriveBytes({ salt: 'salt', info: 'info' }, 6)
    equal(toHex(bytes), 'b1f0536c469e', 'the bytes')
    for (const derivation of [
      { salt: 'info', info: 'salt' },
      { salt: 'saltinfo', info: '' },
      { salt: 'salt', info: '' },
    ]) {
      const other = await root.deriveBytes(derivation, 6)
      equal(toHex(other) === toHex(bytes), false, JSON.stringify(derivation))
    }
  }),
  contract('sign is HMAC-SHA-256 with the derived key', async (platform) => {
    equal(await (await getHmacKey(platform)).sign('Zoë 😀'), mac, 'the HMAC')
  }),
  contract('verify accepts the HMAC of any text, and of no other', async (platform) => {
    const key = await getHmacKey(platform)
    const other = await getHmacKey(platform, 'another purpose')
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (text, another) => {
        const given = await key.sign(text)
        equal(await key.verify(text, given), true, 'the same text')
        equal(await key.verify(another, given), another === text, 'another text')
        equal(await other.verify(text, given), false, 'another key')
      }),
    )
  }),
  contract(
    'verify refuses an HMAC with an altered character, and any other text',
    async (platform) => {
      const key = await getHmacKey(platform)
      for (const altered of alter(mac)) {
        equal(await key.verify('Zoë 😀', altered), false, altered)
      }
      await fc.assert(
        fc.asyncProperty(fc.string(), async (text) => {
          equal(await key.verify('Zoë 😀', text), false, text)
        }),
      )
    },
  ),
  contract('seal is AES-256-GCM with the derived key', async (platform) => {
    const key = await getAesKey(platform)
    equal(await key.seal('Zoë 😀', 'header', iv), sealed, 'the sealed text')
    equal(await key.open(sealed, 'header'), 'Zoë 😀', 'the opened text')
  }),
  contract(
    'open returns any text that was sealed, only with its key and additional data',
    async (platform) => {
      const key = await getAesKey(platform)
      const other = await getAesKey(platform, 'another purpose')
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: 'grapheme' }),
          fc.string(),
          fc.string(),
          async (text, data, another) => {
            const value = await key.seal(text, data, platform.random(12))
            equal(await key.open(value, data), text, 'the same key and data')
            equal(
              await key.open(value, another),
              another === data ? text : undefined,
              'another data',
            )
            equal(await other.open(value, data), undefined, 'another key')
          },
        ),
      )
      const long = 'x'.repeat(100_000)
      equal(await key.open(await key.seal(long, '', platform.random(12)), ''), long, 'a long text')
    },
  ),
  contract('open refuses each altered, missing and additional character', async (platform) => {
    const key = await getAesKey(platform)
    // Ciphertexts of each length modulo 3: the last character has 0, 4 and 2 unused bits.
    for (const text of ['abc', 'abcd', 'abcde', '']) {
      const value = await key.seal(text, 'header', iv)
      for (const altered of alter(value)) {
        equal(await key.open(altered, 'header'), undefined, altered)
      }
    }
  }),
  contract('open refuses parts whose boundaries are moved', async (platform) => {
    const key = await getAesKey(platform)
    const [first = '', ciphertext = '', tag = ''] = (await key.seal('abcdef', '', iv)).split('.')
    const all = first + ciphertext + tag
    for (const [a, b] of [
      [15, 24],
      [16, 20],
      [16, 23],
      [16, 28],
      [12, 24],
      [20, 24],
    ] as const) {
      const moved = [all.slice(0, a), all.slice(a, b), all.slice(b)].join('.')
      equal(await key.open(moved, ''), undefined, moved)
    }
  }),
  contract('open refuses any other text without an exception', async (platform) => {
    const key = await getAesKey(platform)
    const parts = fc.array(fc.stringMatching(/^[\w-]*$/), { minLength: 3, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          parts.map((each) => each.join('.')),
        ),
        async (text) => {
          equal(await key.open(text, ''), undefined, text)
        },
      ),
    )
  }),
  contract('open refuses bytes that are not UTF-8', async (platform) => {
    equal(await (await getAesKey(platform)).open(sealedInvalid, 'header'), undefined, 'the text')
  }),
  contract(
    'seal requires 12 bytes, and its error contains nothing of the text',
    async (platform) => {
      const key = await getAesKey(platform)
      for (const length of [0, 11, 13, 16]) {
        const thrown = await catchError(() =>
          key.seal('plaintext', 'header', new Uint8Array(length)),
        )
        equal(
          thrown.message,
          `expected an initialization vector of 12 bytes, found ${length}`,
          `${length} bytes`,
        )
      }
    },
  ),
  contract('random returns new bytes of any length, which share no memory', async (platform) => {
    const seen = new Set<string>()
    for (let i = 0; i < 1000; i++) {
      const bytes = platform.random(8 + (i % 32))
      equal(bytes.byteLength, 8 + (i % 32), 'the length')
      equal(bytes.buffer.byteLength, bytes.byteLength, 'the memory')
      seen.add(toHex(bytes).slice(0, 16))
      bytes.fill(0)
    }
    equal(seen.size, 1000, 'different values')
    for (const length of [0, 1, 1023, 1024, 1025, 65_536]) {
      const bytes = platform.random(length)
      equal(bytes.byteLength, length, 'the length')
      // Of 65,536 random bytes, 256 are expected to be zero; a byte that was handed out before is.
      const zeros = bytes.filter((byte) => byte === 0).length
      equal(zeros <= 16 + length / 64, true, `${zeros} zeros of ${length} bytes`)
    }
  }),
]

const digests = [
  ['abc', 'SHA-256', 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0'],
  ['abc', 'SHA-384', 'ywB1P0WjXou1oD1pmsZQBycsMqsO3tFjGotgWkP_W-2AhgcroefMI1i67KE0yCWn'],
  [
    'abc',
    'SHA-512',
    '3a81oZNherrMQXNJriBBMRLm-k6JqX6iCp7u5ktV05ohkpkqJ0_BqDa6PCOj_uu9RU1EI2Q86A4qmslPpUyknw',
  ],
  ['Zoë 😀', 'SHA-256', 'kbeEer7gSCZRA5rF4PqEFtjrnrEd6faODDHF_3oPD-w'],
] as const

function contract(name: string, run: PlatformCase['run']): PlatformCase {
  return { name, run }
}

async function getRoot(platform: Platform): Promise<RootKey> {
  return platform.importSecret(secret)
}

async function getAesKey(platform: Platform, purpose = 'latchkey session v1'): Promise<AesKey> {
  return (await getRoot(platform)).deriveAesKey({ salt: '', info: purpose })
}

async function getHmacKey(platform: Platform, purpose = 'latchkey csrf v1'): Promise<HmacKey> {
  return (await getRoot(platform)).deriveHmacKey({ salt: '', info: purpose })
}

/** Returns every text that differs in one character, is shorter, or that decoders read as the same bytes. */
function* alter(text: string): Iterable<string> {
  for (let at = 0; at < text.length; at++) {
    const [before, char, after] = [text.slice(0, at), text[at], text.slice(at + 1)]
    yield before + after
    for (const other of `${alphabet}.=+/ `) {
      if (other !== char) yield before + other + after
    }
  }
  for (let length = 0; length < text.length; length++) yield text.slice(0, length)
  for (const more of ['A', '=', '==', ' ', '\n', '.', '.A', '\0']) yield text + more
  for (const more of ['A', ' ', '\n', '.']) yield more + text
}

async function catchError(work: () => unknown): Promise<Error> {
  try {
    await work()
  } catch (thrown) {
    return thrown as Error
  }
  throw new Error('expected an error, found none')
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
