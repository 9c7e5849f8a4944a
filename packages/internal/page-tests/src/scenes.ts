import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { everyWayScenes } from './every-way-scenes.ts'
import { passkeyScenes } from './passkey-scenes.ts'
import { passwordScenes } from './password-scenes.ts'
import { createAddress, openLink, requestEmail, signInByEmail } from './scene.ts'
import type { Scene } from './scene.ts'
import type { ServedPages } from './serve-pages.ts'

/** Every built-in page, in every state that looks different. */
export const scenes: readonly Scene[] = [
  { name: 'sign-in', open: (page, { base }) => visit(page, `${base}/signin`) },
  {
    name: 'sign-in-error',
    open: (page, { base }) => visit(page, `${base}/signin?error=Cancelled`),
  },
  { name: 'sign-in-mistake', open: (page, { base }) => requestEmail(page, base, 'alice@example') },
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
  { name: 'enrol-begin', open: openChoice },
  { name: 'enrol', open: openEnrolment },
  { name: 'enrol-required', open: openRequiredEnrolment },
  { name: 'enrol-wrong-code', open: typeWrongFirstCode },
  { name: 'recovery-codes', open: enrol },
  { name: 'second-step', open: openSecondStep },
  { name: 'second-step-wrong-code', open: typeWrongSecondCode },
  { name: 'account', open: openAccount },
  { name: 'account-add', open: (page, served) => follow(page, served, '#ways .more a') },
  { name: 'account-email', open: (page, served) => follow(page, served, '#profile a') },
  { name: 'account-change', open: openFactor },
  { name: 'account-remove', open: openRemoval },
  { name: 'account-delete', open: (page, served) => follow(page, served, '#delete a') },
  { name: 'account-deleted', open: deleteAccount },
  { name: 'end-sessions', open: openEndSessions },
  { name: 'sessions-ended', open: endSessions },
  ...everyWayScenes,
  ...passwordScenes,
  ...passkeyScenes,
  { name: 'error', open: (page, { base }) => visit(page, `${base}/error?error=Configuration`) },
  { name: 'not-found', open: (page, { base }) => visit(page, `${base}/nowhere`) },
]

async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url)
}

function requestAnyEmail(page: Page, { base }: ServedPages): Promise<void> {
  return requestEmail(page, base, createAddress('alice'))
}

async function openSignedIn(page: Page, { base, origin }: ServedPages): Promise<void> {
  await page.goto(`${base}/signin/github`)
  await page.getByRole('button').click()
  await page.waitForURL(`${origin}/`)
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
  await openLink(page, served)
}

/** Posts the form with which an account page begins to enrol an authenticator app, of a new user. */
export async function openEnrolment(page: Page, served: ServedPages): Promise<void> {
  await signInByEmail(page, served)
  await page.goto(`${served.base}/signout`)
  const form = page.locator('form')
  await form.evaluate((element: HTMLFormElement, action) => {
    element.action = action
    element.insertAdjacentHTML('beforeend', '<input type="hidden" name="link" value="true">')
  }, `${served.base}/signin/totp`)
  await form.getByRole('button').click()
}

async function openRequiredEnrolment(page: Page, served: ServedPages): Promise<void> {
  await signInByEmail(page, served, createAddress('bob'))
}

async function typeWrongFirstCode(page: Page, served: ServedPages): Promise<void> {
  await openEnrolment(page, served)
  await typeCode(page, 'wrong')
}

/** Opens the account page of a user with everything that it can show. */
async function openAccount(page: Page, served: ServedPages): Promise<void> {
  await enrol(page, served)
  await page.goto(`${served.base}/account`)
}

/** Opens a page of the account of a new user by its link. */
async function follow(page: Page, served: ServedPages, link: string): Promise<void> {
  await signInByEmail(page, served)
  await page.goto(`${served.base}/account`)
  await page.locator(link).click()
}

/** Opens the page of an authenticator app, in a session that has proven it. */
async function openFactor(page: Page, served: ServedPages): Promise<void> {
  await openEnrolment(page, served)
  const app = await readApp(page)
  await typeCode(page, app.generate())
  await page.context().clearCookies()
  await signInByEmail(page, served, served.mails.at(-1)?.to.address)
  await typeCode(page, app.generate({ timestamp: Date.now() + 30_000 }))
  await page.goto(`${served.base}/account`)
  await page.locator('#factors li a').click()
}

/** Opens the page that asks before a second email address is removed. */
async function openRemoval(page: Page, served: ServedPages): Promise<void> {
  await follow(page, served, '#ways .more a')
  await page.locator('input[name=email]').fill(createAddress('second'))
  await page.locator('form:has(input[name=email]) button').click()
  await openLink(page, served)
  await page.goto(`${served.base}/account`)
  await page.locator('#ways li a').click()
}

async function deleteAccount(page: Page, served: ServedPages): Promise<void> {
  await follow(page, served, '#delete a')
  await page.locator('form .danger').click()
}

/** Returns the authenticator app that has the key of the page. */
export async function readApp(page: Page): Promise<TOTP> {
  const key = (await page.locator('code').textContent()) ?? ''
  return new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
}

async function enrol(page: Page, served: ServedPages): Promise<void> {
  await openEnrolment(page, served)
  await typeCode(page, (await readApp(page)).generate())
}

async function openChoice(page: Page, served: ServedPages): Promise<void> {
  await openSignedIn(page, served)
  await visit(page, `${served.base}/signin?enrol=true`)
}

async function openSecondStep(page: Page, served: ServedPages): Promise<void> {
  await enrol(page, served)
  await page.context().clearCookies()
  await signInByEmail(page, served, served.mails.at(-1)?.to.address)
}

async function typeWrongSecondCode(page: Page, served: ServedPages): Promise<void> {
  await openSecondStep(page, served)
  await typeCode(page, 'wrong')
}

async function typeCode(page: Page, code: string): Promise<void> {
  await page.locator('input[name=code]').first().fill(code)
  await page.locator('form:has(input[name=code]) button').first().click()
}

/** Opens the link of the email about a sign-in in a second browser. */
async function openEndSessions(page: Page, served: ServedPages): Promise<void> {
  await signInByEmail(page, served)
  const address = served.mails.at(-1)?.to.address ?? ''
  await page.context().clearCookies()
  await signInByEmail(page, served, address)
  await page.goto(/https?:\S+/.exec(await readSecurityMail(page, served, address))?.[0] ?? '')
}

/** Returns the text of the email to an email address: the sign-in does not wait for it. */
async function readSecurityMail(page: Page, served: ServedPages, address: string): Promise<string> {
  const mail = served.securityMails.find(({ to }) => to.address === address)
  if (mail) return mail.text
  await page.waitForTimeout(20)
  return readSecurityMail(page, served, address)
}

async function endSessions(page: Page, served: ServedPages): Promise<void> {
  await openEndSessions(page, served)
  await page.locator('form button').click()
}
