import { createAuth } from '@latchkey/core'
import type { Auth, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { beginSignIn, Browser } from '@latchkey/core/testing'
import { createDevice } from '../../../../passkeys/test/support/device.ts'
import type { CeremonyOptions } from '../../../../passkeys/test/support/device.ts'
import type { Capabilities, SessionUser, Setup, Subject } from '../subject.ts'
import { enrolApp } from './code-app.ts'
import { createConfig, endsSessions, origin } from './latchkey-config.ts'
import type { World } from './latchkey-config.ts'
import { Mails } from './mails.ts'

const base = `${origin}/api/auth`
const json = { headers: { accept: 'application/json' } }

/** Sets Latchkey up with its users in memory, or without users. */
export async function openLatchkey(setup: Setup = {}): Promise<Subject> {
  const world: World = { people: new Map(), mails: new Mails(), passwords: new Map() }
  const storage = setup.strategy === 'cookie' ? undefined : memoryStorage()
  const auth = createAuth(await createConfig(setup, world, storage))
  return {
    handle: (request) => auth.handle(request),
    base,
    browse: ({ base: seen = base, ip = '192.0.2.1' } = {}) =>
      new Browser((request) => auth.handle(request, { clientIp: () => ip }), seen),
    getUser,
    reopen: () => openLatchkey(setup),
    ...createCapabilities(auth, world),
    ...(storage && createStoredCapabilities(world, storage)),
    ...(endsSessions(setup.strategy ?? 'storage') && createFactors()),
  }
}

async function getUser(browser: Browser): Promise<SessionUser | undefined> {
  const session: { readonly user?: SessionUser } = await browser.json('/session')
  return session.user
}

function createCapabilities(
  auth: Auth,
  { people, passwords }: World,
): Pick<Capabilities, 'oauth' | 'passwords' | 'token' | 'keys' | 'errorPage' | 'accessTokens'> {
  return {
    oauth: {
      people,
      begin: (browser, provider, { returnUrl } = {}) =>
        beginSignIn(browser, {
          provider,
          fields: returnUrl === undefined ? {} : { callbackUrl: returnUrl },
        }),
    },
    passwords: createPasswords(passwords),
    token: { read: (headers) => auth.getToken(new Request(origin, { headers })) },
    keys: {
      async issue(browser, fields = {}) {
        const response = await browser.submit('/token', fields)
        const { token }: { readonly token?: string } = await response.json()
        return token === undefined ? undefined : readSubject(token)
      },
    },
    errorPage: {
      open: (browser, error) => browser.visit(`/error?${new URLSearchParams({ error })}`),
    },
    accessTokens: {
      async read(browser) {
        const found = await auth.getAccessToken(createPageRequest(browser), 'forge')
        return found?.accessToken
      },
    },
  }
}

function createPasswords(table: Map<string, string>): Capabilities['passwords'] {
  return {
    register: async (address, password) => void table.set(address, password),
    signIn: (browser, email, password) =>
      browser.submit('/signin/credentials', { email, password }),
    guess: (browser, email, vary = (path) => path) =>
      browser.submit(vary('/signin/credentials'), { email, password: 'wrong' }),
    isLimited: ({ status, headers }) =>
      status === 429 || headers.get('location')?.includes('error=RateLimited') === true,
  }
}

function createStoredCapabilities(
  { mails }: World,
  storage: Storage,
): Pick<Capabilities, 'email' | 'code' | 'deletion'> {
  return {
    email: createEmail(mails),
    code: {
      guesses: 5,
      request: async (browser, address) =>
        void (await browser.submit('/signin/email', { email: address })),
      getCode: (address) => mails.getCode(address),
      submit: (browser, _address, code) => browser.submit('/callback/email', { code }),
    },
    deletion: {
      async deleteUser(browser) {
        const user = await getUser(browser)
        if (user === undefined) throw new Error('expected a session')
        await storage.deleteUser(user.id)
      },
    },
  }
}

function createEmail(mails: Mails): Capabilities['email'] {
  return {
    mails,
    request: (browser, address, { returnUrl, headers = {} } = {}) =>
      browser.submit(
        '/signin/email',
        { email: address, ...(returnUrl !== undefined && { callbackUrl: returnUrl }) },
        { headers },
      ),
    open(browser, link, returnUrl) {
      const url = new URL(link)
      if (returnUrl !== undefined) url.searchParams.set('callbackUrl', returnUrl)
      return browser.visit(url.href)
    },
  }
}

function createFactors(): Pick<Capabilities, 'secondFactor' | 'passkeys'> {
  return {
    secondFactor: {
      async enrol(browser) {
        await browser.submit('/signin/totp', { link: 'true' })
        const page = await (await browser.visit('/signin?second=true')).text()
        const [, url = ''] = /href="(otpauth:[^"]+)"/.exec(page) ?? []
        return enrolApp(url.replaceAll('&amp;', '&'), (code) =>
          browser.submit('/signin/totp', { code }),
        )
      },
      submit: (browser, code) => browser.submit('/signin/totp', { code }),
    },
    passkeys: createPasskeys(),
  }
}

function createPasskeys(): Capabilities['passkeys'] {
  return {
    async add(browser) {
      const device = await createDevice(origin)
      const asked = await browser.submit('/signin/passkey', { link: 'true' }, json)
      const { publicKey }: { readonly publicKey: CeremonyOptions } = await asked.json()
      const credential = JSON.stringify(await device.create(publicKey))
      await browser.submit('/callback/passkey', { credential }, json)
      const added = (await listPasskeys(browser)).find(
        ({ credentialId }) => credentialId === device.id,
      )
      if (added === undefined) throw new Error('expected the passkey in the account')
      return added.id
    },
    remove: (browser, id) => browser.submit('/account', { action: 'removePasskey', id }, json),
    has: async (browser, id) => (await listPasskeys(browser)).some((passkey) => passkey.id === id),
  }
}

/** A passkey in the JSON of the account. */
interface ShownPasskey {
  readonly id: string
  readonly credentialId: string
}

async function listPasskeys(browser: Browser): Promise<readonly ShownPasskey[]> {
  const account: { readonly passkeys?: readonly ShownPasskey[] } = await browser.json(
    '/account',
    json,
  )
  return account.passkeys ?? []
}

function createPageRequest({ cookies }: Browser): Request {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  return new Request(`${origin}/page`, { headers: { cookie } })
}

/** Reads `sub` of a JWT that the service under attack has issued, which needs no verification. */
function readSubject(token: string): string | undefined {
  const [, payload = ''] = token.split('.')
  const { sub }: { readonly sub?: string } = JSON.parse(
    Buffer.from(payload, 'base64url').toString(),
  )
  return sub
}
