import * as serverAuth from '@latchkey/client/react'
import * as serverFactors from '@latchkey/client/react-factors'
import type { Browser } from '@latchkey/testing/browser'
import { createElement } from 'react'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Parts } from './pages/expose-parts.ts'
import { respondUnavailable, startApp } from './support/app.ts'
import type { App } from './support/app.ts'
import { alice } from './support/fake-page.ts'
import { finishEnrolment, signInWithDevice, withFactors } from './support/second-factor.ts'
import { createBrowser, openTab, signIn } from './support/tab.ts'
import type { Tab } from './support/tab.ts'
import { waitUntil } from './support/wait-until.ts'

type Module = typeof serverAuth & typeof serverFactors

/** Shows the status, the error, and the name or type of each factor. */
function toText({ status, error, factors }: serverFactors.FactorsState): string {
  const names = factors?.map(({ name, type }) => name ?? type) ?? []
  return [status, error, ...names].filter(Boolean).join(' ')
}

function getParts({ window }: Tab<Module>): Parts<Module> {
  return window as typeof window & Parts<Module>
}

/** Returns a promise, and a function that resolves it. */
function createGate<T>(): readonly [promise: Promise<T>, open: (value: T) => void] {
  let open: (value: T) => void = () => undefined
  const promise = new Promise<T>((resolve) => (open = resolve))
  return [promise, open]
}

