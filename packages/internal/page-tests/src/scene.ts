import type { Page } from 'playwright-core'
import type { ServedPages } from './serve-pages.ts'

/** One state of one page. */
export interface Scene {
  readonly name: string
  /** Opens the page in a browser without cookies. */
  readonly open: (page: Page, served: ServedPages) => Promise<void>
}

let mailboxes = 0

/** Returns an email address of a new user, which begins with a name. */
export function createAddress(name: string): string {
  mailboxes += 1
  return `${name}.example.${mailboxes}@example.com`
}

/** Opens the link of the latest email. */
export async function openLink(page: Page, { mails }: ServedPages): Promise<void> {
  await page.goto(/https?:\S+/.exec(mails.at(-1)?.text ?? '')?.[0] ?? 'about:blank')
}

/** Asks for an email on the sign-in page of a service. */
export async function requestEmail(page: Page, base: string, address: string): Promise<void> {
  await page.goto(`${base}/signin`)
  await page.locator('input[name=email]').fill(address)
  await page.locator('form:has(input[name=email]) button').click()
}

/**
 * Signs a user in by the link of an email.
 *
 * @param email Default: a new user's
 */
export async function signInByEmail(
  page: Page,
  served: ServedPages,
  email: string = createAddress('alice'),
): Promise<void> {
  await requestEmail(page, served.base, email)
  await openLink(page, served)
}
