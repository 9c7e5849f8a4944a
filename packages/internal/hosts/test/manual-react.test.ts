/** Runs the React application of the manual, as it is printed there, in Chromium. */
import { createAuth } from '@latchkey/core'
import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { contractConfig } from '@latchkey/testing/contract-config'
import { email } from '@latchkey/core/providers/email'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { createMailbox } from '@latchkey/testing'
import { createListener, listen } from '@latchkey/node'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { getFreePort } from '@latchkey/test-support/servers'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAuthenticator } from '../../page-tests/src/passkeys/visitor.ts'
import { printFiles } from './support/manual.ts'

const program = `
  import { createRoot } from 'react-dom/client'
  import { App } from './app.tsx'
  import { SessionProvider } from './auth-client.ts'
  import { Factors } from './factors.tsx'
  import { PasskeySignIn } from './passkey-sign-in.tsx'
  import { Passkeys } from './passkeys.tsx'
  const pages = {
    '/factors': <SessionProvider><Factors /></SessionProvider>,
    '/passkeys': <SessionProvider><Passkeys /></SessionProvider>,
    '/passkey-sign-in': <PasskeySignIn />,
  }
  createRoot(document.getElementById('root')).render(pages[location.pathname] ?? <App />)
`

describe.skipIf(!hasChromium())('guide/react.md', () => {
  const mailbox = createMailbox()
  let browser: Browser
  let origin: string
  let stop: () => Promise<unknown>

  beforeAll(async () => {
    await using files = await printFiles('guide/react.md')
    const script = await files.bundleForBrowser(program)
    const port = await getFreePort('localhost')
    origin = `http://localhost:${port}`
    const { providers } = contractConfig()
    const auth = createAuth(
      contractConfig({
        serviceUrl: origin,
        use: [
          confirmation({ maxAge: 0 }),
          accountPages(),
          secondFactor({ methods: [totp(), passkeyFactor(), recoveryCodes()] }),
        ],
        providers: [
          ...providers.map((provider) =>
            // The application has buttons for OAuth providers.
            provider.id === 'passport' ? { ...provider, id: 'github', type: 'oauth' } : provider,
          ),
          email({ mailer: mailbox, from: 'a@example.com' }),
          passkeys({ offerAfterSignIn: false }),
        ],
      }),
    )
    const answer = async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url)
      if (pathname.startsWith(auth.basePath)) return auth.handle(request)
      const [type, body] =
        pathname === '/app.js'
          ? ['text/javascript', script]
          : [
              'text/html',
              '<!doctype html><div id="root"></div><script type="module" src="/app.js"></script>',
            ]
      return new Response(body, { headers: { 'content-type': `${type}; charset=utf-8` } })
    }
    const server = await listen(createListener(answer), { host: 'localhost', port })
    stop = () => server.stop(1000)
    browser = await chromium.launch(chromiumOptions)
  })
  afterAll(async () => {
    await browser?.close()
    await stop?.()
  })

  const open = async (): Promise<Page> => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(origin)
    return page
  }

  /** Opens the link of an email. */
  async function followLink(page: Page, address: string): Promise<void> {
    await page.goto(origin)
    await page.getByLabel('Email address').fill(address)
    await page.getByRole('button', { name: 'Send a link' }).click()
    await page.getByText('Check your email.').waitFor()
    await page.goto(await mailbox.linkTo(address))
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Send a link' }).waitFor()
  }

  /** Opens a page in a browser that has an authenticator, and a passkey of a user who is signed in. */
  async function openWithPasskey(address: string): Promise<Page> {
    const page = await open()
    await openAuthenticator(page)
    await followLink(page, address)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.goto(`${origin}/passkeys`)
    await page.getByRole('button', { name: 'Create a passkey' }).click()
    await page.getByRole('button', { name: 'Rename' }).waitFor()
    return page
  }

  /** Signs out, and in with the passkey that the virtual authenticator picks. */
  async function signInByAutofill(page: Page): Promise<void> {
    await page.goto(origin)
    await signOut(page)
    await page.goto(`${origin}/passkey-sign-in`)
    await page.waitForURL(`${origin}/`)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  }

  test('signs in, links an account and signs out', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Continue with Passport' }).click()
    await page.getByText('Hello, Person alice').waitFor()
    await page.getByRole('button', { name: 'Link an account' }).click()
    await page.waitForURL(`${origin}/`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Send a link' }).waitFor()
  })

  test('sends an email without leaving the page, and says why it could not', async () => {
    const page = await open()
    await page.getByLabel('Email address').fill('alice@example.com')
    await page.getByRole('button', { name: 'Send a link' }).click()
    await page.getByText('Check your email.').waitFor()
    await page.getByLabel('Email address').fill('alice@localhost')
    await page.getByRole('button', { name: 'Send a link' }).click()
    await page.getByText('The email was not sent: EmailSignin').waitFor()
    expect(page.url()).toBe(`${origin}/`)
    await page.goto(await mailbox.linkTo('alice@example.com'))
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  })
  test('leads to the page that sets up an authenticator app', async () => {
    const page = await open()
    await followLink(page, 'bob@example.com')
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.goto(`${origin}/factors`)
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
    await page.waitForURL(/\/signin\?second=true$/)
    await page.locator('a[href^="otpauth:"]').waitFor()
  })

  test('creates a passkey, shows the recovery codes, and names it', async () => {
    const page = await openWithPasskey('carol@example.com')
    expect((await page.locator('pre').innerText()).split('\n')).toHaveLength(10)
    // From now on a change needs both factors.
    await signInByAutofill(page)
    await page.goto(`${origin}/passkeys`)
    await page.getByLabel('Name').fill('Laptop')
    const read = page.waitForResponse(
      (response) => response.url().endsWith('/account') && response.request().method() === 'GET',
    )
    await page.getByRole('button', { name: 'Rename' }).click()
    await read
    await page.goto(`${origin}/passkeys`)
    expect(await page.getByLabel('Name').inputValue()).toBe('Laptop')
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByLabel('Name').waitFor({ state: 'detached' })
  })

  test('signs in with a passkey, by the button and by autofill', async () => {
    const page = await openWithPasskey('dora@example.com')
    await signInByAutofill(page)
    await signOut(page)
    await page.addInitScript(
      'PublicKeyCredential.isConditionalMediationAvailable = async () => false',
    )
    await page.goto(`${origin}/passkey-sign-in`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL(`${origin}/`)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  })
})
