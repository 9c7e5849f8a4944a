import { Browser } from '@latchkey/testing/browser'
import { user } from './service.ts'
import type { Service } from './service.ts'

/**
 * Opens the URL to which a program sends its user; signs the user in, and allows what the program asks for.
 *
 * @param browser Default: a new one
 * @returns The URL of the program to which the service redirects, which is not opened
 */
export async function allow(
  { issuer }: Service,
  target: string | URL,
  browser: Browser = open(issuer),
): Promise<URL> {
  const { origin } = new URL(issuer)
  const follow = (response: Response): Promise<Response> =>
    browser.follow(response, (url) => url.origin !== origin)
  const signIn = await follow(await browser.visit(String(target)))
  const fields = { ...(await readForm(signIn)), ...user }
  const consent = await follow(await browser.post('/signin/credentials', fields))
  const allowed = { ...(await readForm(consent)), decision: 'allow' }
  const answer = await browser.post('/consent', allowed)
  return new URL(answer.headers.get('location') ?? '')
}

/** Opens a browser at a URL. */
export function open(url: string): Browser {
  return new Browser((request) => fetch(request), url)
}

async function readForm(response: Response): Promise<Record<string, string>> {
  const html = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${response.url}: ${html}`)
  const inputs = html.matchAll(/name="([\w:-]+)"\s+value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]))
}
