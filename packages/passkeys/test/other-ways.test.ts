import type { AuthConfig, Provider, Storage } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import type { TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import {
  choose,
  good,
  other,
  register,
  servePasswords,
  signIn,
} from '../../passwords/test/support/service.ts'
import type { PasswordService } from '../../passwords/test/support/service.ts'
import { addPasskey, alice, base, defaultUse, getEmail, origin } from './support/service.ts'
import { enrolApp } from './support/totp.ts'

/** Signs in at once, as whom the field names. */
const provider: Provider = {
  id: 'oauth',
  name: 'Example & Co',
  type: 'oauth',
  begin: async ({ params }) => ({
    identity: {
      subject: params.get('login_hint') ?? 'alice',
      profile: { name: 'Alice' },
      tokens: {},
      claims: {},
    },
  }),
  finish: () => Promise.reject(new Error('not called')),
}

const waysUrl = `${base}/signin/passwords?action=ways&callbackUrl=${encodeURIComponent(`${origin}/inbox`)}`

const second = secondFactor({ methods: [totp(), recoveryCodes()] })

function serve(over: Partial<AuthConfig> = {}): PasswordService {
  const providers = [passkeys({ offerAfterSignIn: false }), provider]
  return servePasswords({}, { use: [confirmation(), second], ...over, providers })
}

interface Alice extends PasswordService {
  readonly owner: Browser
  readonly app: TOTP
}

/** Serves Alice, who has a passkey, an app and a linked account. */
async function serveAlice(over: Partial<AuthConfig> = {}): Promise<Alice> {
  const service = serve(over)
  const owner = await register(service)
  await owner.submit('/signin/oauth', { link: 'true' })
  const { app } = await enrolApp(owner, service.clock.runtime.now())
  await signIn(owner, good)
  await postCode(service, app, owner)
  await addPasskey(owner)
  return { ...service, owner, app }
}

async function postCode(
  { clock }: PasswordService,
  app: TOTP,
  browser: Browser,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  await clock.advance(30_000)
  const code = app.generate({ timestamp: clock.runtime.now() })
  return browser.submit('/signin/totp', { code, ...fields })
}

/** Resets the password, and returns where the reply leads. */
async function resetPassword(
  service: PasswordService,
  browser: Browser,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const asked = { action: 'forgot', email: alice, callbackUrl: '/inbox' }
  await browser.submit('/signin/passwords', asked)
  const link = new URL(await service.mailbox.linkTo(alice))
  for (const [name, value] of Object.entries(fields)) link.searchParams.set(name, value)
  return choose(browser, link.href, other)
}

/** Resets the password of Alice with her app. */
async function resetWithApp(service: Alice, browser: Browser): Promise<Response> {
  const response = await resetPassword(service, browser)
  expect(response.headers.get('location')).toBe(`${base}/signin?second=true`)
  return postCode(service, service.app, browser)
}

/** Returns what the page lists, and the fields of the form that removes each. */
async function listWays(browser: Browser): Promise<Map<string, Record<string, string>>> {
  const html = await (await browser.visit(waysUrl)).text()
  const ways = html.split('<p class="hint">').slice(1)
  return new Map(
    ways.map((way) => {
      const inputs = [...way.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
      const name = /<bdi>([^<]*)/.exec(way)?.[1] ?? ''
      return [name, Object.fromEntries(inputs.map(([, key, value]) => [key, value]))]
    }),
  )
}

function remove(browser: Browser, fields: Record<string, string> = {}): Promise<Response> {
  const { csrfToken: _, ...rest } = fields
  return browser.submit('/signin/passwords', rest)
}

describe('the page after a reset (I-55.15)', () => {
  test('lists the other ways in, with their dates, and leads to the return URL', async () => {
    const service = await serveAlice()
    const browser = service.browse()
    const response = await resetWithApp(service, browser)
    expect(response.headers.get('location')).toBe(waysUrl)
    const page = await browser.visit(waysUrl)
    const html = await page.text()
    expect(page.status).toBe(200)
    expect(html).not.toContain('<script')
    expect(html).toContain(`<a class="button primary" href="${origin}/inbox">Continue</a>`)
    const ways = html.split('<p class="hint">').slice(1)
    expect(ways.map((way) => /<bdi>([^<]*)/.exec(way)?.[1])).toEqual([
      'Passkey',
      'Authenticator app',
      'Example &amp; Co',
    ])
    expect(ways.map((way) => way.includes('Added on Jan 15, 2027'))).toEqual([true, true, true])
    expect(ways[1]).toContain('last used on Jan 15, 2027')
  })

  test('is left out if the user has no other way in', async () => {
    const service = serve()
    await register(service)
    const browser = service.browse()
    const response = await resetPassword(service, browser)
    expect(response.headers.get('location')).toBe(`${origin}/inbox`)
    expect((await browser.visit(waysUrl)).headers.get('location')).toBe(`${origin}/inbox`)
  })

  test('is not for the mailbox that the link has proven', async () => {
    const service = serve()
    const browser = service.browse()
    await browser.submit('/signin/email', { email: alice })
    await browser.visit(await service.mailbox.linkTo(alice))
    const response = await resetPassword(service, service.browse())
    expect(response.headers.get('location')).toBe(`${origin}/inbox`)
  })

  test('follows neither a registration nor a sign-in', async () => {
    const service = await serveAlice()
    const browser = service.browse()
    await signIn(browser, good, alice, { callbackUrl: '/inbox' })
    const response = await postCode(service, service.app, browser)
    expect(response.headers.get('location')).toBe(`${origin}/inbox`)
  })

  test('is in the URL of JSON mode', async () => {
    const service = serve()
    await addPasskey(await register(service))
    const response = await resetPassword(service, service.browse(), { json: 'true' })
    expect(await response.json()).toMatchObject({ url: waysUrl })
  })

  test.each([
    ['without account pages', [confirmation()]],
    ['with them', defaultUse],
  ])('removes each of them, %s', async (_, use) => {
    const service = await serveAlice({ use: [...use, second] })
    const browser = service.browse()
    await resetWithApp(service, browser)
    const user = await service.storage.getUserByEmail(alice)
    for (const name of ['Example &amp; Co', 'Passkey', 'Authenticator app']) {
      const ways = await listWays(browser)
      const response = await remove(browser, ways.get(name))
      expect([name, response.status, response.headers.get('location')]).toEqual([
        name,
        303,
        waysUrl,
      ])
      expect((await listWays(browser)).has(name)).toBe(false)
    }
    expect((await browser.visit(waysUrl)).headers.get('location')).toBe(`${origin}/inbox`)
    const factors = await service.storage.listFactors?.(user?.id ?? '')
    expect(factors?.map(({ type }) => type)).toEqual(['password'])
    expect(await service.auth.accounts.list(user?.id ?? '')).toEqual([])
    expect((await signIn(service.browse(), other)).headers.get('location')).toBe(origin)
  })

  test('removes passkeys that are a second factor', async () => {
    const methods = [passkeyFactor(), totp()]
    const service = await serveAlice({ use: [confirmation(), secondFactor({ methods })] })
    const browser = service.browse()
    await resetWithApp(service, browser)
    const ways = await listWays(browser)
    expect([...ways.keys()]).toEqual(['Passkey', 'Authenticator app', 'Example &amp; Co'])
    expect((await remove(browser, ways.get('Passkey'))).status).toBe(303)
    expect((await listWays(browser)).has('Passkey')).toBe(false)
  })

  test('keeps a second factor that is required', async () => {
    const methods = [totp()]
    const required = secondFactor({ methods, require: ({ user }) => user.email === alice })
    const service = await serveAlice()
    const { storage, mailbox, clock } = service
    const later = servePasswords(
      { mailer: mailbox },
      {
        storage,
        runtime: clock.runtime,
        use: [...defaultUse, required],
        providers: [passkeys({ offerAfterSignIn: false }), provider],
      },
    )
    const browser = later.browse()
    await resetWithApp({ ...service, browse: later.browse }, browser)
    const ways = await listWays(browser)
    const response = await remove(browser, ways.get('Authenticator app'))
    expect(response.status).toBe(409)
    expect(await response.text()).toContain('A second step is required here.')
    expect((await listWays(browser)).has('Authenticator app')).toBe(true)
  })

  test('removes a second factor only in a session with both factors', async () => {
    const methods = [totp()]
    const service = await serveAlice({
      use: [confirmation(), secondFactor({ methods, rememberFor: 86_400 })],
    })
    const spared = service.browse()
    await signIn(spared, good)
    await postCode(service, service.app, spared, { remember: 'true' })
    const fields = (await listWays(spared)).get('Authenticator app')
    await spared.submit('/signout')
    await signIn(spared, good)
    expect(await getEmail(spared)).toBe(alice)
    const refused = await remove(spared, fields)
    expect(refused.headers.get('location')).toContain('error=ConfirmationRequired')
    expect((await listWays(spared)).has('Authenticator app')).toBe(true)
    await spared.submit('/signout')
    await resetWithApp(service, spared)
    expect((await remove(spared, fields)).status).toBe(303)
  })

  test('removes nothing of another user', async () => {
    const service = await serveAlice()
    const browser = service.browse()
    await resetWithApp(service, browser)
    const ways = await listWays(browser)
    const thief = await register(service, 'thief@example.com')
    for (const fields of ways.values()) expect((await remove(thief, fields)).status).toBe(404)
    expect(await listWays(browser)).toEqual(ways)
  })

  test('needs a session, a recent confirmation and the origin of the service', async () => {
    const service = await serveAlice()
    const browser = service.browse()
    await resetWithApp(service, browser)
    const ways = await listWays(browser)
    const fields = ways.get('Passkey') ?? {}
    const nobody = service.browse()
    expect((await nobody.visit(waysUrl)).headers.get('location')).toContain('error=SessionRequired')
    expect((await remove(nobody, fields)).headers.get('location')).toContain('SessionRequired')
    const trusting = servePasswords(
      {},
      {
        storage: service.storage,
        runtime: service.clock.runtime,
        trustedOrigins: ['https://www.app.example'],
        providers: [passkeys({ offerAfterSignIn: false }), provider],
      },
    )
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { origin: 'https://www.app.example', 'sec-fetch-site': 'same-site', cookie }
    const { csrfToken } = await browser.json('/csrf')
    const body = new URLSearchParams({ ...fields, csrfToken: String(csrfToken), json: 'true' })
    const posted = await trusting.auth.handle(
      new Request(`${base}/signin/passwords`, { method: 'POST', headers, body }),
    )
    expect([posted.status, await posted.json()]).toMatchObject([403, { error: 'Csrf' }])
    expect((await remove(browser, ways.get('Example &amp; Co'))).status).toBe(303)
    await service.clock.advance(601_000)
    const late = new URL((await remove(browser, fields)).headers.get('location') ?? '')
    expect(late.searchParams.get('callbackUrl')).toBe(waysUrl)
    expect(late.searchParams.get('error')).toBe('ConfirmationRequired')
    expect((await listWays(browser)).size).toBe(2)
  })

  test('is left out if the storage fails, and the sign-in continues', async () => {
    const service = serve()
    await addPasskey(await register(service))
    const { storage, mailbox, clock } = service
    let fails = false
    const createSession: Storage['createSession'] = (...args) => {
      fails = true
      return storage.createSession?.(...args) ?? Promise.resolve(false)
    }
    const listAccounts: Storage['listAccounts'] = (userId) =>
      fails ? Promise.reject(new Error('down')) : (storage.listAccounts?.(userId) ?? [])
    const later = servePasswords(
      { mailer: mailbox },
      {
        storage: { ...storage, createSession, listAccounts },
        runtime: clock.runtime,
        providers: [passkeys({ offerAfterSignIn: false })],
      },
    )
    const browser = later.browse()
    const response = await resetPassword({ ...service, browse: later.browse }, browser)
    expect(response.headers.get('location')).toBe(`${origin}/inbox`)
    expect(await getEmail(browser)).toBe(alice)
  })
})
