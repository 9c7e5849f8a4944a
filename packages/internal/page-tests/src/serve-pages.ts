import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Identity, Mail, Mailer, Provider } from '@latchkey/core'
import { accountPages, securityEmails } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { ar } from '@latchkey/core/languages/ar'
import { de } from '@latchkey/core/languages/de'
import { es } from '@latchkey/core/languages/es'
import { fr } from '@latchkey/core/languages/fr'
import { it } from '@latchkey/core/languages/it'
import { ja } from '@latchkey/core/languages/ja'
import { nl } from '@latchkey/core/languages/nl'
import { pl } from '@latchkey/core/languages/pl'
import { ptBR } from '@latchkey/core/languages/pt-BR'
import { zhHans } from '@latchkey/core/languages/zh-Hans'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import { passwords } from '@latchkey/passwords'
import { plainHasher } from './passkeys/create-service.ts'

/** Every language besides English, by tag. */
export const languages: NonNullable<AuthConfig['messages']> = {
  de,
  es,
  fr,
  it,
  'pt-BR': ptBR,
  nl,
  pl,
  ja,
  'zh-Hans': zhHans,
  ar,
}

/** A service on a free port of the loopback interface. */
export interface ServedPages {
  readonly origin: string
  /** The URL of the base path. */
  readonly base: string
  /** The URL of the base path of a second service, whose users sign in by passwords. */
  readonly passwordsBase: string
  /** The URL of the base path of a third service, whose users have passkeys. */
  readonly passkeysBase: string
  readonly mails: Mail[]
  /** The emails about security. */
  readonly securityMails: readonly Mail[]
  readonly stop: () => Promise<void>
}

/** What each service has. */
const use = [confirmation(), accountPages()]

/** Asks users whose names begin with `bob` for a second factor. */
const requireOfBob = secondFactor({
  methods: [totp(), recoveryCodes()],
  require: ({ user }) => user.email?.startsWith('bob.') ?? false,
  rememberFor: 30 * 86_400,
})

/** Serves the built-in pages with sign-in by email and by three providers. */
export async function servePages(theme: AuthConfig['theme'] = {}): Promise<ServedPages> {
  const [mails, securityMails] = [createMailbox(), createMailbox()]
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const common = {
    secret: 'a secret of thirty-two bytes for these pages',
    use,
    logger: { error: console.error, warn: () => undefined },
    messages: languages,
    theme,
  }
  const { handle } = createAuth({
    ...common,
    serviceUrl: origin,
    storage: memoryStorage(),
    providers: createProviders(mails),
    use: [
      ...use,
      requireOfBob,
      securityEmails({ mailer: securityMails, from: 'security@example.com' }),
    ],
    limits: { mailsPerAddress: { times: 3, window: 600 } },
  })
  const passwordsBase = `${origin}/members/auth`
  const passkeysBase = `${origin}/holders/auth`
  const listener = createListener([
    [passwordsBase, servePasswords({ ...common, serviceUrl: passwordsBase }, mails)],
    [passkeysBase, servePasskeys({ ...common, serviceUrl: passkeysBase }, mails)],
    ['', handle],
  ])
  return {
    origin,
    base: `${origin}/api/auth`,
    passwordsBase,
    passkeysBase,
    mails: mails.mails,
    securityMails: securityMails.mails,
    stop: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }
}

/** Returns what hands each request to the first service whose URL it begins with. */
function createListener(
  services: readonly (readonly [string, Auth['handle']])[],
): ReturnType<typeof getRequestListener> {
  const serve = (request: Request): Promise<Response> => {
    const [, handle] = services.find(([url]) => request.url.startsWith(url)) ?? []
    return handle ? handle(request) : Promise.reject(new Error(`no service for ${request.url}`))
  }
  return getRequestListener(serve, { overrideGlobalObjects: false })
}

async function isBreached(password: string): Promise<boolean> {
  return password.startsWith('breached')
}

/** Serves passwords. */
function servePasswords(config: Omit<AuthConfig, 'providers'>, mailer: Mailer): Auth['handle'] {
  const from = 'sign-in@example.com'
  return createAuth({
    ...config,
    storage: memoryStorage(),
    session: { strategy: 'storage' },
    providers: [
      passwords({ hasher: plainHasher, mailer, from, check: isBreached }),
      createProvider('github', 'GitHub', () => crypto.randomUUID()),
    ],
  }).handle
}

/** Serves passkeys, which are a second factor too. */
function servePasskeys(config: Omit<AuthConfig, 'providers'>, mailer: Mailer): Auth['handle'] {
  return createAuth({
    ...config,
    storage: memoryStorage(),
    session: { strategy: 'storage' },
    use: [
      ...use,
      secondFactor({
        methods: [passkeyFactor(), totp(), recoveryCodes()],
        rememberFor: 30 * 86_400,
      }),
    ],
    providers: [
      passkeys(),
      email({ mailer, from: 'sign-in@example.com', code: true }),
      createProvider('github', 'GitHub'),
    ],
  }).handle
}

/** A mailer that keeps every email. */
interface Mailbox extends Mailer {
  readonly mails: Mail[]
}

function createMailbox(): Mailbox {
  const mails: Mail[] = []
  return { mails, send: async (mail) => void mails.push(mail) }
}

function createProviders(mailer: Mailer): readonly Provider[] {
  return [
    createProvider('google', 'Google'),
    email({ mailer, from: 'sign-in@example.com', code: true }),
    createProvider('github', 'GitHub'),
    createProvider('microsoft-entra-id', 'Microsoft'),
  ]
}

/**
 * Creates a provider that signs in immediately: the pages need no identity provider.
 *
 * @param getSubject Default: each sign-in is of one account
 */
function createProvider(id: string, name: string, getSubject = () => 'alice'): Provider {
  const profile = { name: 'Alice Example', email: 'alice@example.com', emailVerified: true }
  const identify = (): Identity => {
    return { subject: getSubject(), profile, emailProven: true, tokens: {}, claims: {} }
  }
  return {
    id,
    name,
    type: 'oidc',
    begin: async () => ({ identity: identify() }),
    finish: async () => identify(),
  }
}
