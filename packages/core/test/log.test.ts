import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redact, redactRules } from '../src/lib/redact.ts'
import { redactExamples } from './support/redact-examples.ts'
import { serve, signIn } from './support/service.ts'
import type { LogLine } from './support/service.ts'

/** Returns a function that logs a text as the message of an error, and returns what was logged. */
async function createLogger(): Promise<(text: string) => Promise<string>> {
  let message = ''
  const { browse, lines } = serve({
    callbacks: {
      session: () => {
        throw new Error(message)
      },
    },
  })
  const browser = browse()
  await signIn(browser)
  return async (text) => {
    message = text
    lines.length = 0
    expect((await browser.visit('/session')).status).toBe(500)
    return getCause(lines)
  }
}

function getCause(lines: readonly LogLine[]): string {
  const [cause = ''] = lines[0]?.details.causes ?? []
  expect(cause).toMatch(/^Error: /)
  return cause.slice('Error: '.length)
}

/** Returns the logged form of a text. */
async function getLogged(text: string): Promise<string> {
  return (await createLogger())(text)
}

describe('the log keeps', () => {
  test.each([
    'getaddrinfo ENOTFOUND ep-cool-darkness-123456-pooler.eu-central-1.aws.neon.tech',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'connect ECONNREFUSED ::1:5432',
    "Can't reach database server at `aws-0-eu-central-1.pooler.supabase.com:6543`",
    'redis://127.0.0.1:6379 closed the connection',
    'https://login.microsoftonline.com/9188040d/v2.0/.well-known/openid-configuration: 503',
    'https://keycloak.example:8443/realms/company/protocol/openid-connect/token, status 404',
    'expected the issuer https://accounts.google.com, got https://accounts.google.com/',
    'at signIn (file:///srv/node_modules/.pnpm/hono@4.13.19/node_modules/@latchkey/core/dist/index-B3kd92Xz.js:12:34)',
    "Access denied for user 'latchkey'@'172.18.0.3' (using password: YES)",
    'password authentication failed for user "latchkey"',
    'duplicate key value violates unique constraint "latchkey_accounts_provider_2_key"',
    'SQLITE_CONSTRAINT_PRIMARYKEY: no such table: latchkey_verification_tokens',
    "status code: 401, code: ECONNRESET, code: 'ER_DUP_ENTRY', sqlstate=28P01, code=23505",
    '535 5.7.8 authentication failed at smtp.example.com:587',
    'unexpected state: expected 43 characters; invalid token: not a JWT',
    'Bearer realm="x", error="invalid_token", error_description="the token expired"',
    'SELF_SIGNED_CERT_IN_CHAIN, UNABLE_TO_VERIFY_LEAF_SIGNATURE, AADSTS7000215',
    'PrismaClientInitializationError: unsupported_grant_type',
    'storage.getSessionAndUser failed, then storage.findVerificationTokenById',
    'the storage answered after 12345 ms, the limit is 10000 ms',
  ])('%s', async (text) => {
    expect(await getLogged(text)).toBe(text)
  })
})

describe.each(Object.entries(redactExamples))(
  'the rule %s of the log',
  (name, { hides, keeps }) => {
    const others = redactRules().filter((rule) => rule.name !== name)

    test.each(hides)('hides the secret of %s', async (text, logged) => {
      expect(await getLogged(text)).toBe(logged)
    })

    test.each(keeps)('keeps %s', async (text) => {
      expect(await getLogged(text)).toBe(text)
    })

    test('is necessary: no other rule hides the same', () => {
      const [[text, logged] = ['', '']] = hides
      expect(redact(text)).toBe(logged)
      expect(redact(text, others)).not.toBe(logged)
    })
  },
)

