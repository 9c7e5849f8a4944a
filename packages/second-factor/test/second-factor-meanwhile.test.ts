import type { Capability, Storage } from '@latchkey/core'
import { redirect } from '@latchkey/core/capability'
import { memoryStorage } from '@latchkey/core/memory'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import { describe, expect, test } from 'vitest'
import type { EnrolledMethod } from '@latchkey/second-factor'
import { confirmation } from '@latchkey/core/confirmation'
import { secondFactor } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing/browser'
import { hook } from '../../core/test/support/hook.ts'
import { serveOutbox } from '../../core/test/support/outbox.ts'
import {
  enrol,
  numbers,
  present,
  prove,
  readSecret,
  serveOwner,
  serveSecond,
  spare,
} from './support/second-factor.ts'
import {
  getRedirect,
  getUser,
  origin,
  signIn,
  signInWith,
} from '../../core/test/support/service.ts'

const revocable = { strategy: 'cookie', revocable: true } as const

const getError = async (response: Response): Promise<unknown> => (await response.json()).error

async function beginEnrolment(browser: Browser): Promise<string> {
  await browser.submit('/signin/numbers', { link: 'true' })
  return readSecret(browser)
}

test('a code whose factor is removed at the same moment is refused', async () => {
  const { storage, arm } = hook('updateFactor', 'before')
  const { auth, browse, owner, kept } = await serveOwner({ storage })
  const { id } = await getUser(owner)
  const [first, late] = [browse(), browse()]
  await signIn(first)
  expect((await prove(first, `${kept.secret}-2`)).headers.get('location')).toBe(origin)
  await signIn(late)
  arm(async () => {
    for (const { type, id: factorId } of await auth.factors.list(id)) {
      await auth.factors.remove(id, { type, id: factorId })
    }
  })
  const refused = await prove(late, `${kept.secret}-3`, { json: 'true' })
  expect(await getError(refused)).toBe('CredentialsSignin')
  expect(await late.json('/session')).toEqual({})
})

test.each([{ session: { strategy: 'storage' } }, { session: revocable }] as const)(
  'a sign-in whose user gets a factor while its session is stored begins none, $session.strategy',
  async ({ session }) => {
    for (const isAdded of [false, true]) {
      const { storage, arm } = hook('createSession', 'after')
      const { auth, browse } = serveSecond({ providers: [present], storage, session })
      const [owner, late] = [browse(), browse()]
      await signIn(owner)
      const { id } = await getUser(owner)
      const times = { changedAt: 1, createdAt: 1, lastUsedAt: null }
      const factor = { type: 'numbers', id: 'added', name: null, data: '{}', ...times }
      if (isAdded) arm(async () => storage.createFactor?.(id, factor))
      const reply = await signIn(late)
      expect(getRedirect(reply).error).toBe(isAdded ? 'SessionRequired' : null)
      expect('user' in (await late.json('/session'))).toBe(!isAdded)
      expect(await auth.sessions.list(id)).toHaveLength(isAdded ? 1 : 2)
    }
  },
)

test('the event of a removal is delivered without another call', async () => {
  const { auth, browse, delivered, flush } = serveOutbox({
    providers: [present],
    use: [confirmation(), secondFactor({ methods: [numbers] })],
  })
  const browser = browse()
  await signIn(browser)
  await enrol(browser)
  await flush()
  const { id } = await getUser(browser)
  const [factor] = await auth.factors.list(id)
  if (!factor) throw new Error('expected a factor')
  await auth.factors.remove(id, factor)
  await expect.poll(() => delivered.map(({ type }) => type)).toContain('removeFactor')
})

test('the event enrolFactor reports an enrolment at a sign-in, once, after the user and the session', async () => {
  const events: unknown[] = []
  const order: string[] = []
  const { browse, storage } = serveSecond(
    {
      providers: [present],
      events: {
        createUser: () => void order.push('createUser'),
        signIn: () => void order.push('signIn'),
        enrolFactor: (event) => {
          order.push('enrolFactor')
          events.push(event)
        },
      },
    },
    { require: true, methods: [numbers] },
  )
  const browser = browse()
  await signIn(browser)
  await prove(browser, `${await readSecret(browser)}-1`)
  const { id: userId } = await getUser(browser)
  const [{ type, id } = { type: '', id: '' }] = (await storage.listFactors?.(userId)) ?? []
  expect(events).toEqual([{ userId, factor: { type, id, name: null } }])
  expect(order).toEqual(['createUser', 'signIn', 'enrolFactor'])
})

