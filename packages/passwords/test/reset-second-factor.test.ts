import { AuthError } from '@latchkey/core'
import type { Provider, Storage } from '@latchkey/core'
import type { Admission } from '@latchkey/core/capability'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { secondFactor, totp } from '@latchkey/second-factor'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import type { Browser } from '@latchkey/testing'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { listFactors, row, runImport, serviceOptions } from './support/import.ts'
import {
  alice,
  ask,
  base,
  choose,
  defaultUse,
  getEmail,
  good,
  other,
  register,
  reset,
  servePasswords,
  signIn,
} from './support/service.ts'
import type { PasswordService } from './support/service.ts'

const secondUrl = `${base}/signin?second=true`
const second = secondFactor({ methods: [totp()], rememberFor: 86_400 })

/** The app of a user, whose codes are new each time. */
interface App {
  readonly prove: (browser: Browser, fields?: Record<string, string>) => Promise<Response>
}

async function enrol(service: PasswordService, browser: Browser): Promise<App> {
  const page = await browser.follow(await browser.submit('/signin/totp', { link: 'true' }))
  const [, key = ''] = /<bdi>([A-Z2-7 ]{32,})<\/bdi>/.exec(await page.text()) ?? []
  const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
  const prove: App['prove'] = async (each, fields) => {
    await service.clock.advance(30_000)
    const code = app.generate({ timestamp: service.clock.runtime.now() })
    return each.submit('/signin/totp', { code, ...fields })
  }
  expect((await prove(browser)).status).toBe(302)
  return { prove }
}

/** Serves Alice, who has a password and an app, and is signed in. */
async function serveAlice(
  storage: Storage = memoryStorage(),
): Promise<PasswordService & { readonly owner: Browser; readonly app: App }> {
  const service = servePasswords({}, { use: [...defaultUse, second], storage })
  const owner = await register(service)
  return { ...service, owner, app: await enrol(service, owner) }
}

/** Returns whether a password is right: the second factor is asked for then. */
async function isPassword(service: PasswordService, password: string): Promise<boolean> {
  const response = await signIn(service.browse(`192.0.2.${password.length}`), password)
  return response.headers.get('location') === secondUrl
}

