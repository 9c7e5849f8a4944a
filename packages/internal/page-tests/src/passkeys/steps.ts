import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { requestEmail } from '../scene.ts'
import type { PasskeySite } from './hosts.ts'
import type { Visitor } from './visitor.ts'

let people = 0

/** Returns the email address of a user who has not signed in yet. */
export function createAddress(): string {
  people += 1
  return `alice.${people}@example.com`
}

/** Signs a user in by the link of an email. */
export async function signInByEmail(
  page: Page,
  { origin, base }: PasskeySite,
  address: string,
): Promise<void> {
  await requestEmail(page, base, address)
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  await page.goto(`${origin}/newest-mail?to=${address}`)
}

/** Opens a page that shows passkeys in its fields, and waits until the browser does, for a user who does nothing. */
export async function openFilled(
  { page, authenticator, ceremonies }: Pick<Visitor, 'page' | 'authenticator' | 'ceremonies'>,
  { base }: PasskeySite,
): Promise<void> {
  const count = ceremonies.length
  await authenticator.setPresence(false)
  await page.goto(`${base}/signin`)
  await expect.poll(() => ceremonies.slice(count)).toEqual(['get conditional'])
  await authenticator.setPresence(true)
}

/** Presses the button of a passkey. */
export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

/** Opens the sign-in page, presses the button of a passkey, and waits for the page of the application. */
export async function signInByButton(visitor: Visitor, site: PasskeySite): Promise<void> {
  await openFilled(visitor, site)
  await press(visitor.page, 'Sign in with a passkey')
  await visitor.page.waitForURL(`${site.origin}/`)
}

/** Signs a new user in by email, and creates a passkey on the page that follows. */
export async function createPasskey(
  page: Page,
  site: PasskeySite,
  address: string = createAddress(),
): Promise<string> {
  await signInByEmail(page, site, address)
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await page.waitForURL(`${site.origin}/`)
  return address
}

/** Opens the account page. */
export async function openAccount(page: Page, { base }: PasskeySite): Promise<void> {
  await page.goto(`${base}/account`)
}

/** Returns the links to the pages of a user's passkeys. */
export function findPasskeys(page: Page): Locator {
  return page.getByRole('link', { name: 'Change: Passkey' })
}

/** Ends the session. */
export async function signOut(page: Page, { origin, base }: PasskeySite): Promise<void> {
  await page.goto(`${base}/signout`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${origin}/`)
}

/** Returns the email address of the session's user; undefined without a session. */
export async function readUser(page: Page, { base }: PasskeySite): Promise<string | undefined> {
  const session = await readJson<{ readonly user?: { readonly email: string } }>(
    page,
    `${base}/session`,
  )
  return session?.user?.email
}

/** What a session proves. */
interface Proof {
  readonly authenticatedAt: number
  readonly methods: readonly string[]
}

/** Returns what the session proves. */
export async function readProof(page: Page, { origin }: PasskeySite): Promise<Proof | null> {
  return readJson<Proof>(page, `${origin}/proof`)
}

/** Reads JSON in a further page of the same browser: the certificate is trusted there. */
async function readJson<T>(page: Page, url: string): Promise<T | null> {
  const other = await page.context().newPage()
  const response = await other.goto(url)
  const value: T | null = await response?.json()
  await other.close()
  return value
}

/** Registers a user by a password, whose session then has just begun. */
export async function registerByPassword(
  page: Page,
  { origin, base }: PasskeySite,
  address: string,
): Promise<void> {
  await page.goto(`${base}/signin/passwords?action=register`)
  await page.locator('input[name=email]').fill(address)
  await page.locator('form:has(input[name=email]) button').click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  await page.goto(`${origin}/newest-mail?to=${address}`)
  await page.locator('input[name=password]').fill('four words that differ')
  await page.locator('form:has(input[name=password]) button').click()
}
