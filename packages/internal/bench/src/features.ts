import { measureBundle } from './bundle.ts'

const confirmation = 'confirmation from core/confirmation'
const apiTokens = 'apiTokens from tokens'
const authorizationServer = [apiTokens, 'authorizationServer from authorization-server']

/** What an application imports for each part of the table: `<name> from <module>`, without the scope. */
const features: Readonly<Record<string, readonly string[]>> = {
  Apple: ['apple from core/providers/apple'],
  'Microsoft Entra ID': ['microsoftEntraId from core/providers/microsoft-entra-id'],
  'any OpenID provider': ['oidc from core/providers/oidc'],
  'sign-in by email': ['email from core/providers/email'],
  'email through Cloudflare': ['cloudflare from mail/cloudflare'],
  'email through Resend': ['resend from mail/http'],
  'storage in D1': ['d1Storage from storage-sql/d1'],
  'Durable Objects': [
    'withDurableObjects from durable-objects',
    'LatchkeyObject from durable-objects/object',
  ],
  'factors in D1': ['sqlFactors from storage-sql/factors'],
  'storage in PostgreSQL (pg)': ['pgStorage from storage-sql/pg'],
  'storage in MySQL': ['mysql2Storage from storage-sql/mysql2'],
  'storage in memory': ['memoryStorage from core/memory'],
  German: ['de from core/languages/de'],
  'a theme': ['createTheme from core/pages/theme'],
  'marks of the application': ['createMarks from core/pages/marks'],
  'sessions of next-auth v4': ['nextAuthV4 from core/import/next-auth-v4'],
  'sessions of Auth.js v5': ['authJs from core/import/auth-js'],
  'access tokens in the cookie': ['cookieAccessTokens from core/cookie-access-tokens'],
  'back-channel logout': ['createBackchannelLogout from core/backchannel-logout'],
  'an outbox with a webhook': ['outbox from core/outbox', 'webhook from core/outbox'],
  confirmations: [confirmation],
  'TOTP and recovery codes': [
    confirmation,
    'secondFactor from second-factor',
    'recoveryCodes from second-factor',
    'totp from second-factor',
  ],
  'account pages': [confirmation, 'accountPages from account'],
  'emails about security': ['securityEmails from account'],
  passwords: [
    confirmation,
    'argon2Module from passwords/argon2-module',
    'breachedPasswords from passwords',
    'passwords from passwords',
  ],
  passkeys: [confirmation, 'passkeys from passkeys'],
  'tokens for APIs': [apiTokens],
  'an authorization server': authorizationServer,
  'an authorization server with every part': [
    ...authorizationServer,
    'clientDocuments from authorization-server',
    'deviceFlow from authorization-server',
    'dynamicRegistration from authorization-server',
    'introspection from authorization-server',
    'openId from authorization-server',
    'openIdLogout from authorization-server',
    'privateKeyJwt from authorization-server',
    'storedClients from authorization-server',
  ],
  'grants in D1': ['sqlGrants from storage-sql/grants'],
}

/** Measures what each part adds to the Worker with GitHub and Google: bytes, gzipped. */
export async function measureFeatures(): Promise<Readonly<Record<string, number>>> {
  const worker = `export { default } from './workers/latchkey.ts'`
  const base = await measure([worker])
  const bare = await measure([`export { createAuth } from '@latchkey/core'`])
  const sizes = Object.entries(features).map(async ([part, imports]) => {
    const lines = imports.map((text) => {
      const [name, module] = text.split(' from ')
      return `export { ${name} } from '@latchkey/${module}'`
    })
    return [part, (await measure([worker, ...lines])) - base] as const
  })
  return { 'GitHub and Google': base - bare, ...Object.fromEntries(await Promise.all(sizes)) }
}

async function measure(lines: readonly string[]): Promise<number> {
  const stdin = { contents: lines.join('\n'), resolveDir: import.meta.dirname }
  return (await measureBundle({ stdin })).gzipped
}
