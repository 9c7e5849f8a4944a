import type { TargetName } from './targets.ts'

/** A deliberate fault in a source, which a target must find. */
export interface FuzzFault {
  readonly name: string
  readonly target: TargetName
  /** From the root of the repository. */
  readonly file: string
  /** The source text to replace, which the file has exactly once. */
  readonly text: string
  readonly replacement: string
  /** What the message of the broken invariant contains. */
  readonly broken: string
  /** A seed that finds it soon. Default: 1 */
  readonly seed?: number
}

/** Faults of every target. */
export const faults: readonly FuzzFault[] = [
  {
    name: 'open-redirect',
    target: 'handle',
    file: 'packages/core/src/http/return-url.ts',
    text: 'if (url.origin === origin || trustedOrigins.has(url.origin)) return url.href',
    replacement: 'return url.href',
    broken: 'https://evil.example',
    seed: 3,
  },
  {
    name: 'body-of-head',
    target: 'handle',
    file: 'packages/core/src/http/reply.ts',
    text: 'init.isHead ? null : body',
    replacement: 'body',
    broken: 'body of a HEAD',
  },
  {
    name: 'markup',
    target: 'handle',
    file: 'packages/core/src/pages/signin.ts',
    text: 'html`value="${value}"`',
    replacement: 'html`value="${raw(value)}"`',
    broken: 'markup: ',
    seed: 5,
  },
  {
    name: 'signature',
    target: 'id-token',
    file: 'packages/core/src/oauth/id-token.ts',
    text: "await verifySignature(as, response, tokens.id_token ?? '', keys, runtime)",
    replacement: '',
    broken: 'the issuer did not sign',
  },
  {
    name: 'azp',
    target: 'id-token',
    file: 'packages/core/src/oauth/id-token.ts',
    text: 'claims.azp !== undefined && claims.azp !== client.client_id',
    replacement: 'false',
    broken: 'azp: ',
  },
  {
    name: 'nonce-of-logout',
    target: 'logout-token',
    file: 'packages/core/src/logout/logout-token.ts',
    text: "checkClaim('nonce', nonce === undefined)",
    replacement: '',
    broken: 'nonce',
  },
  {
    name: 'insecure-endpoint',
    target: 'discovery',
    file: 'packages/core/src/oauth/discovery.ts',
    text: 'if (isPlain && isInScope(url, issuer)) return',
    replacement: 'if (url) return',
    broken: 'a request with credentials in its URL',
  },
  {
    name: 'control-characters',
    target: 'token-response',
    file: 'packages/core/src/oauth/token-request.ts',
    text: "if (!isStorableText(value ?? '')) {",
    replacement: 'if (false) {',
    broken: 'stored: ',
  },
  {
    name: 'subject-of-userinfo',
    target: 'userinfo',
    file: 'packages/core/src/oauth/userinfo.ts',
    text: 'oauth.processUserInfoResponse(as, client, subject, response)',
    replacement: 'oauth.processUserInfoResponse(as, client, oauth.skipSubjectCheck, response)',
    broken: 'sub of userinfo: ',
  },
  {
    name: 'audience',
    target: 'jarm',
    file: 'packages/core/src/oauth/jarm.ts',
    text: 'audience: client.client_id,',
    replacement: '',
    broken: 'aud: ',
  },
  {
    name: 'second-encoding',
    target: 'webauthn',
    file: 'packages/passkeys/src/cbor.ts',
    text: "if (argument < smallest) throw malformed('the CBOR has an argument that could be shorter')",
    replacement: '',
    broken: 'CBOR has a second encoding',
  },
  {
    name: 'cross-origin',
    target: 'webauthn',
    file: 'packages/passkeys/src/client-data.ts',
    text: "!expected.origins.includes(readText(clientData, 'origin'))",
    replacement: 'false',
    broken: 'origin: ',
  },
  {
    name: 'status',
    target: 'breached-passwords',
    file: 'packages/passwords/src/breached-passwords.ts',
    text: 'if (response.status !== 200) throw new Error(`expected the status 200, found ${response.status}`)',
    replacement: '',
    broken: 'a failed check is not logged',
  },
  {
    name: 'expiry',
    target: 'pure',
    file: 'packages/core/src/crypto/seal.ts',
    text: " && Number(content['exp']) > now",
    replacement: '',
    broken: 'opens after its expiry',
  },
  {
    name: 'secret-as-scheme',
    target: 'pure',
    file: 'packages/core/src/lib/redact.ts',
    text: 'redactText(scheme, rules),',
    replacement: 'scheme,',
    broken: 'secret in a log line',
  },
  {
    name: 'unguarded',
    target: 'rows-sql',
    file: 'packages/core/src/storage/guard-storage.ts',
    text: "throw new AuthError('Unavailable', `storage.${method} failed`, { cause })",
    replacement: 'throw cause',
    broken: 'status of 500 or more',
  },
  {
    name: 'undefined-provider',
    target: 'rows-redis',
    file: 'packages/storage-redis/src/records.ts',
    text: 'return [{ ...(tokens as Tokens), provider, type, providerAccountId }]\n    }',
    replacement:
      'return [{ ...(tokens as Tokens), provider, type, providerAccountId }]\n    }\n    return [{ provider: String(provider), type: String(type), providerAccountId: String(providerAccountId) }]',
    broken: 'text of an exception',
    seed: 2,
  },
  {
    name: 'last-way',
    target: 'storages',
    file: 'packages/core/src/storage/memory-factors.ts',
    text: 'countWays(userId) < 2',
    replacement: 'false',
    broken: 'deleteFactor differs',
  },
]
