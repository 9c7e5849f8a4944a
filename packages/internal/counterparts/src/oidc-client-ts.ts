import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromiumOptions } from '@latchkey/test-support/chromium'
import { listen } from '@latchkey/test-support/listen'
import type { User, UserManager } from 'oidc-client-ts'
import { chromium } from 'playwright-core'
import type { Page } from 'playwright-core'
import { scope, user } from './service.ts'
import type { Service } from './service.ts'

declare global {
  /** What the page of the client has. */
  interface Window {
    readonly manager: UserManager
    readonly user: Promise<User | undefined>
  }
}

const library = fileURLToPath(import.meta.resolve('oidc-client-ts')).replace(
  /esm\/oidc-client-ts\.js$/,
  'browser/oidc-client-ts.min.js',
)

/** oidc-client-ts in Chromium, as a page without a server, which reads the replies of another origin. */
export async function oidcClientTs(service: Service): Promise<void> {
  const { origin, stop } = await listen((request, response) => {
    const isLibrary = request.url === '/oidc.js'
    response.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html')
    response.end(isLibrary ? readFileSync(library) : createPage(service))
  })
  const browser = await chromium.launch(chromiumOptions)
  try {
    const page = await browser.newPage()
    await signIn(page, origin)
    await use(page, service)
  } finally {
    await browser.close()
    await stop()
  }
}

/** The page: it begins a sign-in, and receives its answer. */
function createPage({ issuer, resource }: Service): string {
  const { origin, pathname } = new URL(issuer)
  const settings = {
    authority: issuer,
    metadataUrl: `${origin}/.well-known/oauth-authorization-server${pathname}`,
    client_id: 'public',
    scope,
    resource,
  }
  return `<!doctype html><script src="/oidc.js"></script><script>
    const redirect_uri = location.origin + '/callback'
    window.manager = new oidc.UserManager({ ...${JSON.stringify(settings)}, redirect_uri })
    const isAnswer = location.pathname === '/callback'
    window.user = isAnswer ? manager.signinCallback() : manager.signinRedirect()
  </script>`
}

async function signIn(page: Page, origin: string): Promise<void> {
  await page.goto(origin)
  await page.fill('input[name=name]', user.name)
  await page.fill('input[name=password]', user.password)
  await page.click('button[type=submit]')
  await page.click('button[value=allow]')
  await page.waitForURL(`${origin}/callback?*`)
}

async function use(page: Page, service: Service): Promise<void> {
  const first = await page.evaluate(async () => (await window.user)?.access_token)
  await call(service, first)
  const next = await page.evaluate(async () => (await window.manager.signinSilent())?.access_token)
  assert.notEqual(next, first)
  await call(service, next)
  const error = await page.evaluate(async () => {
    const kept = await window.manager.getUser()
    await window.manager.revokeTokens(['refresh_token'])
    await window.manager.storeUser(kept)
    return window.manager.signinSilent().then(String, String)
  })
  assert.match(error, /the refresh token is not valid/)
}

async function call({ resource, findUserId }: Service, token: string | undefined): Promise<void> {
  const reply = await fetch(resource, { headers: { authorization: `Bearer ${token}` } })
  assert.deepEqual(await reply.json(), { sub: await findUserId() })
}
