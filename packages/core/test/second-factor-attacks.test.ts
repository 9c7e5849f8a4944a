import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, test } from 'vitest'
import type { AuthConfig, Limiter, Storage } from '@latchkey/core'
import type { EnrolledMethod } from '@latchkey/second-factor'
import { createBackchannelLogout } from '@latchkey/core/backchannel-logout'
import { memoryStorage } from '@latchkey/core/memory'
import { oidc } from '@latchkey/core/providers/oidc'
import { Browser } from '@latchkey/testing/browser'
import { securityEmails } from '@latchkey/account'
import { createKeys } from '../src/crypto/seal.ts'
import { breakableStorage } from './support/breakable.ts'
import { hook } from './support/hook.ts'
import { createRecordingLimiter } from './support/limits.ts'
import { slowStorage } from './support/slow-storage.ts'
import { Mailbox } from './support/mailbox.ts'
import {
  enrol,
  numbers,
  present,
  prove,
  readCodes,
  readSecret,
  serveOwner,
  serveSecond,
  spare,
} from '../../second-factor/test/support/second-factor.ts'
import {
  base,
  beginSignIn,
  createPageRequest,
  getRedirect,
  getUser,
  origin,
  passport,
  random,
  secret as serviceSecret,
  setsCsrfToken,
  signIn,
  signInWith,
  toCallbackUrl,
} from './support/service.ts'

const secondPage = `${base}/signin?second=true`
const stepCookie = '__Host-latchkey.second'
const rememberedCookie = '__Host-latchkey.remembered'
const unlimited = { take: async () => 0 }

const strategies: readonly (readonly [string, Partial<AuthConfig>])[] = [
  ['in the storage', {}],
  ['in their cookies, revocable', { session: { strategy: 'cookie', revocable: true } }],
]

/** Copies the cookies of a browser. */
function copy(from: Browser, to: Browser): Browser {
  for (const [name, value] of from.cookies) to.cookies.set(name, value)
  return to
}

const getError = async (response: Response): Promise<unknown> => (await response.json()).error

describe('limits (I-52.8)', () => {
  test('of 200 simultaneous codes in one step five are compared', async () => {
    let compared = 0
    const counting: EnrolledMethod = {
      ...numbers,
      verify(...given) {
        compared++
        return numbers.verify(...given)
      },
    }
    const { browse, kept } = await serveOwner({}, { methods: [counting, spare] })
    const [browser, other] = [browse(), browse()]
    await signIn(browser)
    await signIn(other)
    const csrfToken = await browser.csrfToken()
    const codes = Array.from({ length: 200 }, (_, i) => `wrong-${i}`)
    const replies = await Promise.all(
      codes.map((code) => browser.post('/signin/numbers', { csrfToken, code })),
    )
    expect(compared).toBe(5)
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(5)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(195)
    expect((await prove(other, `${kept.secret}-2`)).status).toBe(302)
  })

  test('new users who enrol have no common count', async () => {
    const { browse, wait } = serveSecond({ providers: [present] }, { require: true })
    for (let i = 0; i < 120; i++) {
      const stranger = browse()
      await signIn(stranger, `stranger${i}`)
      expect((await prove(stranger, 'wrong-1')).status).toBe(401)
      if (i % 20 === 0) wait(300)
    }
    const browser = browse()
    await signIn(browser, 'bob')
    expect((await prove(browser, `${await readSecret(browser)}-1`)).status).toBe(200)
    expect(await getUser(browser)).toMatchObject({ name: 'Person bob' })
  })

  test('an enrolment has five attempts', async () => {
    const { browse } = serveSecond({ providers: [present] }, { require: true })
    const browser = browse()
    await signIn(browser)
    const secret = await readSecret(browser)
    for (let i = 0; i < 5; i++) expect((await prove(browser, 'wrong-1')).status).toBe(401)
    expect((await prove(browser, `${secret}-1`)).status).toBe(429)
    await signIn(browser)
    expect((await prove(browser, `${await readSecret(browser)}-1`)).status).toBe(200)
  })

  test('the browser in which a new user enrolled at the sign-in has its own counts', async () => {
    const { browse } = serveSecond({ providers: [present] }, { require: true })
    const browser = browse()
    await signIn(browser)
    const secret = await readSecret(browser)
    await prove(browser, `${secret}-1`)
    await browser.submit('/signout')
    for (let i = 0; i < 2; i++) {
      const thief = browse()
      await signIn(thief)
      for (let j = 0; j < 5; j++) await prove(thief, `wrong-${j}`)
    }
    await signIn(browser)
    expect((await prove(browser, `${secret}-2`)).status).toBe(302)
  })

  test('are not reset by who knows only the password, nor by the owner in a known browser', async () => {
    const { browse, owner, kept } = await serveOwner()
    const thief = browse()
    for (let i = 0; i < 2; i++) {
      await signIn(thief)
      for (let j = 0; j < 5; j++) expect((await prove(thief, `wrong-${j}`)).status).toBe(401)
    }
    await owner.submit('/signout')
    await signIn(owner)
    expect((await prove(owner, `${kept.secret}-2`)).status).toBe(302)
    // Neither a new step, nor a sign-in as another user, nor new cookies.
    for (const browser of [thief, browse()]) {
      await signIn(browser, 'bob')
      await browser.submit('/signout')
      await signIn(browser)
      expect((await prove(browser, `${kept.secret}-3`)).status).toBe(429)
    }
  })
})