test('of two removals of a factor the later one is "unknown"', async () => {
  const { auth, owner } = await serveOwner()
  const { id } = await getUser(owner)
  const [factor] = (await auth.factors.list(id)).filter(({ type }) => type === 'numbers')
  if (!factor) throw new Error('expected a factor')
  const removed = [auth.factors.remove(id, factor), auth.factors.remove(id, factor)]
  expect(await Promise.all(removed)).toEqual(['removed', 'unknown'])
})

describe('an enrolment in a session', () => {
  test('is refused in another session of its user and browser', async () => {
    const { browse } = serveSecond({ providers: [present] })
    const browser = browse()
    for (const isOther of [true, false]) {
      await signIn(browser)
      const secret = await beginEnrolment(browser)
      const step = [...browser.cookies].filter(([name]) => name.includes('second'))
      expect(step).not.toEqual([])
      if (isOther) {
        await browser.submit('/signout')
        await signIn(browser)
        for (const [name, value] of step) browser.cookies.set(name, value)
      }
      const reply = await prove(browser, `${secret}-1`, { json: 'true' })
      expect(await getError(reply)).toBe(isOther ? 'SessionRequired' : undefined)
    }
  })

  test('is refused without a session', async () => {
    const { browse, storage } = serveSecond({ providers: [present] })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    const secret = await beginEnrolment(browser)
    for (const name of browser.cookies.keys()) {
      if (name.includes('session')) browser.cookies.delete(name)
    }
    const reply = await prove(browser, `${secret}-1`, { json: 'true' })
    expect(await getError(reply)).toBe('SessionRequired')
    expect(await storage.listFactors?.(id)).toEqual([])
  })

  test('is refused if the user is deleted while the factor is stored', async () => {
    for (const isDeleted of [false, true]) {
      const { storage, arm } = hook('createFactor', 'before')
      const { browse } = serveSecond({ providers: [present], storage, session: revocable })
      const browser = browse()
      await signIn(browser)
      const secret = await beginEnrolment(browser)
      const { id } = await getUser(browser)
      if (isDeleted) arm(() => storage.deleteUser(id))
      const reply = await prove(browser, `${secret}-1`, { json: 'true' })
      expect(await getError(reply)).toBe(isDeleted ? 'SessionRequired' : undefined)
    }
  })

  test('ends if its method is not configured any more', async () => {
    const { storage, browse } = serveSecond({ providers: [present] })
    const browser = browse()
    await signIn(browser)
    await beginEnrolment(browser)
    const letters: EnrolledMethod = { ...numbers, id: 'letters' }
    const next = serveSecond({ providers: [present], storage }, { methods: [letters, spare] })
    const other = next.browse()
    for (const [name, value] of browser.cookies) other.cookies.set(name, value)
    expect((await browser.visit('/signin?second=true')).status).toBe(200)
    expect((await other.visit('/signin?second=true')).status).toBe(403)
  })
})

test('an enrolment at a sign-in stores nothing if `callbacks.signIn` leads elsewhere', async () => {
  const elsewhere = `${origin}/closed`
  let isClosed = false
  const { browse, storage } = serveSecond(
    { providers: [present], callbacks: { signIn: () => (isClosed ? elsewhere : true) } },
    { require: true },
  )
  const [closed, open] = [browse(), browse()]
  for (const browser of [closed, open]) {
    isClosed = false
    await signIn(browser, browser === closed ? 'alice' : 'bob')
    const secret = await readSecret(browser)
    isClosed = browser === closed
    const reply = await prove(browser, `${secret}-1`, { json: 'true' })
    const { url } = await reply.json()
    expect(url === elsewhere).toBe(isClosed)
  }
  expect(await closed.json('/session')).toEqual({})
  const { id } = await getUser(open)
  expect(await storage.listFactors?.(id)).toHaveLength(2)
  expect((await storage.listUsers?.(10))?.map(({ id: each }) => each)).toEqual([id])
})

