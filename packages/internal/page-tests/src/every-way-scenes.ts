import type { Page } from 'playwright-core'
import { createAddress } from './scene.ts'
import type { Scene } from './scene.ts'
import type { ServedPages } from './serve-pages.ts'

/** The pages of a service whose users choose among every way. */
export const everyWayScenes: readonly Scene[] = [
  { name: 'every-way', open: visit },
  { name: 'every-way-last-used', open: openAfterSignIn },
  { name: 'every-way-mistake', open: (page, served) => typeAddress(page, served, 'alice@example') },
  { name: 'every-way-second', open: (page, served) => typeAddress(page, served) },
  { name: 'every-way-wrong', open: typeWrongPassword },
]

async function visit(page: Page, { everyWayBase }: ServedPages): Promise<void> {
  await page.goto(`${everyWayBase}/signin`)
}

/** Types an email address in the first step. */
async function typeAddress(
  page: Page,
  served: ServedPages,
  address: string = createAddress('erin'),
): Promise<void> {
  await visit(page, served)
  await page.locator('input[name=email]').fill(address)
  await page.locator('form:has(input[name=email]) button').click()
}

async function typeWrongPassword(page: Page, served: ServedPages): Promise<void> {
  await typeAddress(page, served)
  await page.locator('input[name=password]').fill('wrong')
  await page.locator('form:has(input[name=password]) button').click()
}

async function openAfterSignIn(page: Page, served: ServedPages): Promise<void> {
  await visit(page, served)
  await page.locator('form[action$="/signin/github"] button').click()
  await page.waitForURL(`${served.origin}/`)
  await page.goto(`${served.everyWayBase}/signout`)
  await page.locator('form button').click()
  await page.waitForURL(`${served.origin}/`)
  await visit(page, served)
}