describe('a reset of a user with a second factor (I-55.5)', () => {
  test('that a capability stops changes nothing, although the factor is proven (I-63.4)', async () => {
    let isStopped = false
    const admission: Admission = {
      ask: async () => {
        if (isStopped) throw new AuthError('AccessDenied', 'suspended')
        return undefined
      },
      stops: async () => isStopped,
    }
    const use = [...defaultUse, second, { id: 'guard', admission }]
    const service = servePasswords({}, { use, storage: memoryStorage() })
    const app = await enrol(service, await register(service))
    const resetTo = async (password: string): Promise<Browser> => {
      const browser = service.browse()
      await reset(service, password, browser)
      await app.prove(browser)
      return browser
    }
    const owner = await resetTo(other)
    expect(await getEmail(owner)).toBe(alice)
    isStopped = true
    expect(await getEmail(await resetTo(good))).toBeUndefined()
    expect(await getEmail(owner)).toBe(alice)
    expect([await isPassword(service, good), await isPassword(service, other)]).toEqual([
      false,
      true,
    ])
  })

  test.each([false, true])(
    'asks who may stop it once, before anything is stored (I-63.4); with a factor: %s',
    async (hasFactor) => {
      let asked = 0
      const admission: Admission = { ask: async () => void asked++, stops: async () => false }
      const use = [...defaultUse, ...(hasFactor ? [second] : []), { id: 'guard', admission }]
      const service = servePasswords({}, { use, storage: memoryStorage() })
      const owner = await register(service)
      const app = hasFactor ? await enrol(service, owner) : undefined
      const browser = service.browse()
      asked = 0
      await reset(service, other, browser)
      await app?.prove(browser)
      expect([await getEmail(browser), asked]).toEqual([alice, 1])
    },
  )

  test('changes nothing before the factor is proven, and then everything', async () => {
    const service = await serveAlice()
    const { owner, app, mailbox } = service
    const waiting = service.browse()
    await waiting.submit('/signin/email', { email: alice })
    const emailLink = await mailbox.linkTo(alice)
    const resetting = service.browse()
    expect((await reset(service, other, resetting)).headers.get('location')).toBe(secondUrl)
    expect(await getEmail(owner)).toBe(alice)
    expect([await isPassword(service, good), await isPassword(service, other)]).toEqual([
      true,
      false,
    ])
    await app.prove(resetting)
    expect(await getEmail(resetting)).toBe(alice)
    expect(await getEmail(owner)).toBeUndefined()
    expect([await isPassword(service, good), await isPassword(service, other)]).toEqual([
      false,
      true,
    ])
    await waiting.visit(emailLink)
    expect(await getEmail(waiting)).toBeUndefined()
    const { authentication } = await service.auth.getSession(
      new Request(base, { headers: { cookie: toCookie(resetting) } }),
    )
    expect(authentication?.methods).toEqual(['pwd', 'otp', 'mfa'])
  })

  test('uses the link up, whether or not the factor is proven', async () => {
    const service = await serveAlice()
    await ask(service.browse(), 'forgot')
    const link = await service.mailbox.linkTo(alice)
    const first = await choose(service.browse(), link, other)
    expect(first.headers.get('location')).toBe(secondUrl)
    const again = await choose(service.browse(), link, other)
    expect(again.headers.get('location')).toContain('error=Verification')
  })

  test('is not completed by a wrong code, and can be by the next one', async () => {
    const service = await serveAlice()
    const browser = service.browse()
    await reset(service, other, browser)
    expect((await browser.submit('/signin/totp', { code: '000000' })).status).toBe(401)
    expect(await isPassword(service, good)).toBe(true)
    await service.app.prove(browser)
    expect(await isPassword(service, other)).toBe(true)
  })

  test('asks for the factor in a browser that is spared it too', async () => {
    const service = await serveAlice()
    const spared = service.browse()
    await signIn(spared, good)
    await service.app.prove(spared, { remember: 'true' })
    await spared.submit('/signout')
    await signIn(spared, good)
    expect(await getEmail(spared)).toBe(alice)
    const response = await reset(service, other, spared)
    expect(response.headers.get('location')).toBe(secondUrl)
    expect(await isPassword(service, other)).toBe(false)
  })

  test('spares the factor next time, if the user asks for it', async () => {
    const service = await serveAlice()
    const browser = service.browse()
    await reset(service, other, browser)
    await service.app.prove(browser, { remember: 'true' })
    await browser.submit('/signout')
    await signIn(browser, other)
    expect(await getEmail(browser)).toBe(alice)
  })

  test('ends another reset that waits', async () => {
    const service = await serveAlice()
    const [one, two] = [service.browse(), service.browse('192.0.2.2')]
    await ask(one, 'forgot')
    const first = await service.mailbox.linkTo(alice)
    await ask(two, 'forgot')
    await choose(two, await service.mailbox.linkTo(alice), 'the password of the second')
    await choose(one, first, other)
    await service.app.prove(one)
    expect(await getEmail(one)).toBe(alice)
    const late = await service.app.prove(two)
    expect(late.headers.get('location')).toContain('error=SessionRequired')
    expect(await isPassword(service, other)).toBe(true)
  })

  test('is not repeated by a copy of its cookies', async () => {
    const service = await serveAlice()
    const browser = service.browse()
    await reset(service, other, browser)
    const copy = service.browse()
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    await service.app.prove(browser)
    const late = await service.app.prove(copy)
    expect(late.headers.get('location')).toContain('error=SessionRequired')
    expect(await getEmail(browser)).toBe(alice)
  })

  test('ends if another user has the email address before the factor is proven', async () => {
    const service = await serveAlice()
    const browser = service.browse()
    await reset(service, other, browser)
    const user = await service.storage.getUserByEmail(alice)
    const changes = { email: 'new@example.com', emailVerified: true }
    await service.auth.users.update(user?.id ?? '', changes)
    const next = { id: 'next', name: null, email: alice, emailVerified: true, image: null }
    await service.storage.createUser(next)
    const late = await service.app.prove(browser)
    expect(late.headers.get('location')).toContain('error=SessionRequired')
    expect(await getEmail(browser)).toBeUndefined()
    expect(await listFactors(service.storage, 'next')).toEqual([])
    const signedIn = await signIn(service.browse(), good, 'new@example.com')
    expect(signedIn.headers.get('location')).toBe(secondUrl)
  })

  test('changes nothing before the factor in JSON mode either', async () => {
    const service = await serveAlice()
    await ask(service.browse(), 'forgot')
    const query = Object.fromEntries(new URL(await service.mailbox.linkTo(alice)).searchParams)
    const browser = service.browse()
    const fields = { ...query, password: other, json: 'true' }
    const response = await browser.submit('/callback/passwords', fields)
    expect([response.status, await response.json()]).toMatchObject([
      401,
      { error: 'SecondFactorRequired' },
    ])
    expect(await isPassword(service, good)).toBe(true)
    await service.app.prove(browser, { json: 'true' })
    expect(await isPassword(service, other)).toBe(true)
  })

  test('leaves one password that works, whichever call of the storage fails', async () => {
    let isDone = false
    for (let n = 1; !isDone; n++) {
      const { storage, failAt } = createFailingStorage()
      const service = await serveAlice(storage)
      const browser = service.browse()
      await reset(service, other, browser)
      const stop = failAt(n)
      const { status } = await service.app.prove(browser)
      isDone = stop()
      if (isDone) expect(status).toBe(302)
      const isNew = await isPassword(service, other)
      expect([n, await isPassword(service, good)]).toEqual([n, !isNew])
      if (isDone) expect(isNew).toBe(true)
    }
  })
})

