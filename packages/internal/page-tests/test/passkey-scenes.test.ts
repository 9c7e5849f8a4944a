import { createHash } from 'node:crypto'
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveInNode } from '../src/passkeys/hosts.ts'
import type { LocalSite } from '../src/passkeys/hosts.ts'
import { hasSecureBrowser, launchSecureBrowser } from '../src/passkeys/secure-browser.ts'
import type { SecureBrowser } from '../src/passkeys/secure-browser.ts'
import {
  createAddress,
  createPasskey,
  findPasskeys,
  openAccount,
  openFilled,
  press,
  readProof,
  readUser,
  registerByPassword,
  signInByButton,
  signInByEmail,
  signOut,
} from '../src/passkeys/steps.ts'
import { platformAuthenticator, securityKey, visit } from '../src/passkeys/visitor.ts'
import type { AuthenticatorOptions, Visitor } from '../src/passkeys/visitor.ts'

/** Milliseconds after which a page that waits gets new options. */
const RENEWAL = 600_000

/** Lets each ceremony of a page end soon: options of the service have 15 minutes. */
const shortenTimeout = `for (const name of ['parseRequestOptionsFromJSON', 'parseCreationOptionsFromJSON']) {
  const original = PublicKeyCredential[name]
  PublicKeyCredential[name] = (json) => original.call(PublicKeyCredential, { ...json, timeout: 100 })
}`

/** Lets the browser say later, by \`release()\`, whether it shows passkeys in fields. */
const holdConditional = `if (isSecureContext) {
  const original = PublicKeyCredential.isConditionalMediationAvailable
  const { promise, resolve } = Promise.withResolvers()
  window.release = resolve
  PublicKeyCredential.isConditionalMediationAvailable = () =>
    promise.then(() => original.call(PublicKeyCredential))
}`

/** Creates passkeys without asking the user as another browser does: Chromium without windows keeps no passwords. */
const createWithoutAsking = `if (isSecureContext) {
  const { prototype } = CredentialsContainer
  const original = prototype.create
  prototype.create = function ({ mediation, ...options }) {
    return original.call(this, options)
  }
}`

const failed = 'Your browser could not use a passkey. Try again, or use another way.'

function getAlert(page: Page) {
  return page.getByRole('alert')
}

async function expectAlert(page: Page, text: string): Promise<void> {
  await getAlert(page).waitFor()
  expect(await getAlert(page).textContent()).toBe(text)
}

/** Returns the number of passkeys on the account page. */
async function countPasskeys(visitor: Visitor, site: LocalSite): Promise<number> {
  await openAccount(visitor.page, site)
  return findPasskeys(visitor.page).count()
}