describe('a code works once', () => {
  test('in two processes that share a storage', async () => {
    const first = await serveOwner()
    const second = serveSecond({ storage: first.storage, providers: [present] })
    const browsers = [first.browse(), second.browse(), first.browse(), second.browse()]
    for (const browser of browsers) await signIn(browser)
    const code = `${first.kept.secret}-2`
    const replies = await Promise.all(browsers.map((browser) => prove(browser, code)))
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      302, 401, 401, 401,
    ])
  })

  test('a recovery code that 200 browsers post', async () => {
    const { browse, kept } = await serveOwner({ limiter: unlimited })
    const browsers = Array.from({ length: 200 }, () => browse())
    for (const browser of browsers) await signIn(browser)
    for (const [code = '', uses] of [
      [kept.codes[0], 1],
      [kept.codes[1], 1],
      [kept.codes[0], 0],
    ] as const) {
      const replies = await Promise.all(
        browsers.map((browser) => browser.submit('/signin/spare', { code })),
      )
      const winners = replies.filter(({ headers }) => headers.get('location') === origin)
      expect(winners).toHaveLength(uses)
    }
    const sessions = await Promise.all(browsers.map((browser) => browser.json('/session')))
    expect(sessions.filter((session) => 'user' in session)).toHaveLength(2)
  })

  test('one step, posted by 50 copies with different codes', async () => {
    const { browse, kept } = await serveOwner({ limiter: unlimited })
    const browser = browse()
    await signIn(browser)
    const copies = Array.from({ length: 50 }, () => copy(browser, browse()))
    await Promise.all(copies.map((each, i) => prove(each, `${kept.secret}-${i + 2}`)))
    const sessions = await Promise.all(copies.map((each) => each.json('/session')))
    expect(sessions.filter((session) => 'user' in session)).toHaveLength(1)
  })
})

test('of 20 copies of a sign-in that enrols a second factor one does', async () => {
  const { storage, browse: browseBefore } = serveSecond({ providers: [present] })
  const before = browseBefore()
  await signIn(before)
  const { id } = await getUser(before)
  const { browse } = serveSecond(
    { providers: [present], storage, limiter: unlimited },
    { require: true },
  )
  const browser = browse()
  await signIn(browser)
  const secret = await readSecret(browser)
  const copies = Array.from({ length: 20 }, () => copy(browser, browse()))
  await Promise.all(copies.map((each) => prove(each, `${secret}-1`)))
  const sessions = await Promise.all(copies.map((each) => each.json('/session')))
  expect(sessions.filter((session) => 'user' in session)).toHaveLength(1)
  const factors = (await storage.listFactors?.(id)) ?? []
  expect(factors.map(({ type }) => type)).toEqual(['numbers', 'spare'])
})

describe('revokeAll', () => {
  test('ends unfinished sign-ins and remembered browsers, also while a code is used (I-52.4)', async () => {
    const memory = memoryStorage()
    let uses = 0
    const storage: Storage = {
      ...memory,
      async updateFactor(type, id, version, changes, events) {
        // A code is used at the same moment.
        if (changes.changedAt !== undefined && uses-- > 0) {
          await memory.updateFactor?.(type, id, version, { lastUsedAt: 1 })
        }
        return (await memory.updateFactor?.(type, id, version, changes, events)) ?? false
      },
    }
    for (const concurrent of [0, 3]) {
      const { auth, browse, owner, kept } = await serveOwner({ storage }, { rememberFor: 3600 })
      const browser = browse()
      await signIn(browser)
      await prove(browser, `${kept.secret}-2`, { remember: 'true' })
      expect((await signIn(browser)).headers.get('location')).toBe(origin)
      const unfinished = browse()
      await signIn(unfinished)
      uses = concurrent
      const { id } = await getUser(owner)
      await auth.sessions.revokeAll(id)
      const refused = await prove(unfinished, `${kept.secret}-3`, { json: 'true' })
      expect(await getError(refused)).toBe('SessionRequired')
      expect((await signIn(browser)).headers.get('location')).toBe(secondPage)
      for (const factor of await auth.factors.list(id)) await auth.factors.remove(id, factor)
    }
  })

  test('ends a sign-in whose code is used at the same moment (I-52.4)', async () => {
    const memory = memoryStorage()
    let meanwhile = async (): Promise<void> => undefined
    const storage: Storage = {
      ...memory,
      async updateFactor(type, id, version, changes, events) {
        if (changes.changedAt === undefined) await meanwhile()
        return (await memory.updateFactor?.(type, id, version, changes, events)) ?? false
      },
    }
    const { auth, browse, owner, kept } = await serveOwner({ storage })
    const { id } = await getUser(owner)
    for (const [number, isRevoked] of [false, true].entries()) {
      const browser = browse()
      await signIn(browser)
      if (isRevoked) meanwhile = () => auth.sessions.revokeAll(id)
      const reply = await prove(browser, `${kept.secret}-${number + 2}`, { json: 'true' })
      expect(await getError(reply)).toBe(isRevoked ? 'CredentialsSignin' : undefined)
      expect('user' in (await browser.json('/session'))).toBe(!isRevoked)
    }
  })

  test('ends a sign-in that enrols the first factor of its user (I-52.4)', async () => {
    const { storage, browse } = serveSecond({ providers: [present] })
    const stored = browse()
    await signIn(stored)
    const { id } = await getUser(stored)
    for (const isRevoked of [true, false]) {
      const service = serveSecond({ storage, providers: [present] }, { require: true })
      const browser = service.browse()
      service.wait(isRevoked ? 0 : 5)
      await signIn(browser)
      const secret = await readSecret(browser)
      if (isRevoked) await service.auth.sessions.revokeAll(id)
      const reply = await prove(browser, `${secret}-1`, { json: 'true' })
      expect(await getError(reply)).toBe(isRevoked ? 'SessionRequired' : undefined)
      expect(await storage.listFactors?.(id)).toHaveLength(isRevoked ? 0 : 2)
    }
  })
})

