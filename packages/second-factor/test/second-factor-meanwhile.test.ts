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
import { getRedirect, getUser, origin, signIn } from '../../core/test/support/service.ts'

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

test('the event enrolFactor reports an enrolment at a sign-in, once', async () => {
  const events: unknown[] = []
  const { browse, storage } = serveSecond(
    { providers: [present], events: { enrolFactor: (event) => events.push(event) } },
    { require: true, methods: [numbers] },
  )
  const browser = browse()
  await signIn(browser)
  await prove(browser, `${await readSecret(browser)}-1`)
  const { id: userId } = await getUser(browser)
  const [{ type, id } = { type: '', id: '' }] = (await storage.listFactors?.(userId)) ?? []
  expect(events).toEqual([{ userId, factor: { type, id, name: null } }])
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
