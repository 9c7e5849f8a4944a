import { Browser } from '@latchkey/core/testing'
import type { Capabilities } from '../subject.ts'
import type { BetterAuth, BetterAuthModules } from './better-auth-modules.ts'
import { origin } from './better-auth-options.ts'
import { enrolApp } from './code-app.ts'
import type { People } from './identity-provider.ts'
import type { Mails } from './mails.ts'

interface World {
  readonly plugins: BetterAuthModules['plugins']
  readonly mails: Mails
  readonly people: People
}

/** Creates what better-auth can do. */
export function createCapabilities(
  auth: BetterAuth,
  { plugins, mails, people }: World,
): Partial<Capabilities> {
  return {
    email: createEmail(mails),
    code: createCode(mails),
    oauth: { people, begin: beginSignIn },
    passwords: createPasswords(auth),
    secondFactor: createSecondFactor(),
    deletion: createDeletion(auth),
    errorPage: {
      open: (browser, error) => browser.visit(`/error?${new URLSearchParams({ error })}`),
    },
    ...(plugins.passkey && { passkeys: createPasskeys(auth) }),
    ...(plugins.apiKey && { keys: { issue: issueKey } }),
  }
}

/** Posts JSON as a page of the application does. */
function post(
  browser: Browser,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return browser.visit(path, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

function createEmail(mails: Mails): Capabilities['email'] {
  return {
    mails,
    request: (browser, email, { returnUrl = '/', headers } = {}) =>
      post(browser, '/sign-in/magic-link', { email, callbackURL: returnUrl }, headers),
    open(browser, link, returnUrl) {
      const url = new URL(link)
      if (returnUrl !== undefined) url.searchParams.set('callbackURL', returnUrl)
      return browser.visit(url.href)
    },
  }
}

function createCode(mails: Mails): Capabilities['code'] {
  return {
    guesses: 3,
    request: async (browser, email) =>
      void (await post(browser, '/email-otp/send-verification-otp', { email, type: 'sign-in' })),
    getCode: (address) => mails.getCode(address),
    submit: (browser, email, otp) => post(browser, '/sign-in/email-otp', { email, otp }),
  }
}

const beginSignIn: Capabilities['oauth']['begin'] = async (
  browser,
  provider,
  { returnUrl: callbackURL = '/' } = {},
) => {
  const asked = await post(browser, '/sign-in/oauth2', { providerId: provider, callbackURL })
  // Since 1.7 all providers begin at one path.
  const response =
    asked.status === 404 ? await post(browser, '/sign-in/social', { provider, callbackURL }) : asked
  const { url = '' }: { readonly url?: string } = await response.json()
  return new URL(url)
}

function createPasswords({ handler }: BetterAuth): Capabilities['passwords'] {
  return {
    async register(email, password) {
      const headers = { origin, 'content-type': 'application/json' }
      const body = JSON.stringify({ email, password, name: email })
      await handler(
        new Request(`${origin}/api/auth/sign-up/email`, { method: 'POST', headers, body }),
      )
    },
    signIn: (browser, email, password) => post(browser, '/sign-in/email', { email, password }),
    guess: (browser, email, vary = (path) => path) =>
      post(browser, vary('/sign-in/email'), { email, password: 'a wrong password' }),
    isLimited: ({ status }) => status === 429,
  }
}

function submitCode(browser: Browser, code: string): Promise<Response> {
  return post(browser, '/two-factor/verify-totp', { code })
}

function createSecondFactor(): Capabilities['secondFactor'] {
  return {
    async enrol(browser, password) {
      const response = await post(browser, '/two-factor/enable', { password })
      const { totpURI }: { readonly totpURI: string } = await response.json()
      return enrolApp(totpURI, (code) => submitCode(browser, code))
    },
    submit: submitCode,
  }
}

/** Deletes users as an administrator. */
function createDeletion(auth: BetterAuth): Capabilities['deletion'] {
  const passwords = createPasswords(auth)
  return {
    async deleteUser(browser) {
      const userId = await getUserId(browser)
      const email = 'admin@app.example'
      await passwords.register(email, 'the password of the administrator')
      const { adapter } = await auth.$context
      const where = [{ field: 'email', value: email }]
      await adapter.update({ model: 'user', where, update: { role: 'admin' } })
      const administrator = new Browser(auth.handler, browser.base)
      await passwords.signIn(administrator, email, 'the password of the administrator')
      await post(administrator, '/admin/remove-user', { userId })
    },
  }
}

async function getUserId(browser: Browser): Promise<string> {
  const session: { readonly user?: { readonly id: string } } = await browser.json('/get-session')
  if (session.user === undefined) throw new Error('expected a session')
  return session.user.id
}

/** Passkeys that are put into the database: no attack is about how one is created. */
function createPasskeys({ $context }: BetterAuth): Capabilities['passkeys'] {
  return {
    async add(browser) {
      const userId = await getUserId(browser)
      const { adapter } = await $context
      const credentialID = crypto.randomUUID()
      const row = {
        userId,
        credentialID,
        publicKey: 'key',
        counter: 0,
        deviceType: 'singleDevice',
        backedUp: false,
      }
      return (await adapter.create({ model: 'passkey', data: row })).id
    },
    remove: (browser, id) => post(browser, '/passkey/delete-passkey', { id }),
    async has(browser, id) {
      const response = await browser.visit('/passkey/list-user-passkeys')
      const passkeys: readonly { readonly id: string }[] = await response.json()
      return passkeys.some((passkey) => passkey.id === id)
    },
  }
}

const issueKey: Capabilities['keys']['issue'] = async (browser, fields = {}) => {
  const response = await post(browser, '/api-key/create', { name: 'key', ...fields })
  const { userId, referenceId }: { readonly userId?: string; readonly referenceId?: string } =
    await response.json()
  return userId ?? referenceId
}
