import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  CDPSession,
  Page,
  Request,
} from 'playwright-core'

/** A virtual authenticator, as the Chrome DevTools Protocol describes it. */
export interface AuthenticatorOptions {
  readonly protocol: 'ctap2' | 'u2f'
  readonly transport: 'internal' | 'usb'
  readonly hasResidentKey?: boolean
  readonly hasUserVerification?: boolean
  readonly isUserVerified?: boolean
  readonly defaultBackupEligibility?: boolean
  readonly defaultBackupState?: boolean
  /** Whether the user answers each request immediately; otherwise requests wait. */
  readonly automaticPresenceSimulation?: boolean
}

/** The authenticator of a phone or a laptop, whose user is present and verified. */
export const platformAuthenticator: AuthenticatorOptions = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
}

/** A security key without a PIN. */
export const securityKey: AuthenticatorOptions = {
  protocol: 'ctap2',
  transport: 'usb',
  automaticPresenceSimulation: true,
}

/** A security key of the previous protocol. */
export const u2fKey: AuthenticatorOptions = { ...securityKey, protocol: 'u2f' }

type Credentials = Awaited<ReturnType<typeof readCredentials>>

/** A virtual authenticator of a page. */
export interface Authenticator {
  readonly setPresence: (isPresent: boolean) => Promise<void>
  readonly setVerified: (isVerified: boolean) => Promise<void>
  readonly listCredentials: () => Promise<Credentials>
  readonly addCredential: (credential: Credentials[number]) => Promise<void>
  readonly forgetAll: () => Promise<void>
  readonly remove: () => Promise<void>
  /** Ids of credentials, once for each answer to a request. */
  readonly asserted: readonly string[]
}

/**
 * Notes each ceremony that a page begins: `get`, `get conditional`, `create`, `create conditional`. The browser performs it as
 * without this script.
 */
const noteCeremonies = `if (isSecureContext) {
  const { prototype } = CredentialsContainer
  for (const name of ['get', 'create']) {
    const original = prototype[name]
    prototype[name] = function (options) {
      const result = original.call(this, options)
      noteCeremony(options?.mediation ? name + ' ' + options.mediation : name)
      return result
    }
  }
}`

/** A user at a page. To dispose of it fails if a script has failed, or if the page has written to the console. */
export interface Visitor extends AsyncDisposable {
  readonly page: Page
  readonly authenticator: Authenticator
  /** Adds a further authenticator to the page. */
  readonly addAuthenticator: (options: AuthenticatorOptions) => Promise<Authenticator>
  /** Opens a further page of the same browser, with an authenticator that has the same credentials. */
  readonly openTab: () => Promise<Tab>
  /** The ceremonies that pages have begun. */
  readonly ceremonies: readonly string[]
  /** What the console shows, with the requests that were refused. */
  readonly messages: readonly string[]
  /** The requests of `POST` to a path that ends so. */
  readonly listPosts: (path: string) => readonly Request[]
}

/** A page, and its authenticator. */
interface Tab {
  readonly page: Page
  readonly authenticator: Authenticator
}

/**
 * Opens a page without cookies, that has an authenticator.
 *
 * @param options Default: {@link platformAuthenticator}
 */
export async function visit(
  browser: Browser,
  options: AuthenticatorOptions = platformAuthenticator,
  contextOptions: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en', ...contextOptions })
  const { problems, messages, posts, ceremonies } = await record(context)
  const page = await context.newPage()
  const { session, authenticator } = await openAuthenticator(page, options)
  const openTab = async (): Promise<Tab> => {
    const other = await context.newPage()
    const opened = await openAuthenticator(other, options)
    for (const credential of await authenticator.listCredentials()) {
      await opened.authenticator.addCredential(credential)
    }
    return { page: other, authenticator: opened.authenticator }
  }
  const stop = async (): Promise<void> => {
    await context.close()
    if (problems.length > 0) throw new Error(`expected no problems, found ${problems.join('\n')}`)
  }
  return {
    page,
    authenticator,
    addAuthenticator: (added) => addAuthenticator(session, added),
    ceremonies,
    messages,
    openTab,
    listPosts: (path) => posts.filter((request) => new URL(request.url()).pathname.endsWith(path)),
    [Symbol.asyncDispose]: stop,
  }
}

/** What happens in a browser. */
interface Recorded {
  readonly problems: readonly string[]
  readonly messages: readonly string[]
  readonly posts: readonly Request[]
  readonly ceremonies: readonly string[]
}

async function record(context: BrowserContext): Promise<Recorded> {
  const problems: string[] = []
  const messages: string[] = []
  const posts: Request[] = []
  const ceremonies: string[] = []
  await context.exposeFunction('noteCeremony', (name: string) => void ceremonies.push(name))
  await context.addInitScript(noteCeremonies)
  context.on('weberror', (error) => problems.push(String(error.error())))
  context.on('console', (message) => {
    const text = message.text() + message.location().url
    // Only Chromium with windows asks for the icon of the application's page, which is not ours; and a test can act before
    // Chromium has focused the field of the page.
    if (/\/favicon\.ico|Autofocus processing was blocked/.test(text)) return
    messages.push(text)
    if (!/status of [45]\d\d|ERR_INTERNET_DISCONNECTED/.test(text)) problems.push(text)
  })
  context.on('request', (request) => {
    if (request.method() === 'POST') posts.push(request)
  })
  return { problems, messages, posts, ceremonies }
}

/** Adds an authenticator to a page, until the session of the developer tools ends. */
export async function openAuthenticator(
  page: Page,
  options: AuthenticatorOptions = platformAuthenticator,
): Promise<{ readonly session: CDPSession; readonly authenticator: Authenticator }> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable', { enableUI: false })
  return { session, authenticator: await addAuthenticator(session, options) }
}

async function addAuthenticator(
  session: CDPSession,
  options: AuthenticatorOptions,
): Promise<Authenticator> {
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options },
  })
  const asserted: string[] = []
  session.on('WebAuthn.credentialAsserted', ({ authenticatorId: id, credential }) => {
    if (id === authenticatorId) asserted.push(credential.credentialId)
  })
  return {
    setPresence: async (enabled) => {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
    setVerified: async (isUserVerified) => {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    listCredentials: () => readCredentials(session, authenticatorId),
    addCredential: async (credential) => {
      await session.send('WebAuthn.addCredential', { authenticatorId, credential })
    },
    forgetAll: async () => {
      await session.send('WebAuthn.clearCredentials', { authenticatorId })
    },
    remove: async () => {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
    asserted,
  }
}

async function readCredentials(session: CDPSession, authenticatorId: string) {
  return (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials
}
