import * as serverAuth from '@latchkey/client/react'
import * as serverPasskeys from '@latchkey/client/react-passkeys'
import type { Browser } from '@latchkey/testing/browser'
import { createElement } from 'react'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Parts } from './pages/expose-parts.ts'
import { respondUnavailable } from './support/app.ts'
import { createAuthenticator, getNewestId, installAuthenticator } from './support/authenticator.ts'
import type { Authenticator } from './support/authenticator.ts'
import { alice } from './support/fake-page.ts'
import { startPasskeyApp } from './support/passkey-service.ts'
import type { PasskeyApp } from './support/passkey-service.ts'
import { createBrowser, openTab, signIn } from './support/tab.ts'
import type { Tab } from './support/tab.ts'
import { waitUntil } from './support/wait-until.ts'

type Module = typeof serverAuth & typeof serverPasskeys

/** Shows the status, the error, and the name of each passkey. */
function toText({ status, error, passkeys }: serverPasskeys.PasskeysState): string {
  const names = passkeys?.map(({ name }) => name ?? 'passkey') ?? []
  return [status, error, ...names].filter(Boolean).join(' ')
}

function getParts({ window }: Tab<Module>): Parts<Module> {
  return window as typeof window & Parts<Module>
}

describe('@latchkey/client/react-passkeys', () => {
  let service: PasskeyApp
  let browser: Browser
  let tab: Tab<Module>
  let device: Authenticator
  /** What the page rendered last. */
  let hook: serverPasskeys.UsePasskeysValue

  beforeEach(async () => {
    service = await startPasskeyApp()
    browser = createBrowser(service.app)
    tab = await openTab(service.app, browser, 'react-passkeys')
    device = createAuthenticator(service.app.origin)
    installAuthenticator(tab.window, device)
  })
  afterEach(() => {
    tab.close()
    return service.app.stop()
  })

  const waitForText = (text: string): Promise<unknown> =>
    waitUntil(() => expect(tab.getText()).toBe(text))

  /** Renders two components with the hook in StrictMode. */
  function render(usePasskeys = getParts(tab).auth.usePasskeys): void {
    const { auth, react, render: renderAt } = getParts(tab)
    const Status = ({ isHidden = false }: { readonly isHidden?: boolean }): ReactNode => {
      const value = usePasskeys()
      react.useEffect(() => {
        hook = value
      })
      return isHidden ? null : toText(value)
    }
    const both = [false, true].map((isHidden) =>
      react.createElement(Status, { key: String(isHidden), isHidden }),
    )
    const provider = react.createElement(auth.SessionProvider, {}, both)
    renderAt(react.createElement(react.StrictMode, null, provider))
  }

  /** Returns the id of the first passkey. */
  function getId(): string {
    const [passkey] = hook.passkeys ?? []
    if (!passkey) throw new Error('expected a passkey')
    return passkey.id
  }

  test('reads the list once, and again after each change', async () => {
    await signIn(browser, 'react-alice')
    service.app.clearRequests()
    render()
    await waitForText('ready')
    expect(service.app.requests).toEqual(['GET session', 'GET account'])
    expect(await hook.create()).toMatchObject({ ok: true })
    await waitForText('ready passkey')
    service.app.clearRequests()
    expect(await hook.rename(getId(), 'Phone')).toMatchObject({ ok: true })
    expect(service.app.requests).toEqual(['GET csrf', 'POST account', 'GET account'])
    await waitForText('ready Phone')
    const credentialId = getNewestId(device)
    device.signals.splice(0)
    expect(await hook.remove(getId())).toMatchObject({ ok: true })
    await waitForText('ready')
    expect(device.signals).toEqual([['unknown', { rpId: 'localhost', credentialId }]])
    expect(tab.navigations).toEqual([])
  })

  test('does not read again if the user cancels, or must confirm', async () => {
    await signIn(browser, 'react-bob')
    render()
    await waitForText('ready')
    await hook.create()
    await waitForText('ready passkey')
    service.app.clearRequests()
    device.failure = 'NotAllowedError'
    expect(await hook.create()).toMatchObject({ ok: false, reason: 'cancelled' })
    await service.expireProofs()
    expect(await hook.remove(getId())).toMatchObject({ error: 'ConfirmationRequired' })
    expect(service.app.countRequests('GET account')).toBe(0)
    expect(tab.navigations).toHaveLength(1)
  })

  test('reads again after a passkey that is registered already', async () => {
    await signIn(browser, 'react-carol')
    render()
    await waitForText('ready')
    await hook.create()
    service.app.clearRequests()
    expect(await hook.create()).toMatchObject({ ok: false, reason: 'alreadyRegistered' })
    expect(service.app.countRequests('GET account')).toBe(1)
  })

  test('has the status failed after a failed read, and refresh reads again', async () => {
    await signIn(browser, 'react-dora')
    service.app.intercept = ({ url }) =>
      url.endsWith('/account') ? respondUnavailable() : undefined
    render()
    await waitForText('failed Unavailable')
    service.app.intercept = undefined
    const [first, second] = await Promise.all([hook.refresh(), hook.refresh()])
    expect(first).toEqual({ ok: true, passkeys: [] })
    expect(second).toBe(first)
    await waitForText('ready')
  })

  test('without a session reads nothing', async () => {
    service.app.clearRequests()
    render()
    await waitForText('unauthenticated')
    expect(service.app.countRequests('GET account')).toBe(0)
  })

  test('createReactPasskeys has the id of the provider', async () => {
    await signIn(browser, 'react-erin')
    const { auth } = getParts(tab)
    render(auth.createReactPasskeys(auth, { provider: 'webauthn' }).usePasskeys)
    await waitForText('ready')
    service.app.clearRequests()
    expect(await hook.create()).toMatchObject({ ok: false, status: 404 })
    expect(service.app.requests).toEqual(['GET csrf', 'POST signin/webauthn'])
  })

  test('usePasskeys outside a SessionProvider throws', async () => {
    const { auth, react, render: renderAt } = getParts(tab)
    renderAt(react.createElement(() => auth.usePasskeys().status))
    const message = 'usePasskeys must be used inside a SessionProvider'
    await waitUntil(() => expect(tab.warnings.join('\n')).toContain(message))
  })

  test.each([
    ['with a session', { session: alice }],
    ['without a session', { session: null }],
    ['with an unknown session', {}],
  ])('on a server renders the status loading %s', (_name, props) => {
    const Text = (): ReactNode => toText(serverPasskeys.usePasskeys())
    const children = createElement(Text)
    const element = createElement(serverAuth.SessionProvider, { ...props, children })
    expect(renderToString(element)).toBe('loading')
  })
})
