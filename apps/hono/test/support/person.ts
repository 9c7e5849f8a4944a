import { Browser } from '@latchkey/core/testing/browser'
import type { Handler } from '@latchkey/core/testing/browser'

export const origin = 'http://localhost:8787'

/** Somebody with a browser in front of the application. */
export class Person {
  readonly browser: Browser

  constructor(door: Handler, at: string = origin) {
    this.browser = new Browser(door, `${at}/api/auth`)
  }

  get #origin(): string {
    return new URL(this.browser.base).origin
  }

  /** What a page of the application answers. */
  visit(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.browser.visit(this.#origin + path, { headers })
  }

  async read(path: string): Promise<string> {
    return (await this.visit(path)).text()
  }

  /** Sends one of the application's forms, as a browser does. */
  send(path: string, fields: Readonly<Record<string, string>> = {}): Promise<Response> {
    const headers = { origin: this.#origin, 'sec-fetch-site': 'same-origin' }
    return this.browser.post(this.#origin + path, fields, { headers })
  }

  /** Presses the buttons from the sign-in page on; gives the address where that ends. */
  async signIn(name: string, callbackUrl = '/'): Promise<string> {
    const { browser } = this
    const started = await browser.submit('/signin/oidc', { callbackUrl })
    const away = new URL(started.headers.get('location') as string)
    const page = await (await browser.follow(started)).text()
    const [, target] = new RegExp(`formaction="([^"]+)">Continue as ${name}<`).exec(page) ?? []
    if (target === undefined) throw new Error(`there is no button for ${name}: ${page}`)
    let last = ''
    await browser.follow(await browser.post(away.origin + target, {}), (url) => {
      last = url.href
      return false
    })
    return last
  }
}