describe('a reset, while another request ends what it has proven', () => {
  /** Returns whether the session of a reset lives; undefined if the reset made fewer calls of the storage. */
  async function resetWhile(
    hasFactor: boolean,
    call: number,
    act: (service: PasswordService, userId: string) => Promise<unknown>,
  ): Promise<boolean | undefined> {
    let left = Infinity
    let run = async (): Promise<unknown> => undefined
    let isReached = false
    const storage = wrapMethods(memoryStorage(), (method) => async (...args) => {
      if (left-- === 0) {
        isReached = true
        await run()
      }
      return method(...args)
    })
    const service = hasFactor
      ? await serveAlice(storage)
      : { ...servePasswords({}, { storage }), app: undefined }
    if (!hasFactor) await register(service)
    const userId = (await storage.getUserByEmail(alice))?.id ?? ''
    const browser = service.browse()
    await ask(browser, 'forgot')
    const link = await service.mailbox.linkTo(alice)
    await service.clock.advance(1000)
    if (hasFactor) await choose(browser, link, other)
    run = async () => {
      left = Infinity
      await service.clock.advance(2)
      await act(service, userId)
      left = Infinity
    }
    left = call
    await (service.app ? service.app.prove(browser) : choose(browser, link, other))
    left = Infinity
    return isReached ? (await getEmail(browser)) !== undefined : undefined
  }

  test.each([
    [false, 'revokeAll'],
    [true, 'revokeAll'],
    [true, 'the removal of the factor'],
  ])('begins no session that outlives it (with a factor: %s): %s', async (hasFactor, kind) => {
    const act = async ({ auth }: PasswordService, userId: string): Promise<void> => {
      if (kind === 'revokeAll') return auth.sessions.revokeAll(userId)
      const [factor] = (await auth.factors.list(userId)).filter(({ type }) => type === 'totp')
      await auth.factors.remove(userId, { type: 'totp', id: factor?.id ?? '' })
    }
    const lives: boolean[] = []
    for (let call = 0; ; call++) {
      const isAlive = await resetWhile(hasFactor, call, act)
      if (isAlive === undefined) break
      lives.push(isAlive)
    }
    expect(lives.length).toBeGreaterThan(20)
    // A removal ends no sessions: only those that have begun by then stay.
    const first = kind === 'revokeAll' ? lives.length : lives.indexOf(true)
    expect(lives.slice(0, first)).not.toContain(true)
    expect(lives.slice(first)).not.toContain(false)
    expect(first).toBeGreaterThan(20)
  })
})

