import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Identity, Mail, Mailer, Provider } from '@latchkey/core'
import { authorizationServer } from '@latchkey/authorization-server'
import { accountPages, securityEmails } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { appleMark } from '@latchkey/core/marks/apple'
import { githubMark } from '@latchkey/core/marks/github'
import { gitlabMark } from '@latchkey/core/marks/gitlab'
import { googleMark } from '@latchkey/core/marks/google'
import { microsoftEntraIdMark } from '@latchkey/core/marks/microsoft-entra-id'
import { memoryStorage } from '@latchkey/core/memory'
import { createTheme } from '@latchkey/core/pages/theme'
import type { ThemeOptions } from '@latchkey/core/pages/theme'
import { email } from '@latchkey/core/providers/email'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import { passwords } from '@latchkey/passwords'
import { serveHandler } from '@latchkey/test-support/listen'
import { apiTokens } from '@latchkey/tokens'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { languages } from '../../../../apps/demo/src/languages.ts'
import { plainHasher } from './passkeys/create-service.ts'

/** A service on a free port of the loopback interface. */
export interface ServedPages {
  readonly origin: string
  /** The URL of the base path. */
  readonly base: string
  /** The URL of the base path of a second service, whose users sign in by passwords. */
  readonly passwordsBase: string
  /** The URL of the base path of a third service, whose users have passkeys. */
  readonly passkeysBase: string
  /** The URL of the base path of a fourth service, with every way of signing in. */
  readonly everyWayBase: string
  readonly mails: Mail[]
  /** The emails about security. */
  readonly securityMails: readonly Mail[]
  readonly stop: () => Promise<void>
}

const keys = [await generateTokenKey()]

/** What each service has. */
const use = [confirmation(), accountPages()]

/** Asks users whose names begin with `bob` for a second factor. */
const requireOfBob = secondFactor({
  methods: [totp(), recoveryCodes()],
  require: ({ user }) => user.email?.startsWith('bob.') ?? false,
  rememberFor: 30 * 86_400,
})

/** Serves the built-in pages with sign-in by email and by three providers. */
export async function servePages(theme: ThemeOptions = {}): Promise<ServedPages> {
  const [mails, securityMails] = [createMailbox(), createMailbox()]
  const { origin, stop } = await serveHandler((request) => answer(request), { host: 'localhost' })
  const common = {
    secret: 'a secret of thirty-two bytes for these pages',
    use,
    logger: { error: console.error, warn: () => undefined },
    messages: languages,
    theme: createTheme(theme),
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
  const everyWayBase = `${origin}/every/auth`
  const answer = route([
    [
      everyWayBase,
      serveEveryWay(
        {
          ...common,
          theme: createTheme({ ...theme, providersFirst: true }),
          serviceUrl: everyWayBase,
        },
        mails,
      ),
    ],
    [passwordsBase, servePasswords({ ...common, serviceUrl: passwordsBase }, mails)],
    [passkeysBase, servePasskeys({ ...common, serviceUrl: passkeysBase }, mails)],
    ['', handle],
  ])
  return {
    origin,
    base: `${origin}/api/auth`,
    passwordsBase,
    passkeysBase,
    everyWayBase,
    mails: mails.mails,
    securityMails: securityMails.mails,
    stop,
  }
}

/** Returns what hands each request to the first service whose URL it begins with. */
function route(services: readonly (readonly [string, Auth['handle']])[]): Auth['handle'] {
  return (request) => {
    const [, handle] = services.find(([url]) => request.url.startsWith(url)) ?? []
    return handle ? handle(request) : Promise.reject(new Error(`no service for ${request.url}`))
  }
}

async function isBreached(password: string): Promise<boolean> {
  return password.startsWith('breached')
}

/** Serves passwords. */
function servePasswords(config: Omit<AuthConfig, 'providers'>, mailer: Mailer): Auth['handle'] {
  const from = 'sign-in@example.com'
  const notes = new URL(config.serviceUrl ?? '').origin
  return createAuth({
    ...config,
    storage: memoryStorage(),
    session: { strategy: 'storage' },
    use: [
      ...use,
      secondFactor({ methods: [totp(), recoveryCodes()], rememberFor: 30 * 86_400 }),
      apiTokens({ keys, audience: `${notes}/api` }),
      authorizationServer({
        resources: { [notes]: { scopes: { read: { en: 'Read your notes' } } } },
        clients: [{ id: 'notes', name: 'Notes', redirectUris: [`${notes}/`] }],
      }),
    ],
    providers: [
      passwords({ hasher: plainHasher, mailer, from, check: isBreached }),
      createGitHub(() => crypto.randomUUID()),
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
      createGitHub(),
    ],
  }).handle
}

/** Serves several ways that begin with an email address, passkeys, and so many providers that they are folded. */
function serveEveryWay(config: Omit<AuthConfig, 'providers'>, mailer: Mailer): Auth['handle'] {
  const from = 'sign-in@example.com'
  return createAuth({
    ...config,
    storage: memoryStorage(),
    session: { strategy: 'storage' },
    providers: [
      email({ mailer, from, code: true }),
      passwords({ hasher: plainHasher, mailer, from, check: isBreached }),
      passkeys(),
      ...createProviders(mailer).filter(({ type }) => type !== 'email'),
      { ...createProvider('apple', 'Apple'), mark: appleMark },
      { ...createProvider('gitlab', 'GitLab'), mark: gitlabMark },
      createProvider('intranet', 'Intranet'),
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
    { ...createProvider('google', 'Google'), mark: googleMark },
    email({ mailer, from: 'sign-in@example.com', code: true }),
    createGitHub(),
    { ...createProvider('microsoft-entra-id', 'Microsoft'), mark: microsoftEntraIdMark },
  ]
}

function createGitHub(getSubject?: () => string): Provider {
  return { ...createProvider('github', 'GitHub', getSubject), mark: githubMark }
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
