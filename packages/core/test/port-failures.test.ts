import { memoryStorage } from '@latchkey/core/memory'
import type { AuthConfig, Mailer, Storage } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import type { Browser } from '@latchkey/testing/browser'
import { createTestClock } from '@latchkey/testing/clock'
import { describe, expect, test } from 'vitest'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import { Mailbox, requestEmail, submitForm } from './support/mailbox.ts'
import { beginSignIn, passport, serve, signIn, toCallbackUrl } from './support/service.ts'

/** Selects the call of a port that fails, before or after its effect. */
interface Fault {
  readonly k: number
  readonly when: 'before' | 'after'
}

/** Counts the calls of the ports and makes one of them fail. */
class Breaker {
  calls = 0
  fault: Fault | undefined

  guard<T extends object>(port: T): T {
    return wrapMethods(
      port,
      (method) =>
        (...args) =>
          this.#call(() => method(...args)),
    )
  }

  async #call(method: () => unknown): Promise<unknown> {
    this.calls += 1
    if (this.fault?.k !== this.calls) return method()
    if (this.fault.when === 'after') await method()
    throw new Error('the port has failed')
  }
}

/** Serves with a storage and a mailer that can be made to fail at any call. */
function serveBreakable(over: Partial<AuthConfig> = {}): BreakableService {
  const breaker = new Breaker()
  const storage = memoryStorage()
  const mailbox = new Mailbox()
  const mailer: Mailer = breaker.guard({ send: (mail) => mailbox.send(mail) })
  const trusted = { linkByVerifiedEmail: true }
  const { auth, browse } = serve({
    storage: breaker.guard(storage),
    providers: [
      email({ mailer, from: 'sign-in@app.example', code: true }),
      passport(trusted),
      passport({ ...trusted, id: 'licence', name: 'Licence' }),
    ],
    runtime: createTestClock().runtime,
    ...over,
  })
  return { auth, browse, breaker, storage, mailbox }
}

interface BreakableService {
  readonly auth: ReturnType<typeof serve>['auth']
  readonly browse: () => Browser
  readonly breaker: Breaker
  readonly storage: Storage
  readonly mailbox: Mailbox
}

/** A flow that begins with the state that `prepare` creates, and returns its last response. */
interface Scenario {
  readonly name: string
  readonly prepare: (service: BreakableService, browser: Browser) => Promise<void>
  readonly flow: (service: BreakableService, browser: Browser) => Promise<Response>
  /** The email address of the user that it signs in. */
  readonly emailAddress: string
}

const nothing = async (): Promise<void> => undefined

const scenarios: readonly Scenario[] = [
  {
    name: 'a first sign-in',
    prepare: nothing,
    flow: (_service, browser) => signIn(browser),
    emailAddress: 'alice@example.com',
  },
  {
    name: 'a sign-in that replaces a session',
    prepare: async (_service, browser) => void (await signIn(browser)),
    flow: (_service, browser) => signIn(browser),
    emailAddress: 'alice@example.com',
  },
  {
    name: 'a first sign-in that is linked by its email address',
    prepare: async ({ browse }) => void (await signIn(browse())),
    flow: (_service, browser) => signInWith(browser, 'licence'),
    emailAddress: 'alice@example.com',
  },
  {
    name: 'a sign-in by the link in an email',
    prepare: nothing,
    async flow({ mailbox }, browser) {
      const sent = await requestEmail(browser)
      if (sent.status !== 302 || mailbox.mails.length === 0) return sent
      return browser.visit(mailbox.getLink().href)
    },
    emailAddress: 'alice@example.com',
  },
  {
    name: 'a sign-in by the link in an email, in another browser',
    prepare: nothing,
    async flow({ browse, mailbox }, browser) {
      const sent = await requestEmail(browse())
      if (sent.status !== 302 || mailbox.mails.length === 0) return sent
      const page = await browser.visit(mailbox.getLink().href)
      return page.status === 200 ? submitForm(browser, await page.text()) : page
    },
    emailAddress: 'alice@example.com',
  },
  {
    name: 'a sign-in by the code in an email',
    prepare: nothing,
    async flow({ mailbox }, browser) {
      const sent = await requestEmail(browser)
      if (sent.status !== 302 || mailbox.mails.length === 0) return sent
      const page = await browser.visit('/csrf')
      if (page.status !== 200) return page
      const { csrfToken } = (await page.json()) as { csrfToken: string }
      return browser.post('/callback/email', { code: mailbox.getCode(), csrfToken })
    },
    emailAddress: 'alice@example.com',
  },
]