test('an enrolment at a sign-in begins no session for a user who is deleted meanwhile', async () => {
  for (const isDeleted of [false, true]) {
    const { storage, arm } = hook('createFactor', 'before')
    const config = { providers: [present], storage, session: revocable }
    const owner = serveSecond(config).browse()
    await signIn(owner)
    const { id } = await getUser(owner)
    const { browse } = serveSecond(config, { require: true })
    const browser = browse()
    await signIn(browser)
    const secret = await readSecret(browser)
    if (isDeleted) arm(() => storage.deleteUser(id))
    await prove(browser, `${secret}-1`)
    expect('user' in (await browser.json('/session'))).toBe(!isDeleted)
    expect(await storage.listFactors?.(id)).toHaveLength(isDeleted ? 0 : 2)
  }
})

test('the outbox has the events of second factors, also of an enrolment at a sign-in (I-53.6)', async () => {
  const outboxService = (require: boolean): ReturnType<typeof serveOutbox> =>
    serveOutbox({
      providers: [present],
      use: [confirmation(), secondFactor({ methods: [numbers, spare], require })],
    })
  for (const isRequired of [false, true]) {
    const { auth, browse, flush } = outboxService(isRequired)
    const browser = browse()
    await signIn(browser)
    if (isRequired) await prove(browser, `${await readSecret(browser)}-1`)
    else await enrol(browser)
    const { id } = await getUser(browser)
    const [factor] = (await auth.factors.list(id)).filter(({ type }) => type === 'numbers')
    if (!factor) throw new Error('expected a factor')
    expect(await auth.factors.remove(id, factor, { evenIfRequired: true })).toBe('removed')
    const events = await flush()
    const types = events.map((event) => event.type)
    expect(types).toEqual(expect.arrayContaining(['createUser', 'linkAccount', 'signIn']))
    // A new user has no other sessions to end.
    if (isRequired) expect(types).not.toContain('revokeSession')
    const ofFactors = events.filter((event) => event.type.endsWith('Factor'))
    const { type, id: factorId, name } = factor
    const facts = { userId: id, factor: { type, id: factorId, name } }
    expect(ofFactors).toMatchObject([
      { type: 'enrolFactor', data: facts },
      { type: 'removeFactor', data: facts },
    ])
  }
})

/** A capability that hears of changes, and sees what it may stop. */
function createRules(stop: () => boolean = () => false): {
  readonly rules: Capability
  readonly told: string[]
  readonly seen: string[]
} {
  const [told, seen]: [string[], string[]] = [[], []]
  const rules: Capability = {
    id: 'rules',
    changed: async ({ kind }) => void told.push(kind),
    admission: {
      async ask(_, { signIn: { authentication } }) {
        seen.push(authentication.methods.join())
        return stop() ? redirect(`${origin}/suspended`) : undefined
      },
      stops: async () => stop(),
    },
  }
  return { rules, told, seen }
}

test('who may stop a sign-in sees the authentication that its session gets (I-63.4)', async () => {
  const { rules, seen } = createRules()
  const { browse, kept } = await serveOwner({ use: [rules] })
  seen.length = 0
  const browser = browse()
  await signIn(browser)
  expect(seen).toEqual([])
  await prove(browser, `${kept.secret}-2`)
  expect(await browser.json('/session')).toHaveProperty('user')
  expect(seen).toEqual(['fed,otp,mfa'])
})

