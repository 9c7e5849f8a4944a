import type { CDPSession, Page } from 'playwright-core'
import { openAuthenticator, platformAuthenticator } from './passkeys/visitor.ts'
import { createAddress, signInByEmail } from './scene.ts'
import type { Scene } from './scene.ts'
import type { ServedPages } from './serve-pages.ts'

/** The pages with passkeys. */
export const passkeyScenes: readonly Scene[] = [
  { name: 'passkey-sign-in', open: (page, served) => visit(page, served, '/signin') },
  { name: 'passkey-sign-in-hidden', open: (page, served) => hide(page, served, '/signin') },
  { name: 'passkey-sign-in-one', open: (page, served) => visit(page, served, '/signin/passkey') },
  { name: 'passkey-create', open: openOffer },
  { name: 'passkey-create-refused', open: postWrongAnswer },
  { name: 'passkey-enrol', open: openChoice },
  { name: 'passkey-account-none', open: openEmptyAccount },
  { name: 'passkey-account', open: openAccount },
  { name: 'passkey-create-registered', open: addAgain },
  { name: 'passkey-second-step', open: openSecondStep },
  { name: 'passkey-confirm', open: openConfirmation },
  { name: 'passkey-confirm-hidden', open: hideConfirmation },
]

const confirmPath = '/signin?confirm=true'

async function visit(page: Page, { passkeysBase }: ServedPages, path: string): Promise<void> {
  await page.goto(passkeysBase + path)
}

/** Opens a page as a browser without passkeys shows it. */
async function hide(page: Page, served: ServedPages, path: string): Promise<void> {
  await visit(page, served, path)
  await page.locator('[data-passkey]').evaluateAll((forms: readonly HTMLElement[]) => {
    for (const form of forms) form.hidden = true
  })
}

/**
 * Signs a user in by the link of an email: a new user is then offered a passkey.
 *
 * @param email Default: a new user's
 */
function signIn(
  page: Page,
  served: ServedPages,
  email: string = createAddress('carol'),
): Promise<void> {
  return signInByEmail(page, { ...served, base: served.passkeysBase }, email)
}

/** Opens the page that offers a passkey to a new user. */
async function openOffer(page: Page, served: ServedPages): Promise<void> {
  await signIn(page, served)
}

/** Posts what no authenticator answers. */
async function postWrongAnswer(page: Page, served: ServedPages): Promise<void> {
  await openOffer(page, served)
  const post = page.locator('[data-passkey]').evaluate(async (form: HTMLFormElement) => {
    const body = new URLSearchParams({ csrfToken: '', link: 'true' })
    for (const { name, value } of form.querySelectorAll('input')) body.set(name, value)
    const headers = { accept: 'application/json' }
    await fetch(form.dataset['options'] ?? '', { method: 'POST', headers, body })
    form.submit()
  })
  await Promise.all([page.waitForURL(/\/callback\/passkey$/), post])
}

async function openChoice(page: Page, served: ServedPages): Promise<void> {
  await openOffer(page, served)
  await visit(page, served, '/signin?enrol=true')
}

async function openEmptyAccount(page: Page, served: ServedPages): Promise<void> {
  await openOffer(page, served)
  await visit(page, served, '/account')
}

/** Creates a passkey of a new user, which leads to the recovery codes. */
async function createPasskey(page: Page, served: ServedPages): Promise<CDPSession> {
  await openOffer(page, served)
  const { session } = await openAuthenticator(page, {
    ...platformAuthenticator,
    defaultBackupEligibility: true,
    defaultBackupState: true,
  })
  await page.locator('[data-passkey] button').click()
  await page.locator('.codes').waitFor()
  return session
}

/** Creates a passkey of a new user, with an authenticator that the browser has no longer. */
async function leavePasskey(page: Page, served: ServedPages): Promise<void> {
  const devTools = await createPasskey(page, served)
  await devTools.detach()
}

async function openAccount(page: Page, served: ServedPages): Promise<void> {
  await leavePasskey(page, served)
  await visit(page, served, '/account')
}

/** Asks an authenticator for a second passkey of the same user, who confirms by the first one. */
async function addAgain(page: Page, served: ServedPages): Promise<void> {
  const devTools = await createPasskey(page, served)
  await visit(page, served, '/account')
  const button = page.locator('[data-passkey] button')
  await button.click()
  await page.waitForURL(/confirm=true/)
  await button.click()
  await page.waitForURL(/action=create/)
  await button.click()
  await page.getByRole('alert').waitFor()
  await devTools.detach()
}

async function openSecondStep(page: Page, served: ServedPages): Promise<void> {
  await leavePasskey(page, served)
  await page.context().clearCookies()
  await signIn(page, served, served.mails.at(-1)?.to.address)
}

async function openConfirmation(page: Page, served: ServedPages): Promise<void> {
  await leavePasskey(page, served)
  await visit(page, served, confirmPath)
}

async function hideConfirmation(page: Page, served: ServedPages): Promise<void> {
  await leavePasskey(page, served)
  await hide(page, served, confirmPath)
}