/** Signs a user in with a provider, unless the sign-in is refused. */
async function signInWith(browser: Browser, provider: string): Promise<Response> {
  const response = await browser.submit(`/signin/${provider}`)
  const location = response.headers.get('location') ?? ''
  if (!location.startsWith('https://idp.example')) return response
  return browser.visit(toCallbackUrl(new URL(location), 'alice'))
}

/** Expects that a user, if there is one, has accounts, and that each leads to the user. */
async function expectConsistent(
  { storage }: BreakableService,
  emailAddress: string,
): Promise<void> {
  const user = await storage.getUserByEmail(emailAddress)
  if (!user) return
  const accounts = await storage.listAccounts(user.id)
  expect(accounts.length, 'a user without an account').toBeGreaterThan(0)
  for (const { provider, providerAccountId } of accounts) {
    expect(await storage.getUserByAccount(provider, providerAccountId)).toEqual(user)
  }
}

/** Runs a flow, of which every request may be refused. */
async function runFlow(
  scenario: Scenario,
  service: BreakableService,
  browser: Browser,
): Promise<void> {
  try {
    const response = await scenario.flow(service, browser)
    const text = await response.text()
    expect(text).not.toContain('the port has failed')
  } catch (thrown) {
    // The helpers throw if a request is refused: 403 if the CSRF token was not available.
    expect(String(thrown)).toMatch(/answered (403|50[23])/)
    expect(String(thrown)).not.toContain('the port has failed')
  }
}

describe.for(['storage', 'cookie'] as const)('a port call fails, strategy %s', (strategy) => {
  describe.for(scenarios)('$name', (scenario) => {
    test.for(['before', 'after'] as const)('%s its effect', async (when) => {
      const session = { strategy }
      const counting = serveBreakable({ session })
      const first = counting.browse()
      await scenario.prepare(counting, first)
      counting.breaker.calls = 0
      await runFlow(scenario, counting, first)
      expect(await first.json('/session')).toMatchObject({ user: { email: scenario.emailAddress } })
      const calls = counting.breaker.calls
      expect(calls).toBeGreaterThan(1)

      for (let k = 1; k <= calls; k++) {
        const service = serveBreakable({ session })
        const browser = service.browse()
        await scenario.prepare(service, browser)
        service.breaker.calls = 0
        service.breaker.fault = { k, when }
        await runFlow(scenario, service, browser)
        service.breaker.fault = undefined
        await expectConsistent(service, scenario.emailAddress)

        // A second sign-in in the same browser succeeds.
        await runFlow(scenario, service, browser)
        expect(await browser.json('/session'), `call ${k}`).toMatchObject({
          user: { email: scenario.emailAddress },
        })
        await expectConsistent(service, scenario.emailAddress)
      }
    })
  })
})

describe('linking, when a port call fails', () => {
  test.for(['before', 'after'] as const)('%s its effect', async (when) => {
    for (let k = 1; ; k++) {
      const service = serveBreakable()
      const browser = service.browse()
      await signIn(browser)
      const redirect = await beginSignIn(browser, { link: 'true' }, '/signin/licence')
      service.breaker.calls = 0
      service.breaker.fault = { k, when }
      await browser.visit(toCallbackUrl(redirect, 'other'))
      const isOver = service.breaker.calls < k
      service.breaker.fault = undefined
      const owner = await service.storage.getUserByAccount('passport', 'alice')
      const linked = await service.storage.getUserByAccount('licence', 'other')
      expect([undefined, owner?.id]).toContain(linked?.id)
      expect(await browser.json('/session')).toMatchObject({ user: { id: owner?.id } })
      const secondRedirect = await beginSignIn(browser, { link: 'true' }, '/signin/licence')
      await browser.visit(toCallbackUrl(secondRedirect, 'other'))
      expect(await service.storage.getUserByAccount('licence', 'other')).toEqual(owner)
      if (isOver) return
    }
  })
})