test('an enrolment whose second attempt is stopped tells of no factor, and shows no codes', async () => {
  for (const isStopped of [false, true]) {
    let [isNeeded, isClosed] = [false, false]
    const { rules, told } = createRules(() => isClosed)
    const { storage: inner, arm } = hook('linkAccount', 'before')
    const providers = [
      { ...present, id: 'first' },
      { ...present, linkByVerifiedEmail: true },
    ]
    const { browse, storage } = serveSecond(
      { providers, use: [rules], storage: inner },
      { require: () => isNeeded },
    )
    await signInWith(browse(), 'first')
    isNeeded = true
    const browser = browse()
    await signIn(browser)
    const secret = await readSecret(browser)
    const user = await storage.getUserByAccount('first', 'alice')
    const id = user?.id ?? ''
    told.length = 0
    // The user links the account in another tab, and the application stops the user.
    arm(async () => {
      const account = { provider: 'passport', type: 'oauth', providerAccountId: 'alice' }
      await storage.linkAccount(id, account)
      isClosed = isStopped
    })
    const html = await (await prove(browser, `${secret}-1`)).text()
    const factors = (await storage.listFactors?.(id)) ?? []
    expect(factors.map(({ type }) => type)).toEqual(isStopped ? [] : ['numbers', 'spare'])
    expect([told, html.includes('<code>')]).toEqual([isStopped ? [] : ['factorAdded'], !isStopped])
  }
})

describe('the first second factor, while the storage fails', () => {
  /** A storage that fails. */
  function createFailing(): {
    readonly storage: Storage
    /** Lets one call fail, or all from then on. */
    readonly failAt: (call: number, isLasting?: boolean) => void
    /** Returns the name of the call that has failed. */
    readonly stop: () => string | undefined
  } {
    let [left, lasts] = [Infinity, false]
    let failed: string | undefined
    const storage = wrapMethods(memoryStorage(), (method, name) => async (...args) => {
      const isFailing = lasts ? left <= 0 : left === 0
      left--
      if (!isFailing) return method(...args)
      failed ??= name
      throw new Error('out')
    })
    const failAt = (call: number, isLasting = false): void => {
      ;[left, lasts] = [call, isLasting]
    }
    const stop = (): string | undefined => {
      left = Infinity
      return failed
    }
    return { storage, failAt, stop }
  }

  test.each([
    ['once', false],
    ['from then on', true],
  ])('is told if it stays after a sign-in, and only then: %s', async (_, isLasting) => {
    for (let call = 0, isOver = false; !isOver; call++) {
      const { storage, failAt, stop } = createFailing()
      const { rules, told } = createRules()
      let isNeeded = false
      const { browse } = serveSecond(
        { providers: [present], use: [rules], storage },
        { require: () => isNeeded },
      )
      await signIn(browse())
      isNeeded = true
      const browser = browse()
      await signIn(browser)
      const secret = await readSecret(browser)
      told.length = 0
      failAt(call, isLasting)
      await prove(browser, `${secret}-1`)
      const failed = stop()
      isOver = failed === undefined
      const user = await storage.getUserByAccount('passport', 'alice')
      const factors = (await storage.listFactors?.(user?.id ?? '')) ?? []
      const isStored = factors.some(({ type }) => type === 'numbers')
      // It is told of one that is not stored only if it could not be removed either.
      const mayBe = isLasting && !isStored ? told : []
      expect([call, failed, told]).toEqual([call, failed, isStored ? ['factorAdded'] : mayBe])
      // Only recovery codes come later.
      if (isStored) expect([call, factors.length]).toEqual([call, isOver ? 2 : 1])
    }
  })

  test('is told in a session if it stays, and the other sessions have ended by then', async () => {
    for (let call = 0, isOver = false; !isOver; call++) {
      const { storage, failAt, stop } = createFailing()
      const { rules, told } = createRules()
      const { browse } = serveSecond({ providers: [present], use: [rules], storage })
      const [owner, other] = [browse(), browse()]
      await signIn(owner)
      await signIn(other)
      const { id } = await getUser(owner)
      const secret = await beginEnrolment(owner)
      told.length = 0
      failAt(call)
      await prove(owner, `${secret}-1`)
      const failed = stop()
      isOver = failed === undefined
      const isStored = (await storage.listFactors?.(id))?.length !== 0
      const isAlive = 'user' in (await other.json('/session'))
      expect([call, failed, told]).toEqual([call, failed, isStored ? ['factorAdded'] : []])
      if (isStored) expect([call, failed, isAlive]).toEqual([call, failed, false])
      if (isOver) expect(isStored).toBe(true)
    }
  })
})
