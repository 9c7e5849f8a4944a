import { Browser } from '@latchkey/testing/browser'
import type { Handler } from '@latchkey/testing/browser'

/** The default origin of the application. */
export const origin = 'http://localhost:8787'

/** A user with a browser. */
export class Person {
  readonly browser: Browser

  constructor(handler: Handler, appOrigin: string = origin) {
    this.browser = new Browser(handler, `${appOrigin}/api/auth`)
  }

  get #origin(): string {
    return new URL(this.browser.base).origin
  }

  /** Requests a page of the application. */
  visit(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.browser.visit(this.#origin + path, { headers })
  }

  /** Resolves to the text of a page. */
  async read(path: string): Promise<string> {
    return (await this.visit(path)).text()
  }

  /** Posts a form of the application, with the headers of a browser. */
  send(path: string, fields: Readonly<Record<string, string>> = {}): Promise<Response> {
    const headers = { origin: this.#origin, 'sec-fetch-site': 'same-origin' }
    return this.browser.post(this.#origin + path, fields, { headers })
  }

  /** Signs in at the OpenID provider. Resolves to the URL of the last page. */
  async signIn(name: string, callbackUrl = '/'): Promise<string> {
    const { browser } = this
    const started = await browser.submit('/signin/oidc', { callbackUrl })
    const away = new URL(started.headers.get('location') as string)
    const page = await (await browser.follow(started)).text()
    const [, target] = new RegExp(`formaction="([^"]+)">Continue as ${name}<`).exec(page) ?? []
    if (target === undefined) throw new Error(`expected a button for ${name}, got: ${page}`)
    let last = ''
    await browser.follow(await browser.post(away.origin + target, {}), (url) => {
      last = url.href
      return false
    })
    return last
  }
}