describe('a remembered browser (I-52.9)', () => {
  const signInRemembered = async (browser: Browser, code: string): Promise<void> => {
    await signIn(browser)
    await prove(browser, code, { remember: 'true' })
    await browser.submit('/signout')
  }

  test.each([
    [3600, 0, origin],
    [60, 30, origin],
    [60, 70, secondPage],
    [0, 0, secondPage],
  ])('with rememberFor now %s, after %s seconds', async (rememberFor, seconds, location) => {
    const first = await serveOwner({}, { rememberFor: 3600 })
    const browser = first.browse()
    await signInRemembered(browser, `${first.kept.secret}-2`)
    const { storage } = first
    const now = serveSecond({ storage, providers: [present] }, { rememberFor })
    now.wait(seconds)
    const later = copy(browser, now.browse())
    expect((await signIn(later)).headers.get('location')).toBe(location)
  })

  test('of another user spares nothing, nor after a factor has changed', async () => {
    const { auth, browse, owner, kept } = await serveOwner({}, { rememberFor: 3600 })
    const bob = browse()
    await signIn(bob, 'bob')
    await enrol(bob)
    const browser = browse()
    await signInRemembered(browser, `${kept.secret}-2`)
    const thief = browse()
    thief.cookies.set(rememberedCookie, browser.cookies.get(rememberedCookie) ?? '')
    expect((await signIn(thief, 'bob')).headers.get('location')).toBe(secondPage)
    expect((await signIn(thief)).headers.get('location')).toBe(origin)
    await thief.submit('/signout')
    const { id } = await getUser(owner)
    await auth.factors.remove(id, { type: 'spare', id })
    expect((await signIn(thief)).headers.get('location')).toBe(secondPage)
  })
})

describe('a factor whose method is no longer configured', () => {
  const letters: EnrolledMethod = { ...numbers, id: 'letters' }

  test('is not skipped: 503, and a log line says what to do (I-49.5)', async () => {
    const { storage, owner, kept } = await serveOwner()
    const { id } = await getUser(owner)
    const { auth, browse, lines } = serveSecond(
      { storage, providers: [present] },
      { methods: [letters] },
    )
    const [browser, bob] = [browse(), browse()]
    await signIn(bob, 'bob')
    expect(await getUser(bob)).toMatchObject({ name: 'Person bob' })
    expect((await signIn(browser)).status).toBe(503)
    expect(await browser.json('/session')).toEqual({})
    expect(lines.at(-1)?.message).toContain('no method for a factor of the type numbers')
    const withCodes = serveSecond(
      { storage, providers: [present] },
      { methods: [letters, spare] },
    ).browse()
    expect((await signIn(withCodes)).headers.get('location')).toBe(secondPage)
    expect((await withCodes.submit('/signin/letters', { code: `${kept.secret}-2` })).status).toBe(
      401,
    )
    const [code = ''] = kept.codes
    expect((await withCodes.submit('/signin/spare', { code })).status).toBe(302)
    for (const factor of await auth.factors.list(id)) await auth.factors.remove(id, factor)
    expect((await signIn(browser)).headers.get('location')).toBe(origin)
  })

  test.each(['passkey', 'password', 'recovery'])(
    '%s does not count as a second factor',
    async (type) => {
      const { storage, browse } = serveSecond({ providers: [present] })
      const browser = browse()
      await signIn(browser)
      const { id } = await getUser(browser)
      const times = { changedAt: 1, createdAt: 1, lastUsedAt: null }
      await storage.createFactor?.(id, { type, id, name: null, data: '{}', ...times })
      await browser.submit('/signout')
      expect((await signIn(browser)).headers.get('location')).toBe(origin)
    },
  )
})

describe.each(strategies)('while the first factor is enrolled, sessions %s', (_, session) => {
  test('a sign-in that was asked for none begins no session beside it (I-52.11)', async () => {
    let wait: Promise<unknown> | undefined
    const callbacks = {
      signIn: async () => {
        await wait
        return true
      },
    }
    const { storage } = slowStorage('deleteSession')
    const { auth, browse } = serveSecond({ providers: [present], callbacks, ...session, storage })
    for (const name of ['alice', 'bob']) {
      wait = undefined
      const [owner, thief] = [browse(), browse()]
      await signIn(owner, name)
      wait = name === 'alice' ? enrol(owner) : Promise.resolve()
      const reply = await signIn(thief, name)
      const isRefused = name === 'alice'
      expect(getRedirect(reply).error).toBe(isRefused ? 'SessionRequired' : null)
      expect('user' in (await thief.json('/session'))).toBe(!isRefused)
      const { id } = await getUser(owner)
      expect(await auth.sessions.list(id)).toHaveLength(isRefused ? 1 : 2)
    }
  })
})

describe.each(strategies)('an enrolment at a sign-in, sessions %s', (_, session) => {
  test('ends what has begun while it was stored (I-52.11)', async () => {
    for (const name of ['bob', 'alice']) {
      const { storage, arm } = hook('createFactor', 'before')
      const over = { providers: [present], ...session, storage }
      const { browse } = serveSecond(over)
      const requiring = serveSecond(over, { require: true })
      const [old, thief] = [browse(), browse()]
      await signIn(old, 'alice')
      const owner = requiring.browse()
      await signIn(owner, 'alice')
      arm(() => signIn(thief, name))
      expect((await prove(owner, `${await readSecret(owner)}-1`)).status).toBe(200)
      expect(await old.json('/session')).toEqual({})
      expect('user' in (await thief.json('/session'))).toBe(name === 'bob')
      expect(await owner.json('/session')).toHaveProperty('user')
    }
  })
})

