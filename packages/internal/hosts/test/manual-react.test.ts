/** Runs the React application of the manual, as it is printed there, in Chromium. */
import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/core/testing/contract-config'
import { email } from '@latchkey/core/providers/email'
import { secondFactor } from '@latchkey/core/second-factor'
import { createMailbox } from '@latchkey/core/testing'
import { createListener, listen } from '@latchkey/node'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { getFreePort } from '@latchkey/test-support/servers'
import { recoveryCodes, totp } from '@latchkey/totp'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { printFiles } from './support/manual.ts'

const program = `
  import { createRoot } from 'react-dom/client'
  import { App } from './app.tsx'
  import { SessionProvider } from './auth-client.ts'
  import { Factors } from './factors.tsx'
  const page = location.pathname === '/factors' ? <SessionProvider><Factors /></SessionProvider> : <App />
  createRoot(document.getElementById('root')).render(page)
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
        secondFactor: secondFactor({ methods: [totp(), recoveryCodes()] }),
        providers: [
          ...providers.map((provider) =>
            // The application has buttons for OAuth providers.
            provider.id === 'passport' ? { ...provider, id: 'github', type: 'oauth' } : provider,
          ),
          email({ mailer: mailbox, from: 'a@example.com' }),
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
    await page.getByLabel('Email address').fill('bob@example.com')
    await page.getByRole('button', { name: 'Send a link' }).click()
    await page.getByText('Check your email.').waitFor()
    await page.goto(await mailbox.linkTo('bob@example.com'))
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.goto(`${origin}/factors`)
    expect(await page.getByRole('button', { name: 'New recovery codes' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
    await page.waitForURL(/\/signin\?second=true$/)
    await page.locator('a[href^="otpauth:"]').waitFor()
  })
})
