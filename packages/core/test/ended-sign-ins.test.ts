import type { AuthConfig, Storage } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { email } from '@latchkey/core/providers/email'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { createListener } from './support/listener.ts'
import { Mailbox } from './support/mailbox.ts'
import {
  numbers,
  prove,
  readSecret,
  serveSecond,
  staff,
} from '../../second-factor/test/support/second-factor.ts'
import {
  beginSignIn,
  getUser,
  passport,
  serve,
  signIn,
  signInWith,
  toCallbackUrl,
} from './support/service.ts'
import type { TestService } from './support/service.ts'

const address = 'alice@example.com'

type Sessions = NonNullable<AuthConfig['session']>
const strategies: readonly [string, Sessions][] = [
  ['in the storage', {}],
  ['in its cookie, revocable', { strategy: 'cookie', revocable: true }],
]

interface Attack extends TestService<unknown> {
  readonly id: string
  readonly mailbox: Mailbox
  readonly revokeAll: () => Promise<void>
  /** Runs work once, before the call of the storage with this number from now. */
  readonly at: (call: number, work: () => Promise<void>) => void
  /** Returns whether that work has run, which does not run from now on. */
  readonly disarm: () => boolean
}

/** Serves alice, who signs in by an account, by emails, and by credentials. */
async function setUp(over: Partial<AuthConfig> = {}): Promise<Attack> {
  let calls = 0
  let pending: { readonly call: number; readonly work: () => Promise<void> } | undefined
  const storage = new Proxy<Storage>(memoryStorage(), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        const { work } = { ...(pending?.call === calls++ ? pending : undefined) }
        if (work) pending = undefined
        await work?.()
        return Reflect.apply(member, target, args) as unknown
      }
    },
  })
  const mailbox = new Mailbox()
  const providers = [
    passport(),
    staff,
    email({ mailer: mailbox, from: 'a@app.example', code: true }),
  ]
  const service = serve({ providers, storage, ...over })
  const browser = service.browse()
  await signIn(browser)
  const { id } = await getUser(browser)
  await storage.updateUser(id, { email: address, emailVerified: true })
  await storage.linkAccount(id, { provider: 'email', type: 'email', providerAccountId: address })
  return {
    ...service,
    id,
    mailbox,
    revokeAll: () => service.auth.sessions.revokeAll(id),
    at: (call, work) => {
      calls = 0
      pending = { call, work }
    },
    disarm: () => {
      const hasRun = pending === undefined
      pending = undefined
      return hasRun
    },
  }
}

/** Begins a sign-in of alice, and returns the request that completes it. */
type Begin = (attack: Attack, browser: Browser) => Promise<() => Promise<Response>>

const byAccount: Begin = async (_, browser) => {
  const url = toCallbackUrl(await beginSignIn(browser), 'alice')
  return () => browser.visit(url)
}
const byLink: Begin = async ({ mailbox }, browser) => {
  await browser.submit('/signin/email', { email: address })
  return () => browser.visit(mailbox.getLink().href)
}
const byCode: Begin = async ({ mailbox }, browser) => {
  await browser.submit('/signin/email', { email: address })
  return () => browser.submit('/callback/email', { code: mailbox.getCode() })
}
const byLinkElsewhere: Begin = async ({ browse, mailbox }, browser) => {
  await browse().submit('/signin/email', { email: address })
  const fields = Object.fromEntries(mailbox.getLink().searchParams)
  return () => browser.submit('/callback/email', fields)
}

const flows: readonly [string, Begin][] = [
  ['at a provider', byAccount],
  ['by the link of an email', byLink],
  ['by the link of an email in another browser', byLinkElsewhere],
  ['by the code of an email', byCode],
]

const hasSession = async (browser: Browser): Promise<boolean> =>
  'user' in ((await browser.json('/session')) ?? {})

describe.each(strategies)('sessions %s', (_, session) => {
  test.each(flows)(
    'revokeAll ends a sign-in %s that began before it, also in the same second (I-34.6)',
    async (__, begin) => {
      for (const isRevoked of [false, true]) {
        const attack = await setUp({ session })
        const browser = attack.browse()
        const complete = await begin(attack, browser)
        attack.wait(0.002)
        if (isRevoked) await attack.revokeAll()
        await complete()
        expect(await hasSession(browser)).toBe(!isRevoked)
      }
    },
  )

  test.each(flows)(
    'a sign-in %s that begins after revokeAll in the same second continues',
    async (__, begin) => {
      const attack = await setUp({ session })
      await attack.revokeAll()
      attack.wait(0.002)
      const browser = attack.browse()
      await (
        await begin(attack, browser)
      )()
      expect(await hasSession(browser)).toBe(true)
    },
  )

  test('no moment of a sign-in is too early or too late for revokeAll', async () => {
    let ended = 0
    for (let call = 0, isOver = false; !isOver; call++) {
      const attack = await setUp({ session })
      const browser = attack.browse()
      const complete = await byAccount(attack, browser)
      attack.wait(0.002)
      // In the same millisecond as the other one.
      attack.at(call, async () => {
        await attack.revokeAll()
        await attack.revokeAll()
      })
      await complete()
      isOver = !attack.disarm()
      expect(await hasSession(browser), String(call)).toBe(isOver)
      expect(await attack.auth.sessions.list(attack.id)).toHaveLength(isOver ? 2 : 0)
      ended += isOver ? 0 : 1
    }
    expect(ended).toBeGreaterThan(4)
  })

  test('of two revocations in one millisecond the second one ends a sign-in too', async () => {
    for (let call = 0, isOver = false; !isOver; call++) {
      const attack = await setUp({ session })
      await attack.revokeAll()
      const browser = attack.browse()
      const complete = await byAccount(attack, browser)
      attack.at(call, attack.revokeAll)
      await complete()
      isOver = !attack.disarm()
      // The flow itself began in that millisecond: only what is read in between differs.
      if (call > 3) expect(await hasSession(browser), String(call)).toBe(isOver)
    }
  })
})

