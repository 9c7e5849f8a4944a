/** Runs the pages of the manual about passkeys as they are printed there, in Chromium with a virtual authenticator. */
import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { contractConfig } from '@latchkey/testing/contract-config'
import { email } from '@latchkey/core/providers/email'
import { Browser as Client, createMailbox } from '@latchkey/testing'
import { createListener, listen } from '@latchkey/node'
import { passkeys } from '@latchkey/passkeys'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { getFreePort } from '@latchkey/test-support/servers'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createDevice } from '../../../passkeys/test/support/device.ts'
import { printFiles } from './support/manual.ts'
import type { PrintedFiles } from './support/manual.ts'

/** The modules that guide/passkeys.md prints. */
interface Guide {
  readonly app: { readonly fetch: (request: Request) => Response | Promise<Response> }
  readonly auth: Auth
  readonly addAuthenticator: (page: Page) => Promise<() => Promise<readonly string[]>>
}

describe.skipIf(!hasChromium())('guide/passkeys.md', () => {
  const printed: string[] = []
  let files: PrintedFiles
  let guide: Guide
  let browser: Browser
  let origin: string
  let stop: () => Promise<unknown>

  beforeAll(async () => {
    const port = await getFreePort('localhost')
    origin = `http://localhost:${port}`
    vi.stubEnv('SERVICE_URL', origin)
    vi.stubEnv('AUTH_SECRET', 'the secret of the recipes of the manual')
    vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
    files = await printFiles('guide/passkeys.md')
    guide = await files.load<Guide>('app.ts', 'auth.ts', 'authenticator.ts')
    const answer = async (request: Request): Promise<Response> => guide.app.fetch(request)
    const server = await listen(createListener(answer), { host: 'localhost', port })
    stop = () => server.stop(1000)
    browser = await chromium.launch(chromiumOptions)
  })
  afterAll(async () => {
    await browser?.close()
    await stop?.()
    await files?.[Symbol.asyncDispose]()
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  })

  test('a user adds a passkey after the first sign-in, and signs in with it as with two factors', async () => {
    const page = await (await browser.newContext()).newPage()
    const listCredentials = await guide.addAuthenticator(page)
    await page.goto(origin)
    await page.getByLabel('Email').fill('alice@example.com')
    const posted = page.waitForURL(/\/verify-request/)
    await page.locator('form[action$="/signin/email"] button').click()
    await posted
    const [link = ''] = /http\S+callback\S+/.exec(printed.join('\n')) ?? []
    await page.goto(link)
    await page.getByRole('button', { name: 'Create a passkey' }).click()
    await page.getByText('Hello, alice@example.com.').waitFor()
    expect(await listCredentials()).toHaveLength(1)
    await page.goto(`${origin}/keys`)
    expect(page.url()).not.toBe(`${origin}/keys`)
    await page.goto(`${origin}/api/auth/signout`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    // The authenticator answers the request of the field.
    await page.getByText('Hello, alice@example.com.').waitFor()
    await page.goto(`${origin}/keys`)
    await page.getByText('The keys').waitFor()
    expect(page.url()).toBe(`${origin}/keys`)
  })
})

/** What guide/passkey-origins.md prints for an application. */
interface Application {
  readonly signInByPasskey: (
    service: string,
    send: (url: string, body?: Record<string, string>) => Promise<Response>,
    getPasskey: (options: string) => Promise<string>,
  ) => Promise<boolean>
}

describe('guide/passkey-origins.md', () => {
  test('an application signs in by a passkey of its origin', async () => {
    await using files = await printFiles('guide/passkey-origins.md')
    const { signInByPasskey } = await files.load<Application>('sign-in.ts')
    const serviceUrl = 'https://example.com'
    const service = `${serviceUrl}/api/auth`
    const android = `android:apk-key-hash:${'A'.repeat(43)}`
    const mailbox = createMailbox()
    const { handle } = createAuth(
      contractConfig({
        serviceUrl,
        use: [confirmation()],
        providers: [
          passkeys({ origins: [android] }),
          email({ mailer: mailbox, from: 'a@example.com' }),
        ],
      }),
    )
    const browser = new Client(handle, service)
    await browser.submit('/signin/email', { email: 'alice@example.com' })
    await browser.visit(await mailbox.linkTo('alice@example.com'))
    const asked = await browser.submit('/signin/passkey', { link: 'true', json: 'true' })
    const device = await createDevice(serviceUrl)
    const credential = JSON.stringify(await device.create((await asked.json()).publicKey))
    const added = await browser.submit('/callback/passkey', { credential, json: 'true' })
    expect(added.status).toBe(200)

    const phone = new Client(handle, service)
    const send = (url: string, body?: Record<string, string>): Promise<Response> =>
      phone.visit(url, body && { method: 'POST', body: new URLSearchParams(body) })
    const getPasskey =
      (own: string) =>
      async (options: string): Promise<string> =>
        JSON.stringify(await device.get(JSON.parse(options), { clientData: { origin: own } }))
    const other = `android:apk-key-hash:${'B'.repeat(42)}A`
    expect(await signInByPasskey(service, send, getPasskey(other))).toBe(false)
    expect(await signInByPasskey(service, send, getPasskey(android))).toBe(true)
    expect(await phone.json('/session')).toMatchObject({ user: { email: 'alice@example.com' } })
  })
})
