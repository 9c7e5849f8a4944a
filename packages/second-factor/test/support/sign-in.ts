import type { Auth, Provider } from '@latchkey/core'
import { credentials } from '@latchkey/core/providers/credentials'
import { Browser } from '@latchkey/testing'
import { TOTP, URI } from 'otpauth'
import { expect } from 'vitest'

export const origin = 'https://app.example'

/** Accepts any name with the password `right`. */
export const people: Provider = credentials({
  fields: { name: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
  authorize: async ({ name, password }) => (password === 'right' ? { id: name, name } : null),
})

/** What an enrolment leaves with the user: the app, and the recovery codes. */
export interface Enrolled {
  readonly app: TOTP
  readonly codes: readonly string[]
}

/** Proves the first factor of a user in a new browser. */
export async function signIn({ handle }: Pick<Auth, 'handle'>, name: string): Promise<Browser> {
  const browser = new Browser(handle, `${origin}/api/auth`)
  await browser.submit('/signin/credentials', { name, password: 'right' })
  return browser
}

/**
 * Enrols an app in a session: reads the key that the page shows, and confirms it with a code.
 *
 * @param now Milliseconds since 1970
 */
export async function enrol(browser: Browser, now: number): Promise<Enrolled> {
  await browser.submit('/signin/totp', { link: 'true' })
  const page = await (await browser.visit('/signin?second=true')).text()
  expect(page).toContain('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ')
  const [, url = ''] = /href="(otpauth:[^"]+)"/.exec(page) ?? []
  const app = URI.parse(url.replaceAll('&amp;', '&'))
  if (!(app instanceof TOTP)) throw new Error('expected a key for TOTP')
  const done = await browser.submit('/signin/totp', { code: app.generate({ timestamp: now }) })
  const codes = [...(await done.text()).matchAll(/<code>([^<]+)<\/code>/g)]
  return { app, codes: codes.map(([, code = '']) => code) }
}

/** Proves a second factor, and returns the status and whether there is a session. */
export async function prove(
  browser: Browser,
  method: string,
  code: string,
): Promise<readonly [status: number, isSignedIn: boolean]> {
  const { status } = await browser.submit(`/signin/${method}`, { code })
  const session = await browser.json('/session')
  return [status, session['user'] !== undefined]
}
