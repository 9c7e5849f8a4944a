import { memoryStorage } from '@latchkey/core/memory'
import type { AuthConfig, Mailer, Storage } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import type { Browser } from '@latchkey/core/testing/browser'
import { describe, expect, test } from 'vitest'
import { Mailbox, requestEmail, submitForm } from './support/mailbox.ts'
import { toCallbackUrl, beginSignIn, passport, serve, signIn } from './support/service.ts'

/** Which call of a port fails, and whether it had done its work before it did. */
interface Fault {
  readonly k: number
  readonly when: 'before' | 'after'
}

/** Counts the calls of the ports, and lets one of them fail. */
class Breaker {
  calls = 0
  fault: Fault | undefined

  guard<T extends object>(port: T): T {
    const verbs = Object.entries(port).map(([verb, work]) => [
      verb,
      (...args: never[]) => this.#call(() => (work as (...args: never[]) => unknown)(...args)),
    ])
    return Object.fromEntries(verbs) as T
  }

  async #call(work: () => unknown): Promise<unknown> {
    this.calls += 1
    if (this.fault?.k !== this.calls) return work()
    if (this.fault.when === 'after') await work()
    throw new Error('the port has failed')
  }
}

/** A service whose storage and mailer can be made to fail at any call. */
function breakable(over: Partial<AuthConfig> = {}): World {
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
    ...over,
  })
  return { auth, browse, breaker, storage, mailbox }
}

interface World {
  readonly auth: ReturnType<typeof serve>['auth']
  readonly browse: () => Browser
  readonly breaker: Breaker
  readonly storage: Storage
  readonly mailbox: Mailbox
}

/** A flow: what is there before it, and the flow itself, which gives what it was answered. */
interface Scenario {
  readonly name: string
  readonly before: (world: World, browser: Browser) => Promise<void>
  readonly flow: (world: World, browser: Browser) => Promise<Response>
  /** Whose user comes of it. */
  readonly address: string
}

const nothing = async (): Promise<void> => undefined

const scenarios: readonly Scenario[] = [
  {
    name: 'a first sign-in',
    before: nothing,
    flow: (_world, browser) => signIn(browser),
    address: 'alice@example.com',
  },
  {
    name: 'a further sign-in, in place of a former session',
    before: async (_world, browser) => void (await signIn(browser)),
    flow: (_world, browser) => signIn(browser),
    address: 'alice@example.com',
  },
  {
    name: 'a first sign-in that is linked by its address',
    before: async ({ browse }) => void (await signIn(browse())),
    flow: (_world, browser) => signInWith(browser, 'licence'),
    address: 'alice@example.com',
  },
  {
    name: 'a sign-in by the link in a mail',
    before: nothing,
    async flow({ mailbox }, browser) {
      const asked = await requestEmail(browser)
      if (asked.status !== 302 || mailbox.mails.length === 0) return asked
      return browser.visit(mailbox.getLink().href)
    },
    address: 'alice@example.com',
  },
  {
    name: 'a sign-in by the link in a mail, in another browser',
    before: nothing,
    async flow({ browse, mailbox }, browser) {
      const asked = await requestEmail(browse())
      if (asked.status !== 302 || mailbox.mails.length === 0) return asked
      return submitForm(browser, await (await browser.visit(mailbox.getLink().href)).text())
    },
    address: 'alice@example.com',
  },
  {
    name: 'a sign-in by the code in a mail',
    before: nothing,
    async flow({ mailbox }, browser) {
      const asked = await requestEmail(browser)
      if (asked.status !== 302 || mailbox.mails.length === 0) return asked
      const page = await browser.visit('/csrf')
      if (page.status !== 200) return page
      const { csrfToken } = (await page.json()) as { csrfToken: string }
      return browser.post('/callback/email', { code: mailbox.getCode(), csrfToken })
    },
    address: 'alice@example.com',
  },
]

async function signInWith(browser: Browser, provider: string): Promise<Response> {
  const response = await browser.submit(`/signin/${provider}`)
  const location = response.headers.get('location') ?? ''
  if (!location.startsWith('https://idp.example')) return response
  return browser.visit(toCallbackUrl(new URL(location), 'alice'))
}

/** What must hold of a storage whatever has happened. */
async function assertWhole({ storage }: World, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    const user = await storage.getUserByEmail(address)
    if (!user) continue
    const accounts = await storage.listAccounts(user.id)
    expect(accounts.length, 'a user without an account').toBeGreaterThan(0)
    for (const { provider, providerAccountId } of accounts) {
      expect(await storage.getUserByAccount(provider, providerAccountId)).toEqual(user)
    }
  }
}

/** Runs the flow, where even the requests before it may be refused. */
async function attempt(scenario: Scenario, world: World, browser: Browser): Promise<string> {
  try {
    const response = await scenario.flow(world, browser)
    const text = await response.text()
    expect(text).not.toContain('the port has failed')
    return String(response.status)
  } catch (thrown) {
    // `begin` stops where it is refused: 403 where not even a CSRF token could be had before.
    expect(String(thrown)).toMatch(/answered (403|50[23])/)
    expect(String(thrown)).not.toContain('the port has failed')
    return 'refused'
  }
}

describe.for(['storage', 'cookie'] as const)(
  'the k-th port call fails, strategy %s',
  (strategy) => {
    describe.for(scenarios)('$name', (scenario) => {
      test.for(['before', 'after'] as const)('%s it has done its work', async (when) => {
        const session = { strategy }
        const counting = breakable({ session })
        const first = counting.browse()
        await scenario.before(counting, first)
        counting.breaker.calls = 0
        await attempt(scenario, counting, first)
        expect(await first.json('/session')).toMatchObject({ user: { email: scenario.address } })
        const calls = counting.breaker.calls
        expect(calls).toBeGreaterThan(1)

        for (let k = 1; k <= calls; k++) {
          const world = breakable({ session })
          const browser = world.browse()
          await scenario.before(world, browser)
          world.breaker.calls = 0
          world.breaker.fault = { k, when }
          await attempt(scenario, world, browser)
          world.breaker.fault = undefined
          await assertWhole(world, [scenario.address])

          // A second try, by a person who starts over in the same browser, succeeds.
          await attempt(scenario, world, browser)
          expect(await browser.json('/session'), `call ${k}`).toMatchObject({
            user: { email: scenario.address },
          })
          await assertWhole(world, [scenario.address])
        }
      })
    })
  },
)

describe('linking, when a port call fails', () => {
  test.for(['before', 'after'] as const)('%s it has done its work', async (when) => {
    for (let k = 1; ; k++) {
      const world = breakable()
      const browser = world.browse()
      await signIn(browser)
      const away = await beginSignIn(browser, { link: 'true' }, '/signin/licence')
      world.breaker.calls = 0
      world.breaker.fault = { k, when }
      await browser.visit(toCallbackUrl(away, 'other'))
      const isOver = world.breaker.calls < k
      world.breaker.fault = undefined
      const owner = await world.storage.getUserByAccount('passport', 'alice')
      const linked = await world.storage.getUserByAccount('licence', 'other')
      expect([undefined, owner?.id]).toContain(linked?.id)
      expect(await browser.json('/session')).toMatchObject({ user: { id: owner?.id } })
      const again = await beginSignIn(browser, { link: 'true' }, '/signin/licence')
      await browser.visit(toCallbackUrl(again, 'other'))
      expect(await world.storage.getUserByAccount('licence', 'other')).toEqual(owner)
      if (isOver) return
    }
  })
})