describe.runIf(hasSecureBrowser())('passkeys on the built-in pages', () => {
  let secure: SecureBrowser
  let site: LocalSite
  beforeAll(async () => {
    secure = await launchSecureBrowser()
    site = await serveInNode()
  })
  afterAll(async () => {
    await secure?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  describe('the account page', () => {
    test('a user names a passkey', async () => {
      await using visitor = await visit(secure.browser)
      const { page, authenticator } = visitor
      await createPasskey(page, site)
      await openAccount(page, site)
      await findPasskeys(page).click()
      const form = page.locator('form:has(input[name=action][value=renamePasskey])')
      await form.getByLabel('Name').fill('Laptop')
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Your changes are saved.').waitFor()
      expect(await page.getByText('Laptop', { exact: true }).count()).toBe(1)
      expect(await authenticator.listCredentials()).toHaveLength(1)
    })

    test('the authenticator gets the new name of the user', async () => {
      await using visitor = await visit(secure.browser)
      const { page, authenticator } = visitor
      const address = await createPasskey(page, site)
      expect((await authenticator.listCredentials())[0]?.userDisplayName).toBe(address)
      await openAccount(page, site)
      const form = page.locator('form:has(input[name=action][value=changeName])')
      await form.getByLabel('Name').fill('Alice Example')
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Your changes are saved.').waitFor()
      await expect
        .poll(async () => (await authenticator.listCredentials())[0])
        .toMatchObject({ userName: address, userDisplayName: 'Alice Example' })
    })

    test('one of two passkeys is removed, and only its authenticator forgets it', async () => {
      await using visitor = await visit(secure.browser)
      const { page, authenticator, addAuthenticator } = visitor
      await createPasskey(page, site)
      await authenticator.setPresence(false)
      const second = await addAuthenticator({ ...platformAuthenticator, transport: 'usb' })
      await openAccount(page, site)
      await press(page, 'Add a passkey')
      await findPasskeys(page).nth(1).waitFor()
      expect(await second.listCredentials()).toHaveLength(1)
      await findPasskeys(page).first().click()
      await page.getByRole('button', { name: 'Remove' }).click()
      await page.getByText('Your changes are saved.').waitFor()
      await expect.poll(() => authenticator.listCredentials()).toEqual([])
      expect(await second.listCredentials()).toHaveLength(1)
    })

    test.each([
      [true, 'synchronised', 'only on one device', 'swk'],
      [false, 'only on one device', 'synchronised', 'hwk'],
    ] as const)('with backups: %s, it says "%s"', async (isBackedUp, shown, other, method) => {
      await using visitor = await visit(secure.browser, {
        ...platformAuthenticator,
        defaultBackupEligibility: isBackedUp,
        defaultBackupState: isBackedUp,
      })
      const { page } = visitor
      await createPasskey(page, site)
      await openAccount(page, site)
      expect(await page.getByText(shown).count()).toBe(1)
      expect(await page.getByText(other).count()).toBe(0)
      await signOut(page, site)
      await signInByButton(visitor, site)
      expect((await readProof(page, site))?.methods).toContain(method)
    })

    test('an authenticator that has a passkey of the user gets no second one, and the page says so', async () => {
      await using visitor = await visit(secure.browser)
      const { page, authenticator } = visitor
      await createPasskey(page, site)
      await openAccount(page, site)
      await press(page, 'Add a passkey')
      await expectAlert(page, 'This device has a passkey of your account already.')
      expect(visitor.listPosts('/callback/passkey')).toHaveLength(1)
      expect(await authenticator.listCredentials()).toHaveLength(1)
      expect(await countPasskeys(visitor, site)).toBe(1)
    })
  })

  describe('a ceremony that ends without a passkey', () => {
    test('a sign-in that the user lets expire posts nothing, and the page can be used again', async () => {
      await using visitor = await visit(secure.browser)
      const { page, authenticator, ceremonies } = visitor
      const address = await createPasskey(page, site)
      await signOut(page, site)
      await openFilled(visitor, site)
      await authenticator.setPresence(false)
      await page.evaluate(shortenTimeout)
      await press(page, 'Sign in with a passkey')
      await expect.poll(() => ceremonies.slice(-2)).toEqual(['get', 'get conditional'])
      expect(await getAlert(page).count()).toBe(0)
      expect(new URL(page.url()).pathname).toBe('/api/auth/signin')
      expect(visitor.listPosts('/callback/passkey')).toHaveLength(1)
      await signInByButton(visitor, site)
      expect(await readUser(page, site)).toBe(address)
    })

    const without: readonly (readonly [string, AuthenticatorOptions])[] = [
      ['that does not verify its user', securityKey],
      ['without room for passkeys', { ...platformAuthenticator, hasResidentKey: false }],
      ['whose user is not recognised', { ...platformAuthenticator, isUserVerified: false }],
    ]
    test.each(without)('an authenticator %s gets no passkey', async (_, options) => {
      await using visitor = await visit(secure.browser, options)
      const { page, authenticator, ceremonies } = visitor
      await signInByEmail(page, site, createAddress())
      await page.evaluate(shortenTimeout)
      const ended = page.evaluate(`new Promise((resolve) => {
        const { create } = navigator.credentials
        navigator.credentials.create = function (options) {
          const result = create.call(this, options)
          result.catch(({ name }) => resolve(name))
          return result
        }
      })`)
      await press(page, 'Create a passkey')
      expect(await ended).toBe('NotAllowedError')
      expect(ceremonies.at(-1)).toBe('create')
      expect(visitor.listPosts('/callback/passkey')).toEqual([])
      expect(await getAlert(page).count()).toBe(0)
      expect(await authenticator.listCredentials()).toEqual([])
      // Another authenticator gets one on the same page.
      await authenticator.remove()
      await visitor.addAuthenticator(platformAuthenticator)
      await page.goto(`${site.base}/signin/passkey?action=create`)
      await press(page, 'Create a passkey')
      await page.waitForURL(`${site.origin}/`)
    })

    test('a network that fails is reported, and the button works afterwards', async () => {
      await using visitor = await visit(secure.browser)
      const { page } = visitor
      await createPasskey(page, site)
      await signOut(page, site)
      await openFilled(visitor, site)
      await page.context().setOffline(true)
      await press(page, 'Sign in with a passkey')
      await expectAlert(page, failed)
      await page.context().setOffline(false)
      await press(page, 'Sign in with a passkey')
      await page.waitForURL(`${site.origin}/`)
    })

    test('the authenticator forgets a passkey that the service does not know', async () => {
      await using visitor = await visit(secure.browser)
      await using other = await serveInNode()
      const { page, authenticator } = visitor
      await createPasskey(page, site)
      expect(await authenticator.listCredentials()).toHaveLength(1)
      await openFilled(visitor, other)
      await press(page, 'Sign in with a passkey')
      await expectAlert(page, 'This passkey is not known here. Use another way to sign in.')
      await expect.poll(() => authenticator.listCredentials()).toEqual([])
    })

    test('the browser refuses the RP ID of another host, and the page says so', async () => {
      await using other = await serveInNode(
        { passkeys: { rpId: 'auth.example.test', origins: ['https://auth.example.test'] } },
        'other.example.test',
      )
      await using visitor = await visit(secure.browser)
      const { page } = visitor
      await createPasskey(page, site)
      await page.goto(`${other.base}/signin`)
      await press(page, 'Sign in with a passkey')
      await expectAlert(page, failed)
      expect(visitor.listPosts('/callback/passkey')).toHaveLength(1)
    })
  })

  describe('ceremonies that follow each other', () => {
    test('a confirmation asks for the passkey of the session’s user, of several in one authenticator', async () => {
      await using visitor = await visit(secure.browser)
      const { page, authenticator } = visitor
      const first = await createPasskey(page, site)
      const [credential] = await authenticator.listCredentials()
      await signOut(page, site)
      await authenticator.setPresence(false)
      await signInByEmail(page, site, createAddress())
      await authenticator.setPresence(true)
      await press(page, 'Create a passkey')
      await page.waitForURL(`${site.origin}/`)
      await signOut(page, site)
      expect(await authenticator.listCredentials()).toHaveLength(2)
      await authenticator.setPresence(false)
      await signInByEmail(page, site, first)
      await authenticator.setPresence(true)
      await page.goto(`${site.base}/signin?confirm=true`)
      await press(page, 'Confirm with a passkey')
      await page.waitForURL(`${site.origin}/`)
      expect(await readUser(page, site)).toBe(first)
      expect(authenticator.asserted).toEqual([credential?.credentialId])
    })

    test('a page that is open longer than its options gets new ones', async () => {
      await using own = await serveInNode()
      await using visitor = await visit(secure.browser)
      const { page, authenticator, ceremonies } = visitor
      const address = await createPasskey(page, own)
      await signOut(page, own)
      await page.clock.install()
      await openFilled(visitor, own)
      const count = ceremonies.length
      await own.advance(2 * RENEWAL)
      await page.clock.fastForward(RENEWAL - 1000)
      expect(ceremonies).toHaveLength(count)
      await page.clock.fastForward(1000)
      await page.waitForURL(`${own.origin}/`)
      expect(ceremonies.slice(count)).toEqual(['get conditional'])
      expect(authenticator.asserted).toHaveLength(1)
      expect(await readUser(page, own)).toBe(address)
    })

    test('of two tabs, the one that gets the focus has valid options', async () => {
      await using visitor = await visit(secure.browser)
      const { page, authenticator, ceremonies } = visitor
      const address = await createPasskey(page, site)
      await signOut(page, site)
      await openFilled(visitor, site)
      const tab = await visitor.openTab()
      await openFilled({ ...visitor, ...tab }, site)
      const count = ceremonies.length
      expect(await readUser(page, site)).toBeUndefined()
      await page.evaluate(`dispatchEvent(new Event('focus'))`)
      await page.waitForURL(`${site.origin}/`)
      expect(ceremonies.slice(count)).toEqual(['get conditional'])
      expect(authenticator.asserted).toHaveLength(1)
      expect(await readUser(page, site)).toBe(address)
    })

    test('a button that is pressed twice begins no other ceremony', async () => {
      await using visitor = await visit(secure.browser)
      const { page, ceremonies } = visitor
      const address = await createPasskey(page, site)
      await signOut(page, site)
      await openFilled(visitor, site)
      const count = ceremonies.length
      await page.getByRole('button', { name: 'Sign in with a passkey' }).dblclick()
      await page.waitForURL(`${site.origin}/`)
      expect(new Set(ceremonies.slice(count))).toEqual(new Set(['get']))
      expect(await readUser(page, site)).toBe(address)
    })

    test('a button that is pressed before the fields are filled is not interrupted', async () => {
      await using visitor = await visit(secure.browser)
      const { page, authenticator, ceremonies } = visitor
      await createPasskey(page, site)
      await signOut(page, site)
      await authenticator.setPresence(false)
      await page.addInitScript(holdConditional)
      await page.goto(`${site.base}/signin`)
      const count = ceremonies.length
      const asked = visitor.listPosts('/signin/passkey').length
      await press(page, 'Sign in with a passkey')
      await expect.poll(() => ceremonies.slice(count)).toEqual(['get'])
      await page.evaluate('release()')
      // A later request of the page shows that the script has not asked for options before.
      await page.evaluate(`fetch('/api/auth/session')`)
      expect(visitor.listPosts('/signin/passkey')).toHaveLength(asked + 1)
      expect(ceremonies.slice(count)).toEqual(['get'])
    })

    test('options that arrive late do not replace the options of the button', async () => {
      await using visitor = await visit(secure.browser)
      const { page } = visitor
      const address = await createPasskey(page, site)
      await signOut(page, site)
      let hold: (route: Route) => void
      const held = new Promise<Route>((resolve) => (hold = resolve))
      let requests = 0
      await page.route('**/signin/passkey', async (route) => {
        requests += 1
        if (requests === 1) hold(route)
        else await route.continue()
      })
      await page.route(
        '**/callback/passkey',
        async (route) => {
          await (await held).continue()
          // If the page still waits for what was held, that is answered first.
          await page.evaluate(`fetch('/api/auth/session').then((response) => response.text())`)
          await route.continue()
        },
        { times: 1 },
      )
      await page.goto(`${site.base}/signin`)
      await held
      await press(page, 'Sign in with a passkey')
      await page.waitForURL(`${site.origin}/`)
      expect(requests).toBe(2)
      expect(await readUser(page, site)).toBe(address)
    })
  })

  describe('after a sign-in by a password', () => {
    test('the browser is asked for a passkey, and the button interrupts that', async () => {
      await using own = await serveInNode({ hasPasswords: true })
      await using visitor = await visit(secure.browser)
      const { page, authenticator, ceremonies } = visitor
      await registerByPassword(page, own, createAddress())
      await expect.poll(() => ceremonies.at(-1)).toBe('create conditional')
      const [asked] = visitor.listPosts('/signin/passkey').slice(-1)
      expect(new URLSearchParams(asked?.postData() ?? '').get('automatic')).toBe('true')
      await press(page, 'Create a passkey')
      await page.waitForURL(`${own.origin}/`)
      expect(ceremonies.at(-1)).toBe('create')
      expect(await authenticator.listCredentials()).toHaveLength(1)
      expect(visitor.messages).toEqual([])
    })

    test('a browser that need not ask the user creates a passkey', async () => {
      await using own = await serveInNode({ hasPasswords: true })
      await using visitor = await visit(secure.browser)
      const { page, authenticator } = visitor
      await page.addInitScript(createWithoutAsking)
      const address = createAddress()
      await registerByPassword(page, own, address)
      await page.waitForURL(`${own.origin}/`)
      expect(await authenticator.listCredentials()).toHaveLength(1)
      await signOut(page, own)
      await signInByButton(visitor, own)
      expect(await readUser(page, own)).toBe(address)
      expect(visitor.messages).toEqual([])
    })
  })

  describe('the pages', () => {
    test('without JavaScript the button is hidden, and the other way works', async () => {
      await using visitor = await visit(secure.browser, undefined, { javaScriptEnabled: false })
      const { page } = visitor
      const address = createAddress()
      await page.goto(`${site.base}/signin`)
      const button = page.locator('form[data-passkey] button')
      expect([await button.count(), await button.isVisible()]).toEqual([1, false])
      await signInByEmail(page, site, address)
      await page.getByRole('heading', { name: 'Create a passkey' }).waitFor()
      expect(await page.getByRole('button').count()).toBe(0)
      await page.getByRole('link', { name: 'Not now' }).click()
      expect(await readUser(page, site)).toBe(address)
    })

    test('the policy allows the one script by its hash, and no other', async () => {
      await using visitor = await visit(secure.browser)
      const { page } = visitor
      const response = await page.goto(`${site.base}/signin`)
      const scripts = [...((await response?.text()) ?? '').matchAll(/<script>([^]*?)<\/script>/g)]
      expect(scripts).toHaveLength(1)
      const hash = createHash('sha256')
        .update(scripts[0]?.[1] ?? '')
        .digest('base64')
      const policy = response?.headers()['content-security-policy'] ?? ''
      expect(policy).toContain(`script-src 'sha256-${hash}'; connect-src 'self';`)
      expect(policy).not.toContain('unsafe')
    })

    test('a service without passkeys has no script', async () => {
      await using own = await serveInNode({ passkeys: null })
      await using visitor = await visit(secure.browser)
      const { page } = visitor
      const response = await page.goto(`${own.base}/signin`)
      expect(await response?.text()).not.toContain('<script')
      expect(response?.headers()['content-security-policy']).not.toMatch(/script-src|connect-src/)
      await signInByEmail(page, own, createAddress())
      await page.waitForURL(`${own.origin}/`)
    })
  })
})
