import { Script } from 'node:vm'
import { JSDOM, VirtualConsole } from 'jsdom'
import { Browser } from '@latchkey/testing/browser'
import type { TestPage } from '../pages/test-page.ts'
import { renderShell } from './app.ts'
import type { App } from './app.ts'
import { bundlePage } from './bundle-page.ts'

/** Creates a browser that stores cookies and sends every request over the network to the application. */
export function createBrowser(app: App): Browser {
  return new Browser((request) => fetch(request), app.origin + app.basePath)
}

/** A page in jsdom. */
export interface Tab<Module> {
  readonly page: TestPage<Module>
  readonly window: JSDOM['window']
  /** The URLs that the page navigated to. */
  readonly navigations: string[]
  readonly countReloads: () => number
  /** Returns the text of the page. */
  readonly getText: () => string
  /** The warnings and errors of the page's console. */
  readonly warnings: string[]
  readonly close: () => void
}

/**
 * Opens a page in a new jsdom, which runs the page's script. jsdom cannot navigate, so the bundle
 * uses an object in place of `location` that records the URLs.
 *
 * @param search The query of the page's URL, with its question mark
 */
export async function openTab<Module>(
  app: App,
  browser: Browser,
  script: string,
  search = '',
): Promise<Tab<Module>> {
  const url = `${app.origin}/${search}`
  const virtualConsole = new VirtualConsole()
  const warnings: string[] = []
  const warn = (...words: unknown[]): void => void warnings.push(words.map(String).join(' '))
  virtualConsole.on('error', warn).on('warn', warn).on('jsdomError', warn)
  const dom = new JSDOM(renderShell(''), {
    url,
    runScripts: 'outside-only',
    pretendToBeVisual: true,
    virtualConsole,
  })
  const { window } = dom
  const channels = createChannels()
  const navigations: string[] = []
  let reloads = 0
  // next-auth's client reports errors with it, and jsdom does not have it.
  Object.assign(window.navigator, { sendBeacon: () => true })
  Object.assign(window, {
    fetch: createFetch(browser, url),
    BroadcastChannel: channels.type,
    fakeLocation: createLocation(url, navigations, () => (reloads += 1)),
  })
  ;(await getBundle(script)).runInContext(dom.getInternalVMContext())
  return {
    page: window as unknown as TestPage<Module>,
    window,
    navigations,
    countReloads: () => reloads,
    getText: () => window.document.getElementById('root')?.textContent ?? '',
    warnings,
    close() {
      channels.close()
      window.close()
    },
  }
}

/** The bundles of the pages, compiled once for all tabs. */
const bundles = new Map<string, Promise<Script>>()

function getBundle(script: string): Promise<Script> {
  const define = { location: 'fakeLocation', 'window.location': 'fakeLocation' }
  const bundle = bundles.get(script) ?? bundlePage(script, define).then((text) => new Script(text))
  bundles.set(script, bundle)
  return bundle
}

/** Creates a BroadcastChannel class for one tab: jsdom does not have one, and would not close its channels. */
function createChannels(): { readonly type: typeof BroadcastChannel; readonly close: () => void } {
  const opened: BroadcastChannel[] = []
  const type = class extends BroadcastChannel {
    constructor(name: string) {
      super(name)
      opened.push(this)
    }
  }
  return { type, close: () => opened.forEach((channel) => channel.close()) }
}

/** Creates a `fetch` that uses the browser's cookies and, as browsers do, sends the origin. */
function createFetch(browser: Browser, pageUrl: string): typeof fetch {
  return (target, init = {}) => {
    const method = (init.method ?? 'GET').toUpperCase()
    const headers = Object.fromEntries(new Headers(init.headers as HeadersInit))
    const body = init.body ? { body: String(init.body as string | URLSearchParams) } : {}
    const origin = method === 'GET' ? {} : { origin: new URL(pageUrl).origin }
    const fetchHeaders = { ...origin, 'sec-fetch-site': 'same-origin' }
    const url = new URL(target as string, pageUrl)
    return browser.visit(url.href, { method, headers: { ...headers, ...fetchHeaders }, ...body })
  }
}

function createLocation(url: string, navigations: string[], reload: () => void): object {
  return {
    get href() {
      return url
    },
    set href(next: string) {
      navigations.push(new URL(next, url).href)
    },
    origin: new URL(url).origin,
    search: new URL(url).search,
    reload,
  }
}

/**
 * Signs a user in without a page.
 *
 * @param fields Fields of the form, such as `confirm`
 */
export async function signIn(
  browser: Browser,
  account = 'alice',
  provider = 'passport',
  fields: Readonly<Record<string, string>> = {},
): Promise<void> {
  const path = `/signin/${provider}?login_hint=${account}`
  const authorization = await browser.submit(path, fields)
  const callback = await browser.visit(authorization.headers.get('location') as string)
  await browser.visit(callback.headers.get('location') as string)
}
