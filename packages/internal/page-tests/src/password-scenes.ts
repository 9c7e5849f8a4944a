import type { Page } from 'playwright-core'
import { createAddress, openLink } from './scene.ts'
import type { Scene } from './scene.ts'
import type { ServedPages } from './serve-pages.ts'

/** The pages of passwords. */
export const passwordScenes: readonly Scene[] = [
  { name: 'password-sign-in', open: (page, served) => visit(page, served, '/signin') },
  { name: 'password-wrong', open: typeWrongPassword },
  { name: 'register', open: (page, served) => visit(page, served, registerPath) },
  { name: 'register-mistake', open: (page, served) => ask(page, served, 'alice@example') },
  { name: 'register-sent', open: (page, served) => ask(page, served) },
  { name: 'forgot', open: (page, served) => visit(page, served, forgotPath) },
  { name: 'forgot-again', open: openUsedLink },
  { name: 'choose', open: askAndOpen },
  { name: 'choose-refused', open: (page, served) => choose(page, served, 'breached password') },
  { name: 'choose-other-user', open: openLinkOfOtherUser },
  { name: 'password-change', open: openChange },
  { name: 'password-account', open: openAccount },
  { name: 'password-other-ways', open: openOtherWays },
  {
    name: 'password-other-browser',
    open: (page, served) => visit(page, served, '/callback/passwords?prove=true'),
  },
  { name: 'consent', open: openConsent },
]

const registerPath = '/signin/passwords?action=register'
const forgotPath = '/signin/passwords?action=forgot'
const good = 'four words that differ'

async function visit(page: Page, { passwordsBase }: ServedPages, path: string): Promise<void> {
  await page.goto(passwordsBase + path)
}

async function typeWrongPassword(page: Page, served: ServedPages): Promise<void> {
  await visit(page, served, '/signin')
  await page.locator('input[name=email]').fill('alice@example.com')
  await page.locator('input[name=password]').fill('wrong')
  await page.locator('form:has(input[name=password]) button').click()
}

/** Asks for a link; default: of a new user. */
async function ask(
  page: Page,
  served: ServedPages,
  address: string = createAddress('member'),
): Promise<void> {
  await visit(page, served, registerPath)
  await page.locator('input[name=email]').fill(address)
  await page.locator('form button').click()
}

async function askAndOpen(page: Page, served: ServedPages): Promise<void> {
  await ask(page, served)
  await openLink(page, served)
}

async function choose(page: Page, served: ServedPages, password: string): Promise<void> {
  await askAndOpen(page, served)
  await post(page, password)
}

async function post(page: Page, password: string): Promise<void> {
  await page.locator('input[name=password]').fill(password)
  await page.locator('form:has(input[name=password]) button').click()
}

async function openUsedLink(page: Page, served: ServedPages): Promise<void> {
  await choose(page, served, good)
  await openLink(page, served)
  await post(page, good)
}

async function openLinkOfOtherUser(page: Page, served: ServedPages): Promise<void> {
  await choose(page, served, good)
  await askAndOpen(page, served)
}

async function openChange(page: Page, served: ServedPages): Promise<void> {
  await choose(page, served, good)
  await visit(page, served, '/signin/passwords?action=change')
}

async function openAccount(page: Page, served: ServedPages): Promise<void> {
  await choose(page, served, good)
  await visit(page, served, '/account')
}

/** Opens the page by which an application asks for access. */
export async function askForConsent(page: Page, served: ServedPages): Promise<void> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'notes',
    redirect_uri: `${served.origin}/`,
    code_challenge: 'A'.repeat(43),
    code_challenge_method: 'S256',
  })
  await visit(page, served, `/authorize?${query}`)
}

async function openConsent(page: Page, served: ServedPages): Promise<void> {
  await choose(page, served, good)
  await askForConsent(page, served)
}

/** Resets the password of a user who has linked an account. */
async function openOtherWays(page: Page, served: ServedPages): Promise<void> {
  await openAccount(page, served)
  await page.locator('#ways .more a').click()
  await page.locator('form[action$="/signin/github"] button').click()
  await visit(page, served, forgotPath)
  await page.locator('input[name=email]').fill(served.mails.at(-1)?.to.address ?? '')
  await page.locator('form button').click()
  await openLink(page, served)
  await post(page, `${good} too`)
}
