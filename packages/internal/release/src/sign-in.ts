import { Browser } from '@latchkey/testing/browser'
import type { Running } from './shell.ts'

/** The email address of the user who signs in. */
const address = 'alice@example.com'

/**
 * Signs in by email over HTTP, as a browser does, at a service that prints its emails.
 *
 * @param origin The origin that the service prints
 * @param asksTerms Whether the sign-in leads to a page that asks to accept terms
 *
 * @throws Error if it is not signed in afterwards, or cannot sign out
 */
export async function signIn(origin: string, server: Running, asksTerms: boolean): Promise<void> {
  const browser = new Browser(fetch, `${origin}/api/auth`)
  await expectPage(browser, `${origin}/`, /Sign in/)
  const response = await browser.submit('/signin/email', { email: address })
  expectStatus(response, 302)
  const [link] = await server.waitForOutput(/https?:\/\/\S+\/callback\/email\?\S+/, 20_000)
  const arrived = await browser.visit(link)
  expectStatus(arrived, 302)
  if (asksTerms) await acceptTerms(browser, arrived.headers.get('location') ?? '')
  await expectUser(browser, address)
  expectStatus(await browser.submit('/signout'), 302)
  await expectUser(browser, undefined)
}

async function acceptTerms(browser: Browser, url: string): Promise<void> {
  await expectPage(browser, url, /I accept/)
  const callbackUrl = new URL(url).searchParams.get('callbackUrl') ?? ''
  const response = await browser.submit('/terms', { version: '1', callbackUrl })
  if (response.headers.get('location') === callbackUrl) return
  throw new Error(`expected a redirect to ${callbackUrl}, found ${response.status}`)
}

async function expectPage(browser: Browser, url: string, pattern: RegExp): Promise<void> {
  const response = await browser.visit(url)
  expectStatus(response, 200)
  const text = await response.text()
  if (!pattern.test(text)) throw new Error(`expected ${pattern} at ${url}, found:\n${text}`)
}

async function expectUser(browser: Browser, email: string | undefined): Promise<void> {
  const session = (await browser.json('/session')) as { user?: { email?: string } }
  if (session.user?.email === email) return
  throw new Error(`expected the session of ${email}, found ${JSON.stringify(session)}`)
}

function expectStatus({ status, url, headers }: Response, expected: number): void {
  const location = headers.get('location') ?? ''
  if (status === expected && !location.includes('error=')) return
  throw new Error(`expected ${expected} from ${url}, found ${status} ${location}`)
}