describe('the log hides', () => {
  test.each([
    ['https://u:p@h.example/x?code=a#b', 'https://[redacted]@h.example/x?[redacted]'],
    ['https://h.example/r/Zk3kd92XzqPmA81bQw0x', 'https://h.example/r/[redacted]'],
    ['https://alice%40example.com/', 'https://[redacted]/'],
    ['mysql://u:p@s/s?w@db.example/x', 'mysql://[redacted]@db.example/x'],
  ])('the secret of %s', async (text, logged) => {
    expect(await getLogged(text)).toBe(logged)
  })

  test('the end of a long text, at a word: half a secret would stay readable', async () => {
    const log = await createLogger()
    for (let length = 3900; length < 4010; length += 1) {
      const logged = await log(`${'ab '.repeat(length).slice(0, length)} alice@example.com`)
      expect(logged).not.toContain('alice')
      expect(logged.length).toBeLessThanOrEqual(1001)
    }
  })

  const word = fc.stringMatching(/^[!-~]{1,40}$/)
  /** Random bytes in a text encoding. Zeros, which fast-check prefers, would not be random. */
  const random = (encoding: BufferEncoding, min: number): fc.Arbitrary<string> =>
    fc
      .tuple(fc.noBias(fc.nat()), fc.integer({ min, max: 48 }))
      .map(([seed, length]) => createHash('sha512').update(`${seed}`).digest().subarray(0, length))
      .map((bytes) => bytes.toString(encoding))
  const secrets: readonly (readonly [string, fc.Arbitrary<string>])[] = [
    ['base64url', random('base64url', 16)],
    ['base64', random('base64', 16)],
    ['hexadecimal', random('hex', 10)],
    ['UUIDs', fc.uuid()],
    ['codes', fc.stringMatching(/^\d{8}$/)],
    ['email addresses', fc.emailAddress()],
    ['email addresses in URLs', fc.emailAddress().map(encodeURIComponent)],
  ]
  const before = fc.constantFrom('', 'to ', '"', "'", '(', '<', 'x=', 'a: ', '?y=', '&z=', 'a,')
  const after = fc.constantFrom('', ' failed', '"', "'", ')', '>', '&b=c', ', then', '; then', '}')
  const text = fc.string({ maxLength: 30 })

  test.each(secrets)('random %s, whatever stands around them', async (_, secret) => {
    const log = await createLogger()
    const property = fc.asyncProperty(text, before, secret, after, async (lead, a, hidden, b) => {
      const logged = await log(`${lead} ${a}${hidden}${b}`)
      expect(logged).not.toContain(hidden)
    })
    await fc.assert(property, { numRuns: 300 })
  })

  test('values of any form by their names', async () => {
    const log = await createLogger()
    const name = fc.constantFrom('client_secret', 'refresh_token', 'password', 'code_verifier')
    const property = fc.asyncProperty(name, word, async (key, value) => {
      // A quote or a separator would end it; a word of error messages would be kept.
      const hidden = `x${value.replaceAll(/["'\\&;,})\]]/g, 'x')}x1`
      for (const line of [`${key}=${hidden}`, `{"${key}":"${hidden}"}`, `${key}: ${hidden}`]) {
        expect(await log(line)).not.toContain(hidden)
      }
    })
    await fc.assert(property, { numRuns: 200 })
  })
})

describe('the time that the log takes', () => {
  /** Texts that make backtracking patterns slow, by the number of characters. */
  const shapes: Readonly<Record<string, (length: number) => string>> = {
    letters: (length) => 'a'.repeat(length),
    'letters and digits': (length) => 'aB3-'.repeat(length / 4),
    'at signs': (length) => 'a@'.repeat(length / 2),
    'percent signs': (length) => '%25'.repeat(length / 3),
    quotes: (length) => "'".repeat(length),
    'names without values': (length) => 'token '.repeat(length / 6),
    'white space': (length) => `token${' '.repeat(length - 5)}`,
    dots: (length) => `https://${'.'.repeat(length - 9)}!`,
    slashes: (length) => '/'.repeat(length),
    'camel case': (length) => 'Abcd'.repeat(length / 4),
    underscores: (length) => `code=${'A_'.repeat(length / 2)}`,
  }
  const ordinary = (length: number): string => 'connect to db.example failed; '.repeat(length / 30)

  /** Returns the shortest time of several requests that log a text, in milliseconds. */
  async function measure(log: (text: string) => Promise<string>, text: string): Promise<number> {
    let shortest = Infinity
    for (let i = 0; i < 15; i++) {
      const start = performance.now()
      await log(text)
      shortest = Math.min(shortest, performance.now() - start)
    }
    return shortest
  }

  test.each(Object.entries(shapes))(
    'grows with the length of %s, not with its square',
    async (_, of) => {
      const log = await createLogger()
      for (const length of [390, 1000]) {
        const [short, long] = [await measure(log, of(length)), await measure(log, of(length * 10))]
        expect(long / short).toBeLessThan(30)
      }
    },
  )

  test.each(Object.entries(shapes))('is for %s about that for ordinary words', async (_, of) => {
    const log = await createLogger()
    for (const length of [1000, 3900]) {
      const usual = await measure(log, ordinary(length))
      expect((await measure(log, of(length))) / usual).toBeLessThan(10)
    }
  })

  test('is not felt in a reply to a foreign Origin of 1,000 letters', async () => {
    const browser = serve().browse()
    const post = async (origin: string): Promise<number> => {
      const start = performance.now()
      const response = await browser.post('/signin/passport', {}, { headers: { origin } })
      expect(response.status).toBe(403)
      return performance.now() - start
    }
    const getShortest = async (origin: string): Promise<number> => {
      const times: number[] = []
      for (let i = 0; i < 15; i++) times.push(await post(origin))
      return Math.min(...times)
    }
    const usual = await getShortest('https://evil.example')
    expect((await getShortest('a'.repeat(1000))) / usual).toBeLessThan(5)
  })
})