describe('@latchkey/client/react-factors', () => {
  let app: App
  let browser: Browser
  let tab: Tab<Module>
  let parts: Parts<Module>
  /** What the page rendered last, and every text that it showed. */
  let hook: serverFactors.UseFactorsValue
  let session: serverAuth.SessionContextValue
  let shown: string[]

  beforeAll(async () => {
    app = await startApp(withFactors())
  })
  afterAll(() => app.stop())
  beforeEach(async () => {
    browser = createBrowser(app)
    app.intercept = undefined
    app.clearRequests()
    tab = await openTab(app, browser, 'react-factors')
    parts = getParts(tab)
    shown = []
  })
  afterEach(() => tab.close())

  const waitForText = (text: string): Promise<unknown> =>
    waitUntil(() => expect(tab.getText()).toBe(text))

  function Status({ isHidden = false }: { readonly isHidden?: boolean }): ReactNode {
    const value = parts.auth.useFactors()
    const current = parts.auth.useSession()
    const text = toText(value)
    parts.react.useEffect(() => {
      hook = value
      session = current
      if (shown.at(-1) !== text) shown.push(text)
    })
    return isHidden ? null : text
  }

  /** Renders two components with the hook in StrictMode. */
  function render(props: Omit<serverAuth.SessionProviderProps, 'children'> = {}): void {
    const { auth, react, render: renderAt } = parts
    const both = [Status, Status].map((component, index) =>
      react.createElement(component, { key: index, isHidden: index > 0 }),
    )
    const provider = react.createElement(auth.SessionProvider, props, both)
    renderAt(react.createElement(react.StrictMode, null, provider))
  }

  /** Returns the device of the user. */
  function getDevice(): serverFactors.FactorKey {
    const found = hook.factors?.find(({ type }) => type === 'device')
    if (!found) throw new Error('expected a device')
    return found
  }

  test('components share one request', async () => {
    await signInWithDevice(browser, 'share')
    app.clearRequests()
    render()
    await waitForText('ready device spare')
    expect(shown).toEqual(['loading', 'ready device spare'])
    expect(app.requests).toEqual(['GET session', 'GET account'])
  })

  test('with a known session only the factors are read', async () => {
    await signInWithDevice(browser, 'known')
    app.clearRequests()
    render({ session: alice })
    await waitForText('ready device spare')
    expect(app.requests).toEqual(['GET account'])
  })

  test('without a session nothing is read', async () => {
    render()
    await waitForText('unauthenticated')
    expect(app.countRequests('GET account')).toBe(0)
  })

  test('a user without factors has an empty list', async () => {
    await signIn(browser, 'empty')
    render()
    await waitForText('ready')
    expect(hook.factors).toEqual([])
  })

  test('a session that has ended is unauthenticated, although the page was rendered with it', async () => {
    render({ session: alice })
    await waitForText('unauthenticated')
    expect(app.countRequests('GET session')).toBe(0)
  })

  test('after a failed read the status is failed, and refresh reads again', async () => {
    await signInWithDevice(browser, 'fail')
    app.intercept = ({ url }) => (url.endsWith('/account') ? respondUnavailable() : undefined)
    render()
    await waitForText('failed Unavailable')
    app.intercept = undefined
    app.clearRequests()
    const [first, second] = await Promise.all([hook.refresh(), hook.refresh()])
    expect(first).toMatchObject({ ok: true, factors: [{ type: 'device' }, { type: 'spare' }] })
    expect(second).toBe(first)
    await waitForText('ready device spare')
    expect(app.requests).toEqual(['GET account'])
  })

  test('after a later failure the factors stay, with the error', async () => {
    await signInWithDevice(browser, 'stay')
    render()
    await waitForText('ready device spare')
    app.intercept = respondUnavailable
    expect(await hook.refresh()).toMatchObject({ ok: false, error: 'Unavailable' })
    await waitForText('ready Unavailable device spare')
    app.intercept = undefined
    await hook.refresh()
    await waitForText('ready device spare')
  })

  test('if the session cannot be read the status is failed, until it can', async () => {
    await signInWithDevice(browser, 'session')
    app.intercept = respondUnavailable
    render()
    await waitForText('failed Unavailable')
    app.intercept = undefined
    await waitForText('ready device spare')
  })

  test('rename and remove read again before they return', async () => {
    await signInWithDevice(browser, 'change')
    render()
    await waitForText('ready device spare')
    app.clearRequests()
    const renamed = await hook.rename(getDevice(), 'Phone')
    expect(renamed).toEqual({ ok: true, url: `${app.origin}/` })
    expect(app.requests).toEqual(['GET csrf', 'POST account', 'GET account'])
    await waitForText('ready Phone spare')
    expect(await hook.remove(getDevice())).toMatchObject({ ok: true })
    await waitForText('ready')
    expect(tab.navigations).toEqual([])
  })

  test('a change of a factor that is gone shows what there is', async () => {
    await signInWithDevice(browser, 'gone')
    render()
    await waitForText('ready device spare')
    const { type, id } = getDevice()
    const elsewhere = await browser.submit('/account', { action: 'removeFactor', type, id })
    expect(elsewhere.status).toBe(303)
    expect(await hook.rename({ type, id }, 'Phone')).toMatchObject({ ok: false, status: 404 })
    await waitForText('ready')
  })

  test('a change that needs a confirmation navigates, and does not read again', async () => {
    await signIn(browser, 'confirm')
    await browser.submit('/signin/device', { link: 'true' })
    await finishEnrolment(browser)
    render()
    await waitForText('ready device spare')
    app.clearRequests()
    const result = await hook.remove(getDevice())
    expect(result).toMatchObject({ ok: false, error: 'ConfirmationRequired' })
    expect(tab.navigations).toEqual([result.url])
    expect(app.requests).toEqual(['GET csrf', 'POST account'])
  })

  test('new recovery codes read again, and the begin of an enrolment does not', async () => {
    await signInWithDevice(browser, 'codes')
    render()
    await waitForText('ready device spare')
    app.clearRequests()
    const codes = [expect.any(String), expect.any(String)]
    expect(await hook.enrol('spare')).toMatchObject({ ok: true, codes })
    expect(app.requests).toEqual(['GET csrf', 'POST signin/spare', 'GET account'])
    app.clearRequests()
    expect(await hook.enrol('device')).toMatchObject({ ok: true })
    expect(app.requests).toEqual(['GET csrf', 'POST signin/device'])
    expect(tab.navigations).toEqual([`${app.origin}/api/auth/signin?second=true`])
  })

  test('follows a sign-out and a sign-in in another tab', async () => {
    await signInWithDevice(browser, 'tabs')
    render()
    await waitForText('ready device spare')
    const second = await openTab<Module>(app, browser, 'react-factors')
    const { auth } = getParts(second)
    await auth.signOut({ redirect: false })
    await waitForText('unauthenticated')
    await signInWithDevice(browser, 'tabs-2')
    await auth.getSession()
    await waitForText('ready device spare')
    second.close()
  })

  test('never shows the factors of another user', async () => {
    await signInWithDevice(browser, 'first')
    render()
    await waitForText('ready device spare')
    await hook.rename(getDevice(), 'Phone of first')
    await waitForText('ready Phone of first spare')
    await signIn(browser, 'second')
    shown = []
    // The service is slow.
    const [gate, open] = createGate<undefined>()
    app.intercept = ({ url }) => (url.endsWith('/account') ? gate : undefined)
    await parts.auth.getSession()
    await waitForText('loading')
    open(undefined)
    await waitForText('ready')
    expect(shown).toEqual(['loading', 'ready'])
  })

  test('the answer to a read before the sign-out is dropped', async () => {
    await signInWithDevice(browser, 'late')
    render()
    await waitForText('ready device spare')
    const [gate, open] = createGate<Response>()
    app.intercept = ({ url }) => (url.endsWith('/account') ? gate : undefined)
    const refreshed = hook.refresh()
    await parts.auth.signOut({ redirect: false })
    await waitForText('unauthenticated')
    open(Response.json({ factors: [{ type: 'device', id: '1', name: null }] }))
    expect(await refreshed).toMatchObject({ ok: true })
    expect(tab.getText()).toBe('unauthenticated')
  })

  test('an update of the session reads again, without the status loading', async () => {
    await signInWithDevice(browser, 'update')
    render()
    await waitForText('ready device spare')
    app.clearRequests()
    expect(await session.update('blue')).toMatchObject({ note: 'blue' })
    await waitUntil(() => expect(app.countRequests('GET account')).toBe(1))
    await waitForText('ready device spare')
    expect(shown).toEqual(['loading', 'ready device spare'])
  })

  test('components that are mounted later read again', async () => {
    await signInWithDevice(browser, 'later')
    render()
    await waitForText('ready device spare')
    app.clearRequests()
    const { auth, react, render: renderAt } = parts
    const shell = (children?: ReactNode): ReactNode =>
      react.createElement(
        react.StrictMode,
        null,
        react.createElement(auth.SessionProvider, {}, children),
      )
    renderAt(shell())
    await waitForText('')
    tab.window.eval('{ const { now } = Date; Date.now = () => now() + 2000 }')
    renderAt(shell(react.createElement(Status)))
    await waitForText('ready device spare')
    await waitUntil(() => expect(app.countRequests('GET account')).toBe(1))
  })

  test('createReactFactors makes the hook for another SessionProvider', async () => {
    await signInWithDevice(browser, 'typed')
    const { auth, react, render: renderAt } = parts
    const client = auth.createReactClient()
    const { useFactors } = auth.createReactFactors(client)
    const Text = (): ReactNode => toText(useFactors())
    renderAt(react.createElement(client.SessionProvider, {}, react.createElement(Text)))
    await waitForText('ready device spare')
  })

  test('useFactors outside a SessionProvider throws', async () => {
    const { auth, react, render: renderAt } = parts
    renderAt(react.createElement(() => auth.useFactors().status))
    const message = 'useFactors must be used inside a SessionProvider'
    await waitUntil(() => expect(tab.warnings.join('\n')).toContain(message))
  })

  test.each([
    ['with a session', { session: alice }],
    ['without a session', { session: null }],
    ['with an unknown session', {}],
  ])('renders on a server %s', (_name, props) => {
    const Text = (): ReactNode => toText(serverFactors.useFactors())
    const children = createElement(Text)
    const element = createElement(serverAuth.SessionProvider, { ...props, children })
    expect(renderToString(element)).toBe('loading')
  })
})
