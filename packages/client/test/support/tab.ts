import { JSDOM, VirtualConsole } from 'jsdom'
import { Browser } from '@latchkey/core/testing/browser'
import type { TestPage } from '../pages/test-page.ts'
import { shell } from './app.ts'
import type { App } from './app.ts'
import { bundle } from './bundle.ts'

/**
 * A person's browser for jsdom: its cookies are kept by the browser of `@latchkey/core/testing`, and
 * every request goes over the network to the application.
 */
export function browse(app: App): Browser {
  return new Browser((request) => fetch(request), `${app.origin}/api/auth`)
}

/** A page in jsdom. */
export interface Tab<Module> {
  readonly page: TestPage<Module>
  readonly window: JSDOM['window']
  /** Addresses that the page went to, which jsdom itself cannot. */
  readonly went: string[]
  /** How often it asked to be loaded again. */
  readonly reloads: () => number
  /** What is written on it. */
  readonly text: () => string
  /** What it wrote to its console. */
  readonly complaints: string[]
  readonly close: () => void
}

export interface TabOptions {
  readonly search?: string
  /** What the page finds instead of the platform's own, before its script runs. */
  readonly globals?: Readonly<Record<string, unknown>>
}

/**
 * Opens a page: a jsdom of its own, in which the page's script runs as a browser would run it. jsdom
 * cannot go to another page, so the bundle's `location` is an object that writes down where to.
 */
export async function open<Module>(
  app: App,
  browser: Browser,
  script: string,
  { search = '', globals = {} }: TabOptions = {},
): Promise<Tab<Module>> {
  const url = `${app.origin}/${search}`
  const virtualConsole = new VirtualConsole()
  const complaints: string[] = []
  const complain = (...words: unknown[]): void => void complaints.push(words.map(String).join(' '))
  virtualConsole.on('error', complain).on('warn', complain).on('jsdomError', complain)
  const html = shell('')
  const dom = new JSDOM(html, {
    url,
    runScripts: 'outside-only',
    pretendToBeVisual: true,
    virtualConsole,
  })
  const { window } = dom
  const channels = channelsOfTab()
  const went: string[] = []
  let reloads = 0
  // jsdom has none. Next-auth's client reports to a route that the service does not have.
  Object.assign(window.navigator, { sendBeacon: () => true })
  Object.assign(window, {
    fetch: fetchOf(browser, url),
    BroadcastChannel: channels.type,
    navigated: locationOf(url, went, () => (reloads += 1)),
    ...globals,
  })
  window.eval(await bundle(script, { location: 'navigated', 'window.location': 'navigated' }))
  return {
    page: window as unknown as TestPage<Module>,
    window,
    went,
    reloads: () => reloads,
    text: () => window.document.getElementById('root')?.textContent ?? '',
    complaints,
    close() {
      channels.close()
      window.close()
    },
  }
}

/** The process's channels, closed with the tab: jsdom has none, and would not know. */
function channelsOfTab(): { readonly type: typeof BroadcastChannel; readonly close: () => void } {
  const opened: BroadcastChannel[] = []
  const type = class extends BroadcastChannel {
    constructor(name: string) {
      super(name)
      opened.push(this)
    }
  }
  return { type, close: () => opened.forEach((channel) => channel.close()) }
}

/** A `fetch` for the page that keeps the browser's cookies and, as browsers do, sends the origin. */
function fetchOf(browser: Browser, pageUrl: string): typeof fetch {
  return (target, init = {}) => {
    const method = (init.method ?? 'GET').toUpperCase()
    const headers = Object.fromEntries(new Headers(init.headers as HeadersInit))
    const body = init.body ? { body: String(init.body as string | URLSearchParams) } : {}
    const origin = method === 'GET' ? {} : { origin: new URL(pageUrl).origin }
    const from = { ...origin, 'sec-fetch-site': 'same-origin' }
    const url = new URL(target as string, pageUrl)
    return browser.visit(url.href, { method, headers: { ...headers, ...from }, ...body })
  }
}

function locationOf(url: string, went: string[], reload: () => void): object {
  return {
    get href() {
      return url
    },
    set href(next: string) {
      went.push(new URL(next, url).href)
    },
    search: new URL(url).search,
    reload,
  }
}

/** Signs a person in without the page's help. */
export async function signIn(browser: Browser, who = 'alice'): Promise<void> {
  const begun = await browser.submit(`/signin/passport?login_hint=${who}`)
  const back = await browser.visit(begun.headers.get('location') as string)
  await browser.visit(back.headers.get('location') as string)
}