/** A storage of which one call fails. */
interface FailingStorage {
  readonly storage: Storage
  /** Lets the call with this number fail, and returns what ends that and returns whether there were fewer calls. */
  readonly failAt: (n: number) => () => boolean
}

function createFailingStorage(): FailingStorage {
  let [calls, failing] = [0, 0]
  const storage = new Proxy(memoryStorage(), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]): unknown =>
        ++calls === failing
          ? Promise.reject(new Error('down'))
          : Reflect.apply(member, target, args)
    },
  })
  return {
    storage,
    failAt(n) {
      ;[calls, failing] = [0, n]
      return () => {
        failing = 0
        return calls < n
      }
    },
  }
}

describe('a reset of a user who must enrol a second factor', () => {
  test('counts before the enrolment: no factor is worth waiting for', async () => {
    const service = servePasswords()
    const owner = await register(service)
    const { mailbox, storage } = service
    const required = secondFactor({ methods: [totp()], require: true })
    const later = servePasswords({ mailer: mailbox }, { storage, use: [...defaultUse, required] })
    const browser = later.browse()
    await ask(browser, 'forgot')
    const response = await choose(browser, await mailbox.linkTo(alice), other)
    expect(response.headers.get('location')).toBe(secondUrl)
    expect(await getEmail(owner)).toBeUndefined()
    expect((await signIn(service.browse(), good)).status).toBe(401)
    expect((await signIn(service.browse(), other)).status).toBe(302)
  })
})

test('the mailbox of an imported user is not proven before the second factor (I-52.3)', async () => {
  const own = credentials({
    fields: { pin: { label: 'PIN' } },
    authorize: async () => ({ id: 'alice', name: null }),
  })
  const service = servePasswords(serviceOptions, { use: [...defaultUse, second], providers: [own] })
  await runImport(service.auth, [{ ...row, emailVerified: false }])
  const owner = service.browse()
  await owner.submit('/signin/credentials', { pin: '1' })
  const app = await enrol(service, owner)
  const isProven = async (): Promise<unknown> =>
    (await service.auth.users.get('alice'))?.emailVerified
  const browser = service.browse('192.0.2.2')
  await signIn(browser, good)
  const response = await browser.visit(await service.mailbox.linkTo(alice))
  expect(response.headers.get('location')).toBe(secondUrl)
  expect(await isProven()).toBe(false)
  await app.prove(browser)
  expect(await getEmail(browser)).toBe(alice)
  expect(await isProven()).toBe(true)
})

test('what a provider leaves for later spares no factor that is required (I-52.12)', async () => {
  const identity = { subject: 'alice', profile: {}, tokens: {}, claims: {} }
  const createOwn = (pending?: Record<string, string>): Provider => ({
    id: 'own',
    name: 'Own',
    type: 'oauth',
    begin: async () => ({ identity: { ...identity, ...(pending && { pending }) } }),
    finish: () => Promise.reject(new Error('not called')),
  })
  const required = secondFactor({ methods: [totp()], require: true })
  for (const pending of [undefined, { address: alice }]) {
    const over = { use: [...defaultUse, required], providers: [createOwn(pending)] }
    const browser = servePasswords({}, over).browse()
    const response = await browser.submit('/signin/own')
    expect(response.headers.get('location')).toBe(secondUrl)
  }
})

/** Returns the cookies of a browser as it sends them. */
function toCookie({ cookies }: Browser): string {
  return [...cookies].map((pair) => pair.join('=')).join('; ')
}
