/** A plugin in the list of better-auth's documentation. */
interface Plugin {
  /** Its page in better-auth's documentation. */
  readonly name: string
  /** What `better-auth/plugins` exports, or the package that has it. */
  readonly from: string
  /** What Latchkey has for it, and how much. Missing if there is nothing. */
  readonly latchkey?: { readonly extent: 'whole' | 'part'; readonly by: string }
}

const whole = (by: string): NonNullable<Plugin['latchkey']> => ({ extent: 'whole', by })
const part = (by: string): NonNullable<Plugin['latchkey']> => ({ extent: 'part', by })

/** The plugins that better-auth documents, by kind, in the order of its documentation. */
export const plugins: Readonly<Record<string, readonly Plugin[]>> = {
  'Ways of signing in': [
    {
      name: 'two factors',
      from: 'twoFactor',
      latchkey: part(
        '`secondFactor()`: authenticator apps, passkeys and recovery codes, none by email or text message',
      ),
    },
    {
      name: 'passkeys',
      from: '@better-auth/passkey',
      latchkey: part('`passkeys()`: for users who have signed in by another way before'),
    },
    { name: 'magic link', from: 'magicLink', latchkey: whole('`email()`') },
    { name: 'code by email', from: 'emailOTP', latchkey: whole('`email({ code: true })`') },
    { name: 'phone number', from: 'phoneNumber' },
    { name: 'anonymous users', from: 'anonymous' },
    {
      name: 'user names',
      from: 'username',
      latchkey: part('`credentials()`: your function checks name and password'),
    },
    { name: 'Google One Tap', from: 'oneTap' },
    { name: 'sign-in with Ethereum', from: 'siwe' },
    {
      name: 'any OAuth provider',
      from: 'genericOAuth',
      latchkey: whole('`oidc()`, `oauth()`'),
    },
    { name: 'several sessions in a browser', from: 'multiSession' },
    { name: 'the last way of signing in', from: 'lastLoginMethod' },
  ],
  'Users and organizations': [
    {
      name: 'administration',
      from: 'admin',
      latchkey: part('`auth.users`, `auth.sessions`: no bans, and no impersonation'),
    },
    { name: 'organizations', from: 'organization' },
    {
      name: 'single sign-on',
      from: '@better-auth/sso',
      latchkey: part(
        '`oidc()` for issuers of the configuration; no SAML, and none that tenants add',
      ),
    },
    { name: 'SCIM', from: '@better-auth/scim' },
  ],
  'Tokens and servers': [
    { name: 'agents', from: '@better-auth/agent-auth' },
    { name: 'API keys', from: '@better-auth/api-key' },
    { name: 'JWT and keys', from: 'jwt', latchkey: whole('`apiTokens()`') },
    {
      name: 'bearer tokens',
      from: 'bearer',
      latchkey: part('`createTokenVerifier`, `requireToken`: tokens for APIs, not sessions'),
    },
    { name: 'one-time tokens', from: 'oneTimeToken' },
    { name: 'a proxy of callbacks', from: 'oAuthProxy' },
    {
      name: 'an authorization server',
      from: '@better-auth/oauth-provider',
      latchkey: part('`authorizationServer()`: no OpenID yet'),
    },
    {
      name: 'client metadata documents',
      from: '@better-auth/cimd',
      latchkey: whole('`clientDocuments()`'),
    },
    {
      name: 'MCP',
      from: '@better-auth/mcp',
      latchkey: whole('`authorizationServer()`, `protectedResource()`'),
    },
    {
      name: 'device authorization',
      from: 'deviceAuthorization',
      latchkey: whole('`deviceFlow()`'),
    },
  ],
  'Payment and marketing services': [
    { name: 'Stripe', from: '@better-auth/stripe' },
    { name: 'Polar', from: '@polar-sh/better-auth' },
    { name: 'Autumn', from: 'autumn-js' },
    { name: 'Creem', from: '@creem_io/better-auth' },
    { name: 'Chargebee', from: '@chargebee/better-auth' },
    { name: 'Dodo Payments', from: '@dodopayments/better-auth' },
    { name: 'Commet', from: '@commet/better-auth' },
    { name: 'Dub', from: '@dub/better-auth' },
  ],
  Utilities: [
    { name: 'captchas', from: 'captcha' },
    {
      name: 'leaked passwords',
      from: 'haveIBeenPwned',
      latchkey: whole('`check: breachedPasswords()` of `passwords()`'),
    },
    {
      name: 'languages',
      from: '@better-auth/i18n',
      latchkey: whole('languages as imports, `messages`'),
    },
    { name: 'OpenAPI', from: 'openAPI', latchkey: whole('`@latchkey/core/openapi.json`') },
    { name: 'helpers for tests', from: 'testUtils', latchkey: whole('`@latchkey/testing`') },
  ],
}