describe('an enrolment', () => {
  const begin = async (browser: Browser): Promise<string> => {
    await signIn(browser)
    await browser.submit('/signin/numbers', { link: 'true' })
    return readSecret(browser)
  }

  test('does not continue after its session was revoked', async () => {
    const { auth, storage, browse } = serveSecond({ providers: [present] })
    const [browser, other] = [browse(), browse()]
    const secret = await begin(browser)
    const { id } = await getUser(browser)
    const { session: _, ...held } = await auth.getSession(createPageRequest(browser))
    await auth.sessions.revoke(id, held.id ?? '')
    expect((await prove(browser, `${secret}-1`, { json: 'true' })).status).toBe(403)
    expect(await storage.listFactors?.(id)).toEqual([])
    expect(readCodes(await (await prove(other, `${await begin(other)}-1`)).text())).toHaveLength(2)
  })

  test.each([
    ['before its factor is stored', 'listFactors', 0],
    ['while its factor is stored', 'createFactor', 1],
  ] as const)('does not continue if its session is revoked %s', async (_, name, expected) => {
    const memory = memoryStorage()
    let stored = 0
    let revoke: (() => Promise<unknown>) | undefined
    const interrupt = async (called: typeof name): Promise<void> => {
      const act = called === name ? revoke : undefined
      if (act) revoke = undefined
      await act?.()
    }
    const storage: typeof memory = {
      ...memory,
      async listFactors(...given) {
        await interrupt('listFactors')
        return (await memory.listFactors?.(...given)) ?? []
      },
      async createFactor(...given) {
        stored++
        const isStored = await memory.createFactor?.(...given)
        await interrupt('createFactor')
        return isStored ?? false
      },
      async deleteFactor(...given) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return (await memory.deleteFactor?.(...given)) ?? 'absent'
      },
    }
    const { auth, browse } = serveSecond({ providers: [present], storage })
    const browser = browse()
    const secret = await begin(browser)
    const { id } = await getUser(browser)
    const { session: _session, ...held } = await auth.getSession(createPageRequest(browser))
    revoke = () => auth.sessions.revoke(id, held.id ?? '')
    const refused = await prove(browser, `${secret}-1`, { json: 'true' })
    expect([refused.status, await getError(refused)]).toEqual([403, 'SessionRequired'])
    expect(stored).toBe(expected)
    expect(await memory.listFactors?.(id)).toEqual([])
    const other = browse()
    expect((await prove(other, `${await begin(other)}-1`)).status).toBe(200)
  })

  test('does not continue after another factor was added', async () => {
    const { storage, browse } = serveSecond({ providers: [present] })
    const browser = browse()
    const secret = await begin(browser)
    const thief = copy(browser, browse())
    await thief.submit('/signin/numbers', { link: 'true' })
    const other = await readSecret(thief)
    expect((await prove(browser, `${secret}-1`)).status).toBe(200)
    expect((await prove(thief, `${other}-1`, { json: 'true' })).status).toBe(403)
    const { id } = await getUser(browser)
    expect(await storage.listFactors?.(id)).toHaveLength(2)
  })

  test('does not continue if its session is revoked while the code is counted', async () => {
    let revoke: (() => Promise<unknown>) | undefined
    const limiter = {
      take: async () => {
        await revoke?.()
        return 0
      },
    }
    const { auth, storage, browse } = serveSecond({ providers: [present], limiter })
    for (const [name, status] of [
      ['alice', 403],
      ['bob', 200],
    ] as const) {
      const browser = browse()
      await signIn(browser, name)
      const { id } = await getUser(browser)
      await browser.submit('/signin/numbers', { link: 'true' })
      const secret = await readSecret(browser)
      const { id: sessionId } = await auth.getSession(createPageRequest(browser))
      const csrfToken = await browser.csrfToken()
      const isRevoked = status === 403
      revoke = isRevoked ? () => auth.sessions.revoke(id, sessionId ?? '') : undefined
      const fields = { csrfToken, code: `${secret}-1`, json: 'true' }
      expect((await browser.post('/signin/numbers', fields)).status).toBe(status)
      expect(await storage.listFactors?.(id)).toHaveLength(isRevoked ? 0 : 2)
      revoke = undefined
    }
  })

  test('is completed by its own method only', async () => {
    const letters: EnrolledMethod = { ...numbers, id: 'letters' }
    const { browse } = serveSecond({ providers: [present] }, { methods: [numbers, letters] })
    const browser = browse()
    const code = `${await begin(browser)}-1`
    const refused = await browser.submit('/signin/letters', { code, json: 'true' })
    expect([refused.status, await getError(refused)]).toEqual([403, 'SessionRequired'])
    expect((await prove(browser, code, { json: 'true' })).status).toBe(200)
  })

  test('of recovery codes needs a second factor', async () => {
    const { browse } = serveSecond({ providers: [present] })
    const browser = browse()
    await signIn(browser)
    const codes = { link: 'true', json: 'true' }
    expect((await browser.submit('/signin/spare', codes)).status).toBe(409)
    await browser.submit('/signin/numbers', { link: 'true' })
    await prove(browser, `${await readSecret(browser)}-1`)
    await signIn(browser, 'alice', { confirm: 'true' })
    await browser.visit('/signin?second=true')
    expect((await browser.submit('/signin/spare', codes)).status).not.toBe(409)
  })

  test('of recovery codes that another request replaces meanwhile is 409, and shows no codes (I-53.3)', async () => {
    const memory = memoryStorage()
    let races = 0
    const storage: Storage = {
      ...memory,
      async updateFactor(type, id, version, changes, events) {
        if (type === 'spare' && races-- > 0) {
          await memory.updateFactor?.(type, id, version, { lastUsedAt: 1 })
        }
        return (await memory.updateFactor?.(type, id, version, changes, events)) ?? false
      },
    }
    const { owner, kept } = await serveOwner({ storage })
    await signIn(owner, 'alice', { confirm: 'true' })
    await prove(owner, `${kept.secret}-2`)
    races = 2
    const sentence = 'This was changed elsewhere. Try again.'
    const page = await owner.submit('/signin/spare', { link: 'true' })
    expect([page.status, await page.text()]).toEqual([409, expect.stringContaining(sentence)])
    const refused = await owner.submit('/signin/spare', { link: 'true', json: 'true' })
    expect(refused.status).toBe(409)
    const body = await refused.json()
    expect(body).toMatchObject({ error: 'Default', message: sentence })
    expect(body).not.toHaveProperty('codes')
    const replaced = await owner.submit('/signin/spare', { link: 'true', json: 'true' })
    expect([replaced.status, (await replaced.json()).codes]).toEqual([200, expect.any(Array)])
  })

  test('at a sign-in ends the sessions that began without it (I-52.11)', async () => {
    const { storage, browse } = serveSecond({ providers: [present] })
    const [old, stranger] = [browse(), browse()]
    await signIn(old)
    await signIn(stranger, 'bob')
    const requiring = serveSecond({ storage, providers: [present] }, { require: true })
    const browser = requiring.browse()
    await signIn(browser)
    expect(await old.json('/session')).toHaveProperty('user')
    expect((await prove(browser, `${await readSecret(browser)}-1`)).status).toBe(200)
    expect(await old.json('/session')).toEqual({})
    expect(await stranger.json('/session')).toHaveProperty('user')
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('does not continue if the account has got another user', async () => {
    for (const isMoved of [true, false]) {
      const { auth, storage, browse } = serveSecond({ providers: [present] })
      const stored = browse()
      await signIn(stored)
      const { id } = await getUser(stored)
      const requiring = serveSecond({ storage, providers: [present] }, { require: true })
      const browser = requiring.browse()
      await signIn(browser)
      const secret = await readSecret(browser)
      const account = { provider: 'passport', type: 'oauth', providerAccountId: 'alice' }
      const bob = { id: 'bob', name: 'Bob', email: null, emailVerified: false, image: null }
      if (isMoved) {
        await storage.linkAccount(id, { provider: 'x', type: 'oauth', providerAccountId: 'x' })
        await auth.accounts.unlink(id, account)
        await storage.createUser(bob, account)
      }
      const reply = await prove(browser, `${secret}-1`, { json: 'true' })
      expect(await getError(reply)).toBe(isMoved ? 'SessionRequired' : undefined)
      expect('user' in (await browser.json('/session'))).toBe(!isMoved)
      expect(await storage.listFactors?.('bob')).toEqual([])
    }
  })

  test('of a step in another session finds nothing: its secret is not shown either', async () => {
    const { browse } = serveSecond({ providers: [present] })
    const browser = browse()
    const secret = await begin(browser)
    const thief = browse()
    await signIn(thief, 'bob')
    thief.cookies.set(stepCookie, browser.cookies.get(stepCookie) ?? '')
    expect(await readSecret(browser)).toBe(secret)
    expect(await readSecret(thief)).toBe('')
    expect((await prove(thief, `${secret}-1`, { json: 'true' })).status).toBe(403)
  })
})

describe('a step is for one user and one purpose', () => {
  test('of two unfinished users in one browser, the latest one counts', async () => {
    const { browse, kept } = await serveOwner()
    const bob = browse()
    await signIn(bob, 'bob')
    const other = await enrol(bob)
    const browser = browse()
    await signIn(browser)
    await signIn(browser, 'bob')
    expect((await prove(browser, `${kept.secret}-2`)).status).toBe(401)
    expect(await browser.json('/session')).toEqual({})
    expect((await prove(browser, `${other.secret}-2`)).status).toBe(302)
    expect(await getUser(browser)).toMatchObject({ name: 'Person bob' })
    const next = browse()
    await signIn(next)
    expect((await prove(next, `${kept.secret}-2`)).status).toBe(302)
  })

  test('a confirmation signs in nowhere, and a sign-in confirms nothing', async () => {
    const { auth, browse, owner, kept } = await serveOwner()
    await signIn(owner, 'alice', { confirm: 'true' })
    const thief = copy(owner, browse())
    thief.cookies.delete('__Host-latchkey.session')
    const refused = await prove(thief, `${kept.secret}-2`, { json: 'true' })
    expect(await getError(refused)).not.toBe(undefined)
    expect(await thief.json('/session')).toEqual({})
    expect((await prove(owner, `${kept.secret}-3`)).status).toBe(302)
    const { authentication } = await auth.getSession(createPageRequest(owner))
    expect(authentication?.methods).toContain('mfa')
  })

  test('fields of the form change neither', async () => {
    const { browse, kept } = await serveOwner()
    const browser = browse()
    await signIn(browser)
    for (const fields of [{ confirm: 'true' }, { userId: 'bob' }, { provider: 'credentials' }]) {
      expect((await prove(browser, 'wrong-1', fields)).headers.has('set-cookie')).toBe(false)
      expect(await browser.json('/session')).toEqual({})
    }
    const linked = await prove(browser, `${kept.secret}-2`, { link: 'true', json: 'true' })
    expect(await getError(linked)).toBe('SessionRequired')
    expect((await prove(browser, `${kept.secret}-2`, { confirm: 'true' })).status).toBe(302)
    expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
  })
})

describe('a step in a cookie, without the capability steps (I-52.2)', () => {
  const filled = (length: number, idToken: number) =>
    passport({
      identify: (subject) => ({
        profile: { name: 'x'.repeat(length), email: null, emailVerified: false, image: null },
        tokens: { access_token: 'a', id_token: 'i'.repeat(idToken) },
        claims: { sub: subject },
      }),
    })

  test.each([
    [10, 10, null],
    [10, 9000, null],
    [9000, 10, 'Configuration'],
  ])('a name of %s characters, an ID Token of %s: %s', async (name, idToken, error) => {
    const { createStep: _, takeStep: __, ...memory } = memoryStorage()
    const { storage, kept } = await serveOwner({ storage: memory })
    const { browse } = serveSecond({ storage, providers: [filled(name, idToken)] })
    const browser = browse()
    const asked = await signIn(browser)
    expect(getRedirect(asked).error).toBe(error)
    const parts = [...browser.cookies].filter(([cookie]) => cookie.startsWith(stepCookie))
    const bytes = parts.reduce((sum, [cookie, value]) => sum + cookie.length + value.length, 0)
    expect(bytes).toBeLessThan(8001)
    expect(await browser.json('/session')).toEqual({})
    const reply = await prove(browser, `${kept.secret}-2`, { json: 'true' })
    expect(reply.status).toBe(error === null ? 200 : 403)
    expect('user' in (await browser.json('/session'))).toBe(error === null)
  })
})

test('a step beside a large session stays in the browser (I-14)', async () => {
  const { storage, owner } = await serveOwner()
  const user = await getUser(owner)
  const named = passport({
    id: 'named',
    identify: () => ({
      profile: { name: 'x'.repeat(4400), email: null, emailVerified: false, image: null },
    }),
  })
  await storage.linkAccount(user.id, {
    provider: 'named',
    type: 'oauth',
    providerAccountId: 'alice',
  })
  const { browse } = serveSecond({
    storage,
    providers: [present, named],
    session: { strategy: 'cookie', revocable: true },
    callbacks: { jwt: ({ token }) => ({ ...token, note: 'y'.repeat(4000) }) },
  })
  const browser = browse()
  await signIn(browser, 'bob')
  const asked = await signInWith(browser, 'named', 'alice')
  expect(asked.headers.get('location')).toBe(secondPage)
  const bytes = [...browser.cookies].reduce((sum, pair) => sum + pair.join('=').length, 0)
  expect([bytes > 12_000, bytes < 13_600]).toEqual([true, true])
  expect((await prove(browser, 'wrong-1')).status).toBe(401)
})

describe('if the storage cannot list factors (I-49.6)', () => {
  test.each(['a sign-in', 'a second step', 'a confirmation', 'a page', 'an enrolment'])(
    '%s is 503, and never counts as no factor',
    async (what) => {
      const memory = memoryStorage()
      let isDown = false
      const storage: Storage = {
        ...memory,
        async listFactors(userId) {
          if (isDown) throw new Error('down')
          return (await memory.listFactors?.(userId)) ?? []
        },
      }
      const { browse, owner, kept } = await serveOwner({ storage })
      const browser = browse()
      await signIn(browser)
      const attempts: Readonly<Record<string, () => Promise<Response>>> = {
        'a sign-in': () => signIn(browse()),
        'a second step': () => prove(browser, `${kept.secret}-2`),
        'a confirmation': () => signIn(owner, 'alice', { confirm: 'true' }),
        'a page': () => browser.visit('/signin?second=true'),
        'an enrolment': () => owner.submit('/signin/numbers', { link: 'true' }),
      }
      const attempt = attempts[what]
      if (!attempt) throw new Error(what)
      isDown = true
      const failed = await attempt()
      expect(failed.status).toBe(503)
      expect(await browser.json('/session')).toEqual({})
      isDown = false
      expect((await attempt()).status).not.toBe(503)
    },
  )
})

describe('no page or redirect helps an attacker', () => {
  const evil = 'https://evil.example/x'

  test('a return URL of another origin is not used', async () => {
    const { browse, kept } = await serveOwner()
    const browser = browse()
    await signIn(browser, 'alice', { callbackUrl: evil })
    const url = `/signin?second=true&callbackUrl=${encodeURIComponent(evil)}`
    expect(await (await browser.visit(url)).text()).not.toContain('evil.example')
    const proven = await prove(browser, `${kept.secret}-2`, { callbackUrl: evil })
    expect(proven.headers.get('location')).toBe(origin)
  })

  test('pages.secondFactor receives the methods of the user and the code of an error only', async () => {
    const pages = { secondFactor: '/second' }
    const { browse, kept } = await serveOwner({ pages })
    const browser = browse()
    await signIn(browser, 'alice', { callbackUrl: '/inbox' })
    const shown = await browser.visit('/signin?second=true')
    const url = `${origin}/second?methods=numbers+spare`
    expect(shown.headers.get('location')).toBe(url)
    const wrong = await prove(browser, 'wrong-1')
    expect(wrong.headers.get('location')).toBe(`${url}&error=CredentialsSignin`)
    const json = await prove(browser, 'wrong-1', { json: 'true' })
    expect([json.status, await getError(json)]).toEqual([401, 'CredentialsSignin'])
    const proven = await prove(browser, `${kept.secret}-2`)
    expect(proven.headers.get('location')).toBe(`${origin}/inbox`)
  })

  test('a code of a method that the user lacks is answered like a wrong one', async () => {
    const { storage, owner } = await serveOwner()
    const { id } = await getUser(owner)
    await storage.deleteFactor?.(id, 'spare', id)
    const { browse } = serveSecond({ storage, providers: [present] })
    const browser = browse()
    await signIn(browser)
    const replies = await Promise.all(
      ['numbers', 'spare'].map((method) =>
        browser.submit(`/signin/${method}`, { code: 'wrong-1', json: 'true' }),
      ),
    )
    const [first, second] = await Promise.all(replies.map((reply) => reply.text()))
    expect(replies.map(({ status }) => status)).toEqual([401, 401])
    expect(first).toBe(second)
  })

  test('HEAD begins and completes nothing', async () => {
    const { browse, kept } = await serveOwner()
    const browser = browse()
    await signIn(browser)
    const before = [...browser.cookies]
    for (const path of ['/signin?second=true', '/signin/numbers']) {
      const head = await browser.visit(path, { method: 'HEAD' })
      expect([await head.text(), head.headers.has('set-cookie')]).toEqual(['', false])
    }
    expect([...browser.cookies]).toEqual(before)
    expect((await prove(browser, `${kept.secret}-2`)).status).toBe(302)
  })
})

describe('a Logout Token between the two steps (I-48)', async () => {
  const issuer = 'https://issuer.example'
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }]
  const endpoints = { authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/t` }
  const discovery = { issuer, jwks_uri: `${issuer}/jwks`, ...endpoints }
  const { openid } = oidc({ id: 'op', name: 'Op', issuer, clientId: 'web', clientSecret: 'x' })
  if (!openid) throw new Error('expected an OpenID client')
  const op = passport({
    id: 'op',
    type: 'oidc',
    openid,
    identify: (sub) => ({ claims: { sub, sid: `sid of ${sub}` } }),
  })
  const runtime = {
    fetch: async (url: string) => Response.json(url.endsWith('/jwks') ? { keys } : discovery),
  }
  const sign = (claims: Readonly<Record<string, string>>): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    const times = { iat: now, exp: now + 60, jti: JSON.stringify(claims) }
    return new SignJWT({ iss: issuer, aud: 'web', ...times, events, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'logout+jwt' })
      .sign(privateKey)
  }

  test('does not end a sign-in that begins after it', async () => {
    const { storage, kept } = await serveOwner({ providers: [present, op] })
    const user = await storage.getUserByAccount('passport', 'alice')
    const account = { provider: 'op', type: 'oidc', providerAccountId: 'alice' } as const
    await storage.linkAccount(user?.id ?? '', account)
    const { auth, browse, wait } = serveSecond({ storage, providers: [op], runtime })
    const begin = async (): Promise<Browser> => {
      const browser = browse()
      const url = await beginSignIn(browser, {}, '/signin/op')
      await browser.visit(toCallbackUrl(url, 'alice'))
      return browser
    }
    const before = await begin()
    const body = new URLSearchParams({ logout_token: await sign({ sub: 'alice', jti: 'later' }) })
    const request = new Request('https://app.example/logout', { method: 'POST', body })
    expect((await createBackchannelLogout(auth, 'op')(request)).status).toBe(200)
    wait(1)
    const after = await begin()
    await prove(before, `${kept.secret}-2`)
    expect(await before.json('/session')).toEqual({})
    await prove(after, `${kept.secret}-3`)
    expect(await after.json('/session')).toHaveProperty('user')
  })

  test.each<[Readonly<Record<string, string>> | undefined, boolean]>([
    [undefined, true],
    [{ sub: 'bob' }, true],
    [{ sub: 'alice' }, false],
    [{ sid: 'sid of bob' }, true],
    [{ sid: 'sid of alice' }, false],
    [{ sub: 'alice', sid: 'sid of alice' }, false],
  ])('%j: the sign-in of alice continues: %s', async (claims, continues) => {
    const { storage, kept } = await serveOwner({ providers: [present, op] })
    const user = await storage.getUserByAccount('passport', 'alice')
    await storage.linkAccount(user?.id ?? '', {
      provider: 'op',
      type: 'oidc',
      providerAccountId: 'alice',
    })
    const { auth, browse } = serveSecond({ storage, providers: [op], runtime })
    const browser = browse()
    const url = await beginSignIn(browser, {}, '/signin/op')
    await browser.visit(toCallbackUrl(url, 'alice'))
    if (claims) {
      const body = new URLSearchParams({ logout_token: await sign(claims) })
      const logout = createBackchannelLogout(auth, 'op')
      const request = new Request('https://app.example/logout', { method: 'POST', body })
      expect((await logout(request)).status).toBe(200)
    }
    await prove(browser, `${kept.secret}-2`)
    expect('user' in (await browser.json('/session'))).toBe(continues)
  })
})

test('an enrolment of a further factor ends no session, and shows no codes again', async () => {
  const other = { ...numbers, id: 'letters' }
  const { browse, owner, kept } = await serveOwner({}, { methods: [numbers, other, spare] })
  const second = browse()
  await signIn(second)
  await prove(second, `${kept.secret}-2`)
  await signIn(owner, 'alice', { confirm: 'true' })
  await prove(owner, `${kept.secret}-3`)
  await owner.submit('/signin/letters', { link: 'true', callbackUrl: '/account' })
  const code = `${await readSecret(owner)}-1`
  const finished = await owner.submit('/signin/letters', { code })
  expect(finished.headers.get('location')).toBe(`${origin}/account`)
  expect(await second.json('/session')).toHaveProperty('user')
})

test('recovery codes that another request creates meanwhile are not shown (I-53.3)', async () => {
  for (const isCreated of [true, false]) {
    const { storage, arm } = hook('createFactor', 'before')
    const { kept } = await serveOwner({ storage }, { methods: [numbers] })
    // The service has recovery codes from now on.
    const later = serveSecond({ providers: [present], storage })
    const owner = later.browse()
    await signIn(owner)
    await prove(owner, `${kept.secret}-2`)
    const { id } = await getUser(owner)
    const times = { changedAt: 1, createdAt: 1, lastUsedAt: null }
    const codes = { type: 'spare', id, name: null, data: '[]', ...times }
    if (isCreated) arm(async () => storage.createFactor?.(id, codes))
    const reply = await owner.submit('/signin/spare', { link: 'true', json: 'true' })
    expect(reply.status).toBe(isCreated ? 409 : 200)
    expect('codes' in (await reply.json())).toBe(!isCreated)
  }
})

test('a wrong recovery code is not counted with the failures of the user', async () => {
  const { limiter, taken } = createRecordingLimiter()
  const { browse } = await serveOwner({ limiter })
  const browser = browse()
  await signIn(browser)
  const countFailures = async (method: string): Promise<number> => {
    taken.length = 0
    expect((await browser.submit(`/signin/${method}`, { code: 'wrong' })).status).toBe(401)
    return taken.filter(({ limit }) => limit.times === 100).length
  }
  expect([await countFailures('spare'), await countFailures('numbers')]).toEqual([0, 1])
})

test('a limiter that fails is not reported to the user as a hundred failures', async () => {
  for (const [waits, status, emails] of [
    [async () => 60, 429, 1],
    [() => Promise.reject(new Error('away')), 503, 0],
  ] as const) {
    let isArmed = false
    const limiter: Limiter = {
      take: async (_, { times }) => (isArmed && [1, 100].includes(times) ? waits() : 0),
    }
    const mailbox = new Mailbox()
    const options = { mailer: mailbox, from: 'security@app.example' }
    const { storage } = slowStorage('increment')
    const { auth } = await serveOwner({
      limiter,
      storage,
      use: [securityEmails(options)],
    })
    const sent: Promise<unknown>[] = []
    const waitUntil = (work: Promise<unknown>): void => void sent.push(work)
    const browser = new Browser((request) => auth.handle(request, { waitUntil }), base)
    await signIn(browser)
    await Promise.all(sent)
    isArmed = true
    mailbox.mails.length = 0
    expect((await prove(browser, 'wrong')).status).toBe(status)
    await Promise.all(sent)
    expect(mailbox.mails).toHaveLength(emails)
  }
})

test('a sign-in whose session cannot be stored is not continued on the page of its step', async () => {
  const { storage, fail } = breakableStorage()
  const { browse, kept } = await serveOwner({ storage })
  const browser = browse()
  await signIn(browser)
  fail(['createSession'])
  const reply = await prove(browser, `${kept.secret}-2`)
  expect([reply.status, await reply.text()]).toEqual([
    503,
    expect.not.stringContaining('name="code"'),
  ])
  expect(browser.cookies.has(stepCookie)).toBe(false)
  fail([])
  await signIn(browser)
  expect((await prove(browser, `${kept.secret}-3`)).headers.get('location')).toBe(origin)
})

test('a wrong code has its own sentence, in JSON mode too', async () => {
  const { browse } = await serveOwner()
  const browser = browse()
  await signIn(browser)
  const { message } = await (await prove(browser, 'wrong', { json: 'true' })).json()
  expect(message).toBe('This code is wrong or has expired. Check it and try again.')
})

test('a step that another version has sealed counts as missing (I-52.2)', async () => {
  const { browse, kept } = await serveOwner()
  const keys = createKeys([serviceSecret], random)
  for (const version of [1, 2]) {
    const browser = browse()
    await signIn(browser)
    const now = Math.floor(Date.now() / 1000)
    const { exp, ...step } = { ...(await keys.second.open(browser.cookies.get(stepCookie), now)) }
    const sealed = await keys.second.seal({ ...step, v: version }, Number(exp))
    browser.cookies.set(stepCookie, sealed)
    const { status } = await prove(browser, `${kept.secret}-${version + 1}`, { json: 'true' })
    expect(status).toBe(version === 1 ? 200 : 403)
  }
})

test('a sign-in that waits for its second factor renews the CSRF cookie (I-16.3)', async () => {
  const [old, next] = ['an old secret of thirty-two bytes!', 'a new secret of thirty-two bytes!']
  const { storage } = await serveOwner({ secret: [old] })
  const [before, after] = [[old], [next, old]].map((secrets) =>
    serveSecond({ providers: [present], storage, secret: secrets }),
  )
  if (!before || !after) throw new Error('expected two services')
  for (const service of [before, after]) {
    const first = before.browse()
    const url = toCallbackUrl(await beginSignIn(first), 'alice')
    const browser = copy(first, service.browse())
    const asked = await browser.visit(url)
    expect(asked.headers.get('location')).toBe(secondPage)
    expect(setsCsrfToken(asked)).toBe(service === after)
  }
})

describe('an enrolment works once', () => {
  test('in a session, by 20 posts at the same moment', async () => {
    const { browse, storage } = serveSecond({ providers: [present] }, { methods: [numbers] })
    const browser = browse()
    await signIn(browser)
    await browser.submit('/signin/numbers', { link: 'true', callbackUrl: '/account' })
    const code = `${await readSecret(browser)}-1`
    const copies = Array.from({ length: 20 }, () => copy(browser, browse()))
    await Promise.all(copies.map((each) => prove(each, code)))
    const { id } = await getUser(browser)
    expect(await storage.listFactors?.(id)).toHaveLength(1)
  })

  test('in a session, also with a copy of its cookies', async () => {
    const { browse, storage } = serveSecond({ providers: [present] }, { methods: [numbers] })
    const browser = browse()
    await signIn(browser)
    await browser.submit('/signin/numbers', { link: 'true', callbackUrl: '/account' })
    const secret = await readSecret(browser)
    const before = browser.cookies.get(stepCookie) ?? ''
    await prove(browser, `${secret}-1`)
    const { id } = await getUser(browser)
    expect(await storage.listFactors?.(id)).toHaveLength(1)
    browser.cookies.set(stepCookie, before)
    await prove(browser, `${secret}-2`)
    expect(await storage.listFactors?.(id)).toHaveLength(1)
  })
})

test('a right code uses up no attempt, and a wrong one does (I-52.8)', async () => {
  const { browse, kept } = await serveOwner()
  for (let number = 2; number < 60; number++) {
    const browser = browse()
    await signIn(browser)
    await prove(browser, `${kept.secret}-${number}`)
    expect(await browser.json('/session'), String(number)).toHaveProperty('user')
  }
  const browser = browse()
  await signIn(browser)
  let status = 401
  for (let i = 0; i < 60 && status === 401; i++) status = (await prove(browser, 'wrong')).status
  expect(status).toBe(429)
})

test('a browser that is known does not use up the attempts of another known one (I-52.8)', async () => {
  const { browse, kept } = await serveOwner()
  let number = 2
  const createKnown = async (): Promise<Browser> => {
    const browser = browse()
    await signIn(browser)
    await prove(browser, `${kept.secret}-${number++}`)
    await browser.submit('/signout')
    return browser
  }
  const [known, other, stranger] = [await createKnown(), await createKnown(), browse()]
  for (const browser of [stranger, known]) {
    let status = 401
    for (let i = 0; i < 30 && status !== 429; i++) {
      await signIn(browser)
      for (let j = 0; j < 4 && status !== 429; j++) status = (await prove(browser, 'wrong')).status
    }
    expect(status).toBe(429)
  }
  await signIn(other)
  await prove(other, `${kept.secret}-${number}`)
  expect(await other.json('/session')).toHaveProperty('user')
})