test('revokeAll ends a sign-in whose password is compared meanwhile', async () => {
  const attack = await setUp({
    providers: [
      passport(),
      credentials({
        fields: { name: { label: 'Name' } },
        async authorize({ name }) {
          attack.wait(0.002)
          await attack.revokeAll()
          return { id: name ?? '' }
        },
      }),
    ],
  })
  const browser = attack.browse()
  await browser.submit('/signin/credentials', { name: attack.id })
  expect(await hasSession(browser)).toBe(false)
})

test('a flow that began before revokeAll enrols no second factor after it', async () => {
  for (const isRevoked of [false, true]) {
    const { auth, browse, storage, wait } = serveSecond(
      { providers: [passport()] },
      { methods: [numbers], require: ({ user }) => user['name'] !== 'Bob' },
    )
    const user = { id: 'u1', name: 'Alice', email: null, emailVerified: false, image: null }
    const account = { provider: 'passport', type: 'oauth', providerAccountId: 'alice' }
    await storage.createUser(user, account)
    const browser = browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    wait(0.002)
    if (isRevoked) await auth.sessions.revokeAll('u1')
    await browser.visit(url)
    await prove(browser, `${await readSecret(browser)}-1`)
    expect(await hasSession(browser)).toBe(!isRevoked)
  }
})

test('if the storage fails to say it, no session begins', async () => {
  const { browse, at, disarm } = await setUp({ use: [confirmation()] })
  for (let call = 0, isOver = false; !isOver; call++) {
    const browser = browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    at(call, () => Promise.reject(new Error('down')))
    await browser.visit(url)
    isOver = !disarm()
    expect(await hasSession(browser), String(call)).toBe(isOver)
  }
})

describe('a link whose session ends while it is stored', () => {
  async function setUpLink(): Promise<{
    readonly service: TestService<unknown>
    readonly storage: Storage
    readonly told: string[]
    readonly before: (act: (call: string) => Promise<void>) => void
    readonly link: (browser: Browser) => Promise<Response>
  }> {
    let run: (call: string) => Promise<void> = async () => undefined
    const storage = wrapMethods(memoryStorage(), (method, name) => async (...args) => {
      await run(name)
      return method(...args)
    })
    const { listener, told } = createListener()
    const providers = [passport(), passport({ id: 'other', identify: () => ({ profile: {} }) })]
    const service = serve({ storage, providers, use: [listener] })
    const link = (browser: Browser): Promise<Response> =>
      signInWith(browser, 'other', 'mallory', { link: 'true' })
    return { service, storage, told, before: (act) => (run = act), link }
  }

  test('is told if it cannot be taken back', async () => {
    const { service, storage, told, before, link } = await setUpLink()
    const browser = service.browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    let isLinked = false
    before(async (call) => {
      if (isLinked && /^(?:getSessionAndUser|unlinkAccount)$/.test(call)) throw new Error('out')
      isLinked ||= call === 'linkAccount'
    })
    await link(browser)
    before(async () => undefined)
    expect((await storage.getUserByAccount('other', 'mallory'))?.id).toBe(id)
    expect(told).toEqual(['accountLinked'])
  })

  test('is not told if it is taken back, and the storage fails then', async () => {
    const { service, storage, told, before, link } = await setUpLink()
    const browser = service.browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    let isUnlinked = false
    before(async (call) => {
      if (isUnlinked) throw new Error('out')
      isUnlinked = call === 'unlinkAccount'
      if (call === 'linkAccount') await storage.deleteSessions?.(id)
    })
    expect((await link(browser)).status).toBe(503)
    before(async () => undefined)
    expect(await storage.getUserByAccount('other', 'mallory')).toBeUndefined()
    expect(told).toEqual([])
  })

  test('leaves the other sessions that are older', async () => {
    const { service, told, before, link } = await setUpLink()
    const [laptop, phone] = [service.browse(), service.browse()]
    await signIn(laptop)
    await signIn(phone)
    service.wait(1)
    const tab = service.browse()
    for (const [name, value] of laptop.cookies) tab.cookies.set(name, value)
    let isLeft = false
    before(async (call) => {
      if (isLeft || call !== 'linkAccount') return
      isLeft = true
      await tab.submit('/signout')
    })
    await link(laptop)
    before(async () => undefined)
    expect([isLeft, told]).toEqual([true, []])
    expect(await phone.json('/session')).toHaveProperty('user')
    expect(await laptop.json('/session')).toEqual({})
  })

  test('ends the session that it has begun meanwhile', async () => {
    const { service, storage, told, before, link } = await setUpLink()
    const [thief, second] = [service.browse(), service.browse()]
    await signIn(thief)
    const { id } = await getUser(thief)
    let begun: unknown
    let state = 'begins'
    before(async (call) => {
      if (state === 'begins' && call === 'linkAccount') {
        state = 'busy'
        await service.auth.sessions.revokeAll(id)
        state = 'links'
      } else if (state === 'links' && call === 'getSessionAndUser') {
        state = 'over'
        await signInWith(second, 'other', 'mallory')
        begun = await second.json('/session')
      }
    })
    await link(thief)
    before(async () => undefined)
    expect(begun).toMatchObject({ user: { id } })
    expect(await second.json('/session')).toEqual({})
    expect(await storage.getUserByAccount('other', 'mallory')).toBeUndefined()
    expect(told).toEqual([])
  })
})
