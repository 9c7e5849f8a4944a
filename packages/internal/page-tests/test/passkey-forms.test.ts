import { createAuth } from '@latchkey/core'
import type { SecondFactorMethod } from '@latchkey/second-factor'
import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { Browser as TestBrowser, createMailbox } from '@latchkey/testing'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branded } from '../src/look.ts'
import { passkeyScenes } from '../src/passkey-scenes.ts'
import { servePages } from '../src/serve-pages.ts'
import type { ServedPages } from '../src/serve-pages.ts'

/** Returns the texts of what a page shows below its heading: buttons, dividers, and links to other methods. */
function listShown(page: Page): Promise<readonly string[]> {
  return page
    .locator('main :is(button, .or, [href*="method="])')
    .filter({ visible: true })
    .allInnerTexts()
}

describe.runIf(hasChromium())('the forms of passkeys in Chromium', () => {
  let browser: Browser
  let served: ServedPages

  beforeAll(async () => {
    browser = await chromium.launch(chromiumOptions)
    served = await servePages(branded)
  })

  afterAll(async () => {
    await browser?.close()
    await served?.stop()
  })

  async function openScene(name: string): Promise<Page> {
    const page = await (await browser.newContext({ locale: 'en' })).newPage()
    await passkeyScenes.find((scene) => scene.name === name)?.open(page, served)
    return page
  }

  /** Opens the page of another one in a browser with the same cookies and without JavaScript. */
  async function openWithoutScript(page: Page): Promise<Page> {
    const storageState = await page.context().storageState()
    const options = { locale: 'en', javaScriptEnabled: false, storageState }
    const other = await (await browser.newContext(options)).newPage()
    await other.goto(page.url())
    return other
  }

  test.each([
    {
      name: 'passkey-sign-in',
      shown: ['Continue with email', 'or', 'Sign in with a passkey', 'Continue with GitHub'],
      rest: ['Continue with email', 'or', 'Continue with GitHub'],
    },
    { name: 'passkey-sign-in-one', shown: ['Sign in with a passkey'], rest: [] },
    { name: 'passkey-create', shown: ['Create a passkey'], rest: [] },
    {
      name: 'passkey-confirm',
      shown: ['Continue with email', 'or', 'Confirm with a passkey'],
      rest: ['Continue with email'],
    },
    {
      name: 'passkey-second-step',
      shown: ['Use a passkey', 'Use a recovery code'],
      rest: ['Use a recovery code'],
    },
  ])(
    '$name: without JavaScript the other forms remain, and no divider beside a hidden one',
    async ({ name, shown, rest }) => {
      const page = await openScene(name)
      expect(await listShown(page)).toEqual(shown)
      const withoutScript = await openWithoutScript(page)
      expect(await listShown(withoutScript)).toEqual(rest)
      await withoutScript.context().close()
      await page.context().close()
    },
  )

  test('a page with one form, and the second step, have the passkey as their main button', async () => {
    for (const name of ['passkey-sign-in-one', 'passkey-create', 'passkey-second-step']) {
      const page = await openScene(name)
      expect(await page.locator('.primary').allInnerTexts(), name).toEqual([
        expect.stringMatching(/ a passkey$/),
      ])
      await page.context().close()
    }
    const page = await openScene('passkey-sign-in')
    expect(await page.locator('.primary').allInnerTexts()).toEqual(['Continue with email'])
    await page.context().close()
  })

  test('the button of a passkey is as far from the next one as the others are', async () => {
    const page = await openScene('passkey-sign-in')
    const getGap = async (first: string, second: string): Promise<number> => {
      const above = await page.getByRole('button', { name: first }).boundingBox()
      const below = await page.getByRole('button', { name: second }).boundingBox()
      return (below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)
    }
    const gap = await getGap('Sign in with a passkey', 'Continue with GitHub')
    await page.goto(`${served.base}/signin`)
    expect(gap).toBe(await getGap('Continue with Google', 'Continue with GitHub'))
    await page.context().close()
  })
})

describe('the account page of a user without a second factor', () => {
  /** Returns the headings of the account page of a new user. */
  async function listHeadings(methods: readonly SecondFactorMethod[]): Promise<readonly string[]> {
    const base = 'https://app.example/api/auth'
    const mailbox = createMailbox()
    const { handle } = createAuth({
      serviceUrl: 'https://app.example',
      secret: 'a secret of thirty-two bytes or more',
      storage: memoryStorage(),
      session: { strategy: 'storage' },
      use: [confirmation(), accountPages(), secondFactor({ methods })],
      providers: [passkeys(), email({ mailer: mailbox, from: 'Example <sign-in@app.example>' })],
    })
    const user = new TestBrowser(handle, base)
    await user.submit('/signin/email', { email: 'alice@example.com' })
    await user.visit(await mailbox.linkTo('alice@example.com'))
    const html = await (await user.visit('/account')).text()
    return [...html.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, heading = '']) => heading)
  }

  test('has a section of second factors only if one can be added there', async () => {
    const around = ['About you', 'Ways to sign in', 'Where you are signed in', 'Delete the account']
    const withApp = await listHeadings([passkeyFactor(), totp(), recoveryCodes()])
    expect(withApp).toEqual([...around.slice(0, 2), 'Second step', ...around.slice(2)])
    expect(await listHeadings([passkeyFactor(), recoveryCodes()])).toEqual(around)
    expect(await listHeadings([passkeyFactor()])).toEqual(around)
  })
})
