/**
 * The optional parts of a Worker, for the table of what each costs. A part that an application imports
 * is added to the Worker of src/workers/latchkey.ts; a part that is always in the bundle is left out of
 * it.
 */
export type Feature = AddedFeature | RemovedFeature

/** A part that an application imports. */
export interface AddedFeature {
  readonly name: string
  /** What is imported: `<name> from <module>`. */
  readonly imports: readonly string[]
}

/** A part that is always in the bundle, or that the Worker imports. */
export interface RemovedFeature {
  readonly name: string
  /** Its modules, relative to `packages/core/src`. */
  readonly modules: readonly string[]
}

/** All optional parts, in the order of the table. Move a row when its part becomes an import. */
export const features: readonly Feature[] = [
  { name: 'GitHub', modules: ['providers/github.ts'] },
  { name: 'Google', modules: ['providers/google.ts'] },
  { name: 'GitHub and Google', modules: ['providers/github.ts', 'providers/google.ts'] },
  { name: 'Apple', imports: ['apple from @latchkey/core/providers/apple'] },
  { name: 'Auth0', imports: ['auth0 from @latchkey/core/providers/auth0'] },
  { name: 'Discord', imports: ['discord from @latchkey/core/providers/discord'] },
  { name: 'GitLab', imports: ['gitlab from @latchkey/core/providers/gitlab'] },
  { name: 'Keycloak', imports: ['keycloak from @latchkey/core/providers/keycloak'] },
  {
    name: 'Microsoft Entra ID',
    imports: ['microsoftEntraId from @latchkey/core/providers/microsoft-entra-id'],
  },
  { name: 'any OpenID provider', imports: ['oidc from @latchkey/core/providers/oidc'] },
  { name: 'any OAuth provider', imports: ['oauth from @latchkey/core/providers/oauth'] },
  { name: 'sign-in by email', imports: ['email from @latchkey/core/providers/email'] },
  { name: 'email through Cloudflare', imports: ['cloudflare from @latchkey/mail/cloudflare'] },
  { name: 'email through Resend', imports: ['resend from @latchkey/mail/http'] },
  { name: 'email through SES', imports: ['ses from @latchkey/mail/http'] },
  { name: 'storage in D1', imports: ['d1Storage from @latchkey/storage-sql/d1'] },
  {
    name: 'Durable Objects',
    imports: [
      'withDurableObjects from @latchkey/durable-objects',
      'LatchkeyObject from @latchkey/durable-objects/object',
    ],
  },
  { name: 'a cache of metadata in KV', imports: ['kvCache from @latchkey/durable-objects/kv'] },
  { name: 'factors in D1', imports: ['sqlFactors from @latchkey/storage-sql/factors'] },
  { name: 'replicas of D1', imports: ['d1Reads from @latchkey/storage-sql/d1'] },
  { name: 'storage in libSQL', imports: ['libsqlStorage from @latchkey/storage-sql/libsql'] },
  { name: 'storage in PostgreSQL (pg)', imports: ['pgStorage from @latchkey/storage-sql/pg'] },
  { name: 'storage in MySQL', imports: ['mysql2Storage from @latchkey/storage-sql/mysql2'] },
  { name: 'storage in memory', imports: ['memoryStorage from @latchkey/core/memory'] },
  { name: 'German', imports: ['de from @latchkey/core/languages/de'] },
  { name: 'a brand', imports: ['brand from @latchkey/core/pages/brand'] },
  { name: 'marks on the buttons', imports: ['marks from @latchkey/core/pages/marks'] },
  {
    name: 'sessions of next-auth v4',
    imports: ['nextAuthV4 from @latchkey/core/import/next-auth-v4'],
  },
  { name: 'sessions of Auth.js v5', imports: ['authJs from @latchkey/core/import/auth-js'] },
  {
    name: 'access tokens in the cookie',
    imports: ['cookieAccessTokens from @latchkey/core/cookie-access-tokens'],
  },
  {
    name: 'back-channel logout',
    imports: ['createBackchannelLogout from @latchkey/core/backchannel-logout'],
  },
  {
    name: 'an outbox with a webhook',
    imports: ['outbox from @latchkey/core/outbox', 'webhook from @latchkey/core/outbox'],
  },
  { name: 'confirmations', imports: ['confirmation from @latchkey/core/confirmation'] },
  {
    name: 'TOTP and recovery codes',
    imports: [
      'confirmation from @latchkey/core/confirmation',
      'secondFactor from @latchkey/core/second-factor',
      'recoveryCodes from @latchkey/totp',
      'totp from @latchkey/totp',
    ],
  },
  {
    name: 'account pages',
    imports: [
      'confirmation from @latchkey/core/confirmation',
      'accountPages from @latchkey/core/account',
    ],
  },
  {
    name: 'emails about security',
    imports: ['securityEmails from @latchkey/core/security-emails'],
  },
  {
    name: 'passwords',
    imports: [
      'confirmation from @latchkey/core/confirmation',
      'argon2Module from @latchkey/passwords/argon2-module',
      'breachedPasswords from @latchkey/passwords',
      'passwords from @latchkey/passwords',
    ],
  },
  {
    name: 'passkeys',
    imports: ['confirmation from @latchkey/core/confirmation', 'passkeys from @latchkey/passkeys'],
  },
  {
    name: 'rules for passwords',
    imports: [
      'breachedPasswords from @latchkey/passwords',
      'passwordRules from @latchkey/passwords',
    ],
  },
  {
    name: 'hashes by an Argon2 module',
    imports: ['argon2Module from @latchkey/passwords/argon2-module'],
  },
  { name: 'tokens for APIs', imports: ['apiTokens from @latchkey/core/api-tokens'] },
  { name: 'limiter in memory', imports: ['memoryLimiter from @latchkey/core/limiters'] },
  {
    name: 'pages',
    modules: [
      'pages/continue.ts',
      'pages/error.ts',
      'pages/html.ts',
      'pages/layout.ts',
      'pages/policy.ts',
      'pages/signin.ts',
      'pages/signout.ts',
      'pages/theme.ts',
      'pages/verify-request.ts',
    ],
  },
  { name: 'English', modules: ['pages/languages/en.ts'] },
  { name: 'stored sessions', modules: ['session/stored-session.ts'] },
  {
    name: 'access tokens',
    modules: ['access-tokens/get-access-token.ts', 'access-tokens/stored-access-tokens.ts'],
  },
  { name: 'lists of sessions', modules: ['api/sessions.ts'] },
  { name: 'lists of accounts', modules: ['api/accounts.ts'] },
  { name: 'users on the server', modules: ['api/users.ts', 'api/user-changes.ts'] },
  { name: 'linking of accounts', modules: ['sign-in/link-account.ts'] },
  {
    name: 'limits',
    modules: ['limits/apply-limit.ts', 'limits/limits.ts', 'limits/resolve-limiter.ts'],
  },
  { name: 'callbacks by POST', modules: ['sign-in/posted-callback.ts'] },
  {
    name: 'messages that explain mistakes',
    modules: ['oauth/explain-mismatch.ts', 'known-options.ts', 'option-names.ts'],
  },
]
