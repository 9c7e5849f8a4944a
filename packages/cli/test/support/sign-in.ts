import { Browser } from '@latchkey/testing/browser'

/**
 * Signs in by email at a service that prints its emails.
 *
 * @param waitForOutput Resolves to the first match in what the service prints
 * @returns The browser, signed in
 */
export async function signInByEmail(
  origin: string,
  waitForOutput: (pattern: RegExp) => Promise<RegExpExecArray>,
): Promise<Browser> {
  const browser = new Browser(fetch, `${origin}/api/auth`)
  await browser.submit('/signin/email', { email: 'alice@example.com' })
  const [link] = await waitForOutput(/http:\/\/\S+\/callback\/email\?\S+/)
  await browser.visit(link)
  return browser
}
