import type { RedactRuleName } from '../../src/lib/redact.ts'

/** What a rule of the log's redaction hides, and what looks alike but is kept. */
interface RedactExamples {
  /** Texts, and what is logged. */
  readonly hides: readonly (readonly [text: string, logged: string])[]
  readonly keeps: readonly string[]
}

/** The examples of every rule. Without its rule, each first text of `hides` would be readable. */
export const redactExamples: Readonly<Record<RedactRuleName, RedactExamples>> = {
  header: {
    hides: [
      ['Authorization: Token abc def', 'Authorization: [redacted]'],
      ['Set-Cookie: session=abc; Path=/', 'Set-Cookie: [redacted]'],
      ['{"cookie":"a=b; c=d","n":1}', '{"cookie":"[redacted]","n":1}'],
    ],
    keeps: ['authorization: missing', 'the cookie-parser package: not found', 'Cookie: invalid'],
  },
  credentials: {
    hides: [
      ['sent Bearer abc.def', 'sent Bearer [redacted]'],
      ['got Basic dXNlcjpwYXNz, refused', 'got Basic [redacted], refused'],
      ['DPoP a-b-c', 'DPoP [redacted]'],
    ],
    keeps: [
      'Bearer realm="x", error="invalid_token", error_description="the token expired"',
      'Bearer token expired',
      'BasicAuth plugin',
    ],
  },
  jose: {
    hides: [
      ['got "eyJhbGci.x', 'got "[redacted]'],
      ['eyJhbGciOiJkaXIifQ.x.y', '[redacted]'],
    ],
    keeps: ['keyJar eyj', 'monkeyJob'],
  },
  uuid: {
    hides: [
      ['facefeed-dead-beef-cafe-decadefacade', '[redacted]'],
      ['550e8400-e29b-41d4-a716-446655440000', '[redacted]'],
      ['/users/550E8400-E29B-41D4-A716-446655440000/', '/users/[redacted]/'],
    ],
    keeps: ['550e8400-e29b-41d4', '/0000/'],
  },
  namedValue: {
    hides: [
      ['apiKey: hunter2, retried', 'apiKey: [redacted], retried'],
      ['client_secret=p%40ss&grant_type=x', 'client_secret=[redacted]&grant_type=x'],
      ['{"code":"12345678","status":400}', '{"code":"[redacted]","status":400}'],
      ['{"refresh_token":"two words","n":1}', '{"refresh_token":"[redacted]","n":1}'],
      [
        '{\\"access_token\\":\\"a b\\",\\"n\\":1}',
        '{\\"access_token\\":\\"[redacted]\\",\\"n\\":1}',
      ],
    ],
    keeps: [
      "status code: 401, code: ECONNRESET, code: 'ER_DUP_ENTRY', sqlstate=28P01, code=23505",
      'unexpected state: expected 43 characters; invalid token: not a JWT',
      'monkey: banana, zipcode: plain',
    ],
  },
  emailAddress: {
    hides: [
      ['alice@example.com failed', '[redacted] failed'],
      ['alice%40example.com', '[redacted]'],
      ['email=alice%2540example.com&x=1', 'email=[redacted]&x=1'],
      ["o'brien+tag@xn--bcher-kva.example", '[redacted]'],
      ['<alice@[192.0.2.1]>', '<[redacted]>'],
    ],
    keeps: [
      'at file:///srv/node_modules/.pnpm/hono@4.13.19/node_modules/@latchkey/core/dist/index.js:1:2',
      "Access denied for user 'latchkey'@'172.18.0.3' (using password: YES)",
    ],
  },
  digits: {
    hides: [
      ['Your code is 12345678.', 'Your code is [redacted].'],
      ['typed 123456', 'typed [redacted]'],
    ],
    keeps: ['after 12345 ms', 'version 123456.7', '1234567 rows'],
  },
  run: {
    hides: [
      ['got Zk3kd92XzqPmA81bQw0x', 'got [redacted]'],
      ['opened /r/Zk3kd92XzqPmA81bQw0x', 'opened /r/[redacted]'],
      ['opened Zk3kd92XzqPmA81bQw0x://example.com', 'opened [redacted]://example.com'],
    ],
    keeps: [
      'SELF_SIGNED_CERT_IN_CHAIN, UNABLE_TO_VERIFY_LEAF_SIGNATURE, AADSTS7000215',
      'getaddrinfo ENOTFOUND ep-cool-darkness-123456-pooler.eu-central-1.aws.neon.tech',
      'storage.getSessionAndUser failed, then storage.findVerificationTokenById',
    ],
  },
}
