import type { Page } from 'playwright-core'
import type { ServedPages } from './serve-pages.ts'

/** One state of one page. */
export interface Scene {
  readonly name: string
  /** Opens the page in a browser without cookies. */
  readonly open: (page: Page, served: ServedPages) => Promise<void>
}

/** Every built-in page, in every state that looks different. */
export const scenes: readonly Scene[] = [
  { name: 'sign-in', open: (page, { base }) => visit(page, `${base}/signin`) },
  {
    name: 'sign-in-error',
    open: (page, { base }) => visit(page, `${base}/signin?error=Cancelled`),
  },
  { name: 'sign-in-mistake', open: (page, served) => requestEmail(page, served, 'alice@example') },
  { name: 'sign-in-one', open: (page, { base }) => visit(page, `${base}/signin/github`) },
  { name: 'signed-in', open: openSignedIn },
  { name: 'sign-out', open: openSignOut },
  { name: 'sign-out-none', open: (page, { base }) => visit(page, `${base}/signout`) },
  { name: 'check-email', open: requestAnyEmail },
  { name: 'check-email-unknown', open: (page, { base }) => visit(page, `${base}/verify-request`) },
  { name: 'check-email-again', open: (page, served) => resend(page, served, 1) },
  { name: 'check-email-limited', open: (page, served) => resend(page, served, 3) },
  { name: 'wrong-code', open: typeWrongCode },
  { name: 'confirm', open: openLinkElsewhere },
  {
    name: 'access-denied',
    open: (page, { base }) => visit(page, `${base}/error?error=AccessDenied`),
  },
  {
    name: 'link-expired',
    open: (page, { base }) => visit(page, `${base}/error?error=Verification`),
  },
  { name: 'error', open: (page, { base }) => visit(page, `${base}/error?error=Configuration`) },
  { name: 'not-found', open: (page, { base }) => visit(page, `${base}/nowhere`) },
]

let mailboxes = 0

async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url)
}

async function requestEmail(page: Page, { base }: ServedPages, address: string): Promise<void> {
  await page.goto(`${base}/signin`)
  await page.locator('input[name=email]').fill(address)
  await page.locator('form:has(input[name=email]) button').click()
}

function requestAnyEmail(page: Page, served: ServedPages): Promise<void> {
  mailboxes += 1
  return requestEmail(page, served, `alice.example.${mailboxes}@example.com`)
}

async function openSignedIn(page: Page, { base }: ServedPages): Promise<void> {
  await page.goto(`${base}/signin/github`)
  await page.getByRole('button').click()
  await page.goto(`${base}/signin`)
}

async function openSignOut(page: Page, served: ServedPages): Promise<void> {
  await openSignedIn(page, served)
  await page.goto(`${served.base}/signout`)
}

async function resend(page: Page, served: ServedPages, times: number): Promise<void> {
  await requestAnyEmail(page, served)
  for (let count = 0; count < times; count++) {
    await page.locator('form:has(input[name=resend]) button').click()
  }
}

async function typeWrongCode(page: Page, served: ServedPages): Promise<void> {
  await requestAnyEmail(page, served)
  await page.locator('input[name=code]').fill('00000000')
  await page.locator('form:has(input[name=code]) button').click()
}

async function openLinkElsewhere(page: Page, served: ServedPages): Promise<void> {
  await requestAnyEmail(page, served)
  await page.context().clearCookies()
  await page.goto(/https?:\S+/.exec(served.mails.at(-1)?.text ?? '')?.[0] ?? 'about:blank')
}
