import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Mailer, Provider } from '@latchkey/core'
import { accountPages, securityEmails } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { createTheme } from '@latchkey/core/pages/theme'
import { email } from '@latchkey/core/providers/email'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import {
  loadProviders,
  readEnvironment,
  readPort,
  readProviders,
  readSecrets,
  readText,
} from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { smtp } from '@latchkey/mail/smtp'
import { openDatabase } from '@latchkey/node/database'
import type { Database } from '@latchkey/node/database'
import { closeAfterStop, createListener, listen, run } from '@latchkey/node'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { passkeys } from '@latchkey/passkeys'
import { passwords } from '@latchkey/passwords'
import { scrypt } from '@latchkey/passwords/scrypt'
import { createApplication } from './application.ts'
import type { ApplicationOptions } from './application.ts'
import { createIdentityProvider } from './identity-provider.ts'
import { languages } from './languages.ts'
import { looks } from './looks.ts'
import { openMailbox } from './mailbox.ts'
import { findRole, people } from './people.ts'
import { createTraffic } from './traffic.ts'
import { createPages } from './web.ts'

const folder = new URL('../.data/', import.meta.url)

await run(async () => {
  const settings = await readSettings()
  const { port, issuerPort, furtherProviders } = settings
  const secret = settings.secret ?? [await readOwnSecret(settings.database)]
  const origin = `http://localhost:${port}`
  const issuer = `http://localhost:${issuerPort}`
  const client = { clientId: 'latchkey-demo', clientSecret: createSecret() }
  const database = await openDemoDatabase(settings.database)
  const mailbox = await openMailbox(settings.mailPort)
  const mailer = smtp(mailbox.url)
  const traffic = createTraffic()
  const demo = { id: 'demo', name: 'Demo provider', issuer, ...client }
  const config: AuthConfig = {
    serviceUrl: origin,
    secret,
    storage: database.storage,
    providers: [...createProviders(demo, mailer), ...furtherProviders],
    runtime: { fetch: traffic.fetch },
    ...createOptions(mailer),
  }
  const provider = createIdentityProvider(issuer, {
    ...client,
    redirectUri: `${origin}/api/auth/callback/demo`,
  })
  const listener = await createDemoListener(config, { mails: mailbox.mails, traffic })
  const close = async (): Promise<void> => {
    mailer.close()
    await database.close()
  }
  const servers = [
    mailbox,
    await listen(provider, { host: 'localhost', port: issuerPort, portVariable: 'IDP_PORT' }),
    closeAfterStop(await listen(listener, { host: 'localhost', port }), close),
  ]
  console.log(createWelcome(origin, issuer, mailbox.url, database.description))
  return servers
})

/** Creates the application with its service, and the pages that are built with Vite. */
async function createDemoListener(
  config: AuthConfig,
  shown: Pick<ApplicationOptions, 'mails' | 'traffic'>,
): Promise<ReturnType<typeof createListener>> {
  const pages = { ...shown, hasAccount: true, looks: createLooks(config) }
  const app = createApplication(createAuth(config), pages).route('/', await createPages())
  return createListener((request, options) => app.fetch(request, options))
}

/** Creates what the demonstration shows of the service, besides the ways of signing in. */
function createOptions(mailer: Mailer): Pick<AuthConfig, 'messages' | 'callbacks' | 'use'> {
  return {
    messages: languages,
    callbacks: {
      jwt: ({ token }) => ({ ...token, role: findRole(token) }),
      // The stored user has the changes of the account page, which the session of the sign-in lacks.
      session: ({ session, user = session.user }) => ({
        ...session,
        user: {
          ...session.user,
          name: user.name,
          email: user.email,
          emailVerified: user.emailVerified,
        },
      }),
    },
    use: [
      confirmation(),
      secondFactor({
        methods: [totp({ issuer: 'Latchkey demonstration' }), recoveryCodes()],
        rememberFor: 86_400,
      }),
      accountPages(),
      securityEmails({
        mailer,
        from: 'Latchkey demonstration <security@example.com>',
      }),
    ],
  }
}

/** Creates the service once for each theme: what one of them shows, all of them understand. */
function createLooks(config: AuthConfig): Readonly<Record<string, Auth>> {
  return Object.fromEntries(
    Object.entries(looks).map(([name, { theme }]) => [
      name,
      createAuth({ ...config, theme: createTheme(theme) }),
    ]),
  )
}

/** Creates the demonstration's own provider, whose email addresses are trusted, and the ways without a provider. */
function createProviders(demo: OidcConfig, mailer: Mailer): readonly Provider[] {
  const from = 'Latchkey demonstration <sign-in@example.com>'
  return [
    oidc({ ...demo, linkByVerifiedEmail: true, trustEmailVerified: true }),
    passkeys({ rpName: 'Latchkey demonstration', offerAfterSignIn: false }),
    passwords({ hasher: scrypt(), mailer, from }),
    email({ mailer, from, code: true }),
  ]
}

interface Settings {
  readonly port: number
  readonly issuerPort: number
  readonly mailPort: number
  /** Undefined for the demonstration's own secret. */
  readonly secret: readonly string[] | undefined
  readonly furtherProviders: readonly Provider[]
  /** Undefined for the demonstration's own file. */
  readonly database: string | undefined
}

async function readSettings(): Promise<Settings> {
  const rows = await loadProviders(process.env, providers)
  return readEnvironment(
    process.env,
    (variables) => ({
      port: readPort(variables, 'PORT', 3000, 1),
      issuerPort: readPort(variables, 'IDP_PORT', 4001, 1),
      mailPort: readPort(variables, 'MAIL_PORT', 4025, 1),
      secret: readSecrets(variables),
      furtherProviders: readProviders(variables, rows).flatMap(({ provider }) => provider ?? []),
      database: readText(variables, 'AUTH_DATABASE'),
    }),
    // The demonstration ignores other variables of the service, such as AUTH_TRUST_HOST.
    { allowUnknown: true },
  )
}

/** Opens a file of the demonstration's own, unless `AUTH_DATABASE` names another database. */
async function openDemoDatabase(setting: string | undefined): Promise<Database> {
  const factors = sqlFactors()
  if (setting !== undefined) return openDatabase(setting, { factors })
  await mkdir(folder, { recursive: true })
  return openDatabase(fileURLToPath(new URL('demo.sqlite', folder)), { factors })
}

/** Returns a secret that stays with the demonstration's own file, so that authenticator apps work after a restart. */
async function readOwnSecret(database: string | undefined): Promise<string> {
  if (database !== undefined) return createSecret()
  const file = new URL('secret', folder)
  await mkdir(folder, { recursive: true })
  if (!existsSync(file)) await writeFile(file, createSecret(), { mode: 0o600, flag: 'wx' })
  return readFile(file, 'utf8')
}

function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

function createWelcome(origin: string, issuer: string, mail: string, database: string): string {
  const names = people.map(({ firstName }) => firstName).join(' or ')
  return `
  The Latchkey demonstration is running.

    Open        ${origin}
    Sign in as  ${names}, without a password, or create an account with any email address
    Clients     ${origin}/web/client.html and /web/react.html
    Mailbox     ${origin}/mailbox (every email arrives there, through ${mail})
    Traffic     ${origin}/traffic (what travels in a sign-in)
    Looks       ${origin}/looks (themes and languages), ${origin}/editors (roles)
    Provider    ${issuer} (OpenID Connect, on this machine)
    Users       ${database}
    Stop        Ctrl+C
`
}
