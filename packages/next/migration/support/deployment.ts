import { Browser } from '@latchkey/testing/browser'
import type { RunningProgram } from '../../../internal/hosts/src/process.ts'

/** The URL of the application, behind a proxy that terminates TLS. */
export const origin = 'https://app.example'

/** The instances that the URL leads to: a deployment replaces them. */
export class LoadBalancer {
  /** Requests go to them in turn. */
  instances: readonly RunningProgram[] = []
  #count = 0

  /** Sends a request of a browser to the next instance, as a proxy does. */
  readonly send = async (request: Request): Promise<Response> => {
    const instance = this.instances[this.#count++ % this.instances.length]
    if (!instance) throw new Error('expected an instance')
    const { pathname, search, protocol, host } = new URL(request.url)
    const headers = new Headers(request.headers)
    headers.set('x-forwarded-proto', protocol.slice(0, -1))
    headers.set('x-forwarded-host', host)
    const body = request.method === 'GET' ? null : await request.arrayBuffer()
    const response = await fetch(new URL(pathname + search, instance.url), {
      method: request.method,
      headers,
      body,
      redirect: 'manual',
    })
    // Without the URL of the instance, against which the browser would resolve redirects.
    return new Response(response.body, response)
  }
}

/** A user's browser, with the pages of the application. */
export class User {
  readonly browser: Browser

  constructor(balancer: LoadBalancer) {
    this.browser = new Browser(balancer.send, `${origin}/api/auth`)
  }

  /** Signs in as `signIn('github')` of next-auth/react does, and follows the redirects to the end. */
  async signIn(): Promise<Response> {
    return this.browser.follow(await this.browser.visit(await this.beginSignIn()))
  }

  /** Begins a sign-in, and returns the URL of the callback, to which GitHub redirects. */
  async beginSignIn(): Promise<string> {
    const fields = { json: 'true', callbackUrl: `${origin}/members` }
    const response = await this.browser.submit('/signin/github', fields)
    const { url } = (await response.json()) as { readonly url: string }
    const authorized = await this.browser.visit(url)
    return authorized.headers.get('location') ?? ''
  }

  /** Signs out as `signOut()` does. */
  async signOut(): Promise<void> {
    const response = await this.browser.submit('/signout', { json: 'true', callbackUrl: origin })
    if (!response.ok) throw new Error(`expected to sign out, found ${response.status}`)
  }

  /** Returns `GET /session`, as SessionProvider gets it. */
  getSession(): Promise<Record<string, unknown>> {
    return this.browser.json('/session')
  }

  /** Returns a page of the application: its status, text and where it redirects to. */
  async open(path: string): Promise<{ status: number; text: string; location: string | null }> {
    const response = await this.browser.visit(`${origin}${path}`)
    // React separates texts by comments.
    const text = (await response.text()).replaceAll('<!-- -->', '')
    const location = response.headers.get('location')
    return { status: response.status, text, location }
  }

  /** The names of the session cookies that the browser holds. */
  get sessionCookies(): readonly string[] {
    return [...this.browser.cookies.keys()].filter((name) => name.includes('session'))
  }
}
