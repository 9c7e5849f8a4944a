import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createAuth } from '@latchkey/core'
import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { smtp } from '@latchkey/mail/smtp'
import { passwords } from '@latchkey/passwords'
import { scrypt } from '@latchkey/passwords/scrypt'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { startSmtp } from '../../../mail/test/support/smtp.ts'
import type { TestSmtp } from '../../../mail/test/support/smtp.ts'

const alice = 'alice@example.com'

/** Returns the link of the newest email to an email address: the server keeps all. */
async function readLink(server: TestSmtp, count: number): Promise<string> {
  await expect.poll(() => server.messages.length).toBe(count)
  const { text } = server.messages.at(-1) ?? { text: '' }
  return /https?:\S+\/callback\/passwords\S+/.exec(text)?.[0] ?? ''
}

async function submit(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  const [first = ''] = Object.keys(values)
  const form = page.locator(`form:has(input[name=${first}])`)
  for (const [name, value] of Object.entries(values)) {
    await form.locator(`input[name=${name}]`).fill(value)
  }
  await form.getByRole('button').click()
}

describe.runIf(hasChromium())(
  'passwords in Chromium without JavaScript, with a server for email',
  () => {
    test('a user registers, signs in, resets the password, and changes it', async () => {
      await using mail = await startSmtp()
      const mailer = smtp(mail.url)
      const server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const origin = `http://localhost:${(server.address() as AddressInfo).port}`
      const base = `${origin}/api/auth`
      const { handle } = createAuth({
        secret: 'a secret of thirty-two bytes for these pages',
        serviceUrl: origin,
        storage: memoryStorage(),
        session: { strategy: 'storage' },
        use: [confirmation(), accountPages()],
        providers: [passwords({ hasher: scrypt(), mailer, from: 'Example <sign-in@app.example>' })],
      })
      const listener = getRequestListener((request) => handle(request), {
        overrideGlobalObjects: false,
      })
      const browser = await chromium.launch(chromiumOptions)
      try {
        const context = await browser.newContext({ locale: 'en', javaScriptEnabled: false })
        const page = await context.newPage()
        const signOut = async (): Promise<void> => {
          await page.goto(`${base}/signout`)
          await page.getByRole('button').click()
        }
        const expectSignedIn = async (): Promise<void> => {
          const session = await context.request.get(`${base}/session`)
          expect(await session.json()).toMatchObject({ user: { email: alice } })
        }

        await page.goto(`${base}/signin`)
        await page.getByRole('link', { name: 'Create an account' }).click()
        await submit(page, { email: alice })
        expect(await page.locator('h1').textContent()).toBe('Check your email')
        await page.goto(await readLink(mail, 1))
        await submit(page, { password: 'four words that differ' })
        await expectSignedIn()

        await signOut()
        await page.goto(`${base}/signin`)
        await submit(page, { email: alice, password: 'a wrong password here' })
        expect(await page.getByRole('alert').count()).toBe(1)
        await submit(page, { email: alice, password: 'four words that differ' })
        await expectSignedIn()

        await signOut()
        await page.goto(`${base}/signin`)
        await page.getByRole('link', { name: 'Forgot your password?' }).click()
        await submit(page, { email: alice })
        await page.goto(await readLink(mail, 2))
        await submit(page, { password: 'another four good words' })
        await expectSignedIn()

        await page.goto(`${base}/account`)
        await page.getByRole('link', { name: 'Change your password' }).click()
        await submit(page, { password: 'short' })
        expect(await page.locator('h1').textContent()).toBe('Change your password')
        await submit(page, { password: 'yet another four words' })
        expect(await page.getByRole('status').textContent()).toBe('Your changes are saved.')
        await signOut()
        await page.goto(`${base}/signin`)
        await submit(page, { email: alice, password: 'yet another four words' })
        await expectSignedIn()
      } finally {
        await browser.close()
        mailer.close()
        server.close().closeAllConnections()
      }
    }, 60_000)
  },
)
