import { encode as encodeV4 } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '@latchkey/core'
import type { AuthConfig, Factor } from '@latchkey/core'
import type {
  EnrolledMethod,
  SecondFactorMethod,
  SecondFactorOptions,
} from '@latchkey/second-factor'
import { confirmation } from '@latchkey/core/confirmation'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { oidc } from '@latchkey/core/providers/oidc'
import { secondFactor } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing/browser'
import { Mailbox } from '../../core/test/support/mailbox.ts'
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
  staff,
} from './support/second-factor.ts'
import {
  createPageRequest,
  getConfigError,
  getRedirect,
  getUser,
  origin,
  passport,
  serve,
  signIn,
} from '../../core/test/support/service.ts'

const secondPage = `${origin}/api/auth/signin?second=true`
const stepCookie = '__Host-latchkey.second'

const strategies: readonly (readonly [string, Partial<AuthConfig>])[] = [
  ['in the storage', {}],
  ['in their cookies, revocable', { session: { strategy: 'cookie', revocable: true } }],
]

describe.each(strategies)('sessions %s', (_, session) => {
  test('a sign-in needs the second factor, and leads on with both (I-52)', async () => {
    const { auth, browse, kept } = await serveOwner(session)
    const browser = browse()
    const asked = await signIn(browser, 'alice', { callbackUrl: '/inbox' })
    expect(asked.headers.get('location')).toBe(secondPage)
    expect(await browser.json('/session')).toEqual({})
    const proven = await prove(browser, `${kept.secret}-2`)
    expect([proven.status, proven.headers.get('location')]).toEqual([302, `${origin}/inbox`])
    expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
    const { authentication } = await auth.getSession(createPageRequest(browser))
    expect(authentication?.methods).toEqual(['fed', 'otp', 'mfa'])
    expect(browser.cookies.has(stepCookie)).toBe(false)
  })

  test('a user without a second factor is not asked', async () => {
    const { browse } = await serveOwner(session)
    const browser = browse()
    await signIn(browser, 'bob')
    expect(await getUser(browser)).toMatchObject({ name: 'Person bob' })
  })

  test('a recovery code stands in for it, once (I-53.3)', async () => {
    const { auth, browse, kept } = await serveOwner(session)
    const [code = ''] = kept.codes
    const browser = browse()
    await signIn(browser)
    await browser.submit('/signin/spare', { code })
    const { authentication } = await auth.getSession(createPageRequest(browser))
    expect(authentication?.methods).toEqual(['fed', 'recovery', 'mfa'])
    const thief = browse()
    await signIn(thief)
    expect((await thief.submit('/signin/spare', { code })).status).toBe(401)
    expect(await thief.json('/session')).toEqual({})
  })

  test('the first second factor ends the other sessions of its user (I-52.11)', async () => {
    const { browse } = serveSecond({ providers: [present], ...session })
    const [owner, other, stranger] = [browse(), browse(), browse()]
    await signIn(owner)
    await signIn(other)
    await signIn(stranger, 'bob')
    await enrol(owner)
    expect(await getUser(owner)).toMatchObject({ name: 'Person alice' })
    expect(await other.json('/session')).toEqual({})
    expect(await getUser(stranger)).toMatchObject({ name: 'Person bob' })
  })

  test('an unfinished sign-in ends with revokeAll (I-52.4)', async () => {
    const { auth, browse, owner, kept } = await serveOwner(session)
    const { id } = await getUser(owner)
    const [before, after] = [browse(), browse()]
    await signIn(before)
    await auth.sessions.revokeAll(id)
    const refused = await prove(before, `${kept.secret}-2`)
    expect(getRedirect(refused).error).toBe('SessionRequired')
    expect(await before.json('/session')).toEqual({})
    await signIn(after)
    await prove(after, `${kept.secret}-2`)
    expect(await getUser(after)).toMatchObject({ id })
  })
})

test('an unfinished sign-in of a user without a factor ends with revokeAll of this user only (I-52.4)', async () => {
  const { storage, browse } = serveSecond({ providers: [present] })
  const before = browse()
  await signIn(before)
  const { id } = await getUser(before)
  const service = serveSecond({ providers: [present], storage }, { require: true })
  for (const [userId, isRefused] of [
    [id, true],
    ['another user', false],
  ] as const) {
    const browser = service.browse()
    await signIn(browser)
    const secret = await readSecret(browser)
    await service.auth.sessions.revokeAll(userId)
    await prove(browser, `${secret}-1`)
    expect('user' in (await browser.json('/session')), userId).toBe(!isRefused)
    service.wait(10)
  }
})

test('an unfinished sign-in of a new user continues after revokeAll of an empty user id (I-52.4)', async () => {
  const { auth, browse } = serveSecond({ providers: [present] }, { require: true })
  const browser = browse()
  await signIn(browser)
  const secret = await readSecret(browser)
  await auth.sessions.revokeAll('')
  expect((await prove(browser, `${secret}-1`)).status).toBe(200)
  expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
})

describe('before the second factor nothing is stored or given (I-52.3)', () => {
  test('no callback but userinfo, no event, no token, no session', async () => {
    const calls: string[] = []
    const note = (name: string) => () => {
      calls.push(name)
    }
    const { auth, storage, browse, kept } = await serveOwner({
      callbacks: {
        signIn: () => {
          calls.push('callback signIn')
          return true
        },
        jwt: ({ token }) => {
          calls.push('callback jwt')
          return { ...token }
        },
      },
      events: {
        signIn: note('signIn'),
        linkAccount: note('linkAccount'),
        session: note('session'),
      },
    })
    const browser = browse()
    const [user] = (await storage.listUsers?.(1)) ?? []
    const listed = await auth.sessions.list(user?.id ?? '')
    calls.length = 0
    await signIn(browser)
    expect(calls).toEqual([])
    expect(await auth.sessions.list(user?.id ?? '')).toEqual(listed)
    await prove(browser, `${kept.secret}-2`)
    expect(calls).toEqual(['callback signIn', 'callback jwt', 'signIn'])
  })

  test('credentials: JSON mode answers 401 with the page (I-52.5)', async () => {
    const { browse, owner, kept } = await serveOwner()
    const { id } = await getUser(owner)
    const browser = browse()
    const fields = { name: id, password: 'right', json: 'true' }
    const response = await browser.submit('/signin/credentials', fields)
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({
      url: `${secondPage}&error=SecondFactorRequired`,
      error: 'SecondFactorRequired',
      message: 'Prove with a second factor that it is you.',
    })
    const page = await browser.visit('/signin?second=true&error=SecondFactorRequired')
    expect(await page.text()).not.toContain('role="alert"')
    const proven = await prove(browser, `${kept.secret}-2`, { json: 'true' })
    expect([proven.status, await proven.json()]).toEqual([200, { url: origin }])
    expect(await getUser(browser)).toMatchObject({ id })
  })
})

test('an attempt with the right password counts until the second factor is proven (I-52.3)', async () => {
  const limits = { credentialsPerName: { times: 2, window: 600 } }
  const { browse, owner, kept } = await serveOwner({ limits })
  const enter = (name: string) =>
    browse().submit('/signin/credentials', { name, password: 'right', json: 'true' })
  const statuses = async (name: string): Promise<number[]> => {
    const all = []
    for (let i = 0; i < 3; i++) all.push((await enter(name)).status)
    return all
  }
  expect(await statuses('carol')).toEqual([200, 200, 200])
  expect(await statuses((await getUser(owner)).id)).toEqual([401, 401, 429])
  expect(kept.codes).toHaveLength(2)
})

describe('a second factor is refused', () => {
  test('if the code is wrong: 401 with the page again, and the right one helps', async () => {
    const { browse, kept } = await serveOwner()
    const browser = browse()
    await signIn(browser)
    const wrong = await prove(browser, `${kept.secret}x-2`)
    expect(wrong.status).toBe(401)
    const html = await wrong.text()
    expect(html).toContain('Second step')
    expect(html).not.toContain(kept.secret)
    expect(await browser.json('/session')).toEqual({})
    await prove(browser, `${kept.secret}-2`)
    expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
  })

  test('if the code was used before', async () => {
    const { browse, kept } = await serveOwner()
    const [browser, thief] = [browse(), browse()]
    await signIn(browser)
    await signIn(thief)
    expect((await prove(browser, `${kept.secret}-2`)).status).toBe(302)
    expect((await prove(thief, `${kept.secret}-2`)).status).toBe(401)
    expect(await thief.json('/session')).toEqual({})
  })

  test('without an unfinished sign-in: 403', async () => {
    const { browse, kept } = await serveOwner()
    const browser = browse()
    const refused = await prove(browser, `${kept.secret}-2`, { json: 'true' })
    expect([refused.status, (await refused.json()).error]).toEqual([403, 'SessionRequired'])
    await signIn(browser)
    expect((await prove(browser, `${kept.secret}-2`)).status).toBe(302)
  })

  test('if the provider of the first factor is not configured any more: 403', async () => {
    const { storage, browse: browseBefore, kept } = await serveOwner()
    const before = browseBefore()
    await signIn(before)
    for (const providers of [[staff], [present]]) {
      const browser = serveSecond({ storage, providers }).browse()
      for (const [name, value] of before.cookies) browser.cookies.set(name, value)
      const code = `${kept.secret}-${providers[0] === staff ? 2 : 3}`
      const reply = await prove(browser, code, { json: 'true' })
      const isRefused = providers[0] === staff
      expect(reply.status).toBe(isRefused ? 403 : 200)
      expect((await reply.json()).error).toBe(isRefused ? 'SessionRequired' : undefined)
      expect('user' in (await browser.json('/session'))).toBe(!isRefused)
      await signIn(before)
    }
  })

  test('in another browser: a copy of the cookie is bound to the CSRF token (I-52.2)', async () => {
    const { browse, kept } = await serveOwner()
    const [browser, thief] = [browse(), browse()]
    await signIn(browser)
    await thief.csrfToken()
    thief.cookies.set(stepCookie, browser.cookies.get(stepCookie) ?? '')
    expect((await prove(thief, `${kept.secret}-2`, { json: 'true' })).status).toBe(403)
    expect((await prove(browser, `${kept.secret}-3`)).status).toBe(302)
  })

  test('twice in one step: a copy of the cookies does not sign in again', async () => {
    const { browse, kept } = await serveOwner()
    const [browser, thief] = [browse(), browse()]
    await signIn(browser)
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value)
    expect((await prove(browser, `${kept.secret}-2`)).status).toBe(302)
    const again = await prove(thief, `${kept.secret}-3`, { json: 'true' })
    expect([again.status, await thief.json('/session')]).toEqual([403, {}])
  })

  test('from another origin, also a trusted one', async () => {
    const trusted = 'https://spa.app.example'
    const { browse, kept } = await serveOwner({ trustedOrigins: [trusted] })
    const browser = browse()
    await signIn(browser)
    const headers = { origin: trusted, 'sec-fetch-site': 'same-site' }
    const csrfToken = await browser.csrfToken()
    const code = `${kept.secret}-2`
    const refused = await browser.post(
      '/signin/numbers',
      { csrfToken, code, json: 'true' },
      { headers },
    )
    expect((await refused.json()).error).toBe('Csrf')
    expect((await prove(browser, code)).status).toBe(302)
  })

  test('after ten minutes', async () => {
    const { browse, wait, kept } = await serveOwner()
    const [late, early] = [browse(), browse()]
    await signIn(late)
    await signIn(early)
    wait(599)
    expect((await prove(early, `${kept.secret}-2`)).status).toBe(302)
    wait(2)
    expect((await prove(late, `${kept.secret}-3`, { json: 'true' })).status).toBe(403)
  })

  test('after five wrong codes in one step, and ten for the user: 429 (I-52.8)', async () => {
    const { browse, wait, kept } = await serveOwner()
    const tryCodes = async (browser: Browser, times: number): Promise<number[]> => {
      const statuses: number[] = []
      for (let i = 0; i < times; i++) statuses.push((await prove(browser, `wrong-${i}`)).status)
      return statuses
    }
    const [first, second, third] = [browse(), browse(), browse()]
    await signIn(first)
    expect(await tryCodes(first, 6)).toEqual([401, 401, 401, 401, 401, 429])
    expect((await prove(first, `${kept.secret}-2`)).status).toBe(429)
    await signIn(second)
    expect(await tryCodes(second, 5)).toEqual([401, 401, 401, 401, 401])
    await signIn(third)
    const refused = await prove(third, `${kept.secret}-2`)
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await third.submit('/signin/spare', { code: kept.codes[0] ?? '' })).status).toBe(302)
    wait(601)
    await signIn(first)
    expect((await prove(first, `${kept.secret}-2`)).status).toBe(302)
  })

  test('of a browser that knows the user, separately from others', async () => {
    const { browse, owner, kept } = await serveOwner()
    for (let i = 0; i < 2; i++) {
      const stranger = browse()
      await signIn(stranger)
      for (let j = 0; j < 5; j++) await prove(stranger, `wrong-${j}`)
    }
    const stranger = browse()
    await signIn(stranger)
    expect((await prove(stranger, `${kept.secret}-2`)).status).toBe(429)
    await owner.submit('/signout')
    await signIn(owner)
    expect((await prove(owner, `${kept.secret}-2`)).status).toBe(302)
  })

  test('if its key cannot be opened: 503, and a recovery code still works (I-49.5)', async () => {
    const { storage, browse, lines, kept, owner } = await serveOwner()
    const { id } = await getUser(owner)
    const [factor] = (await storage.listFactors?.(id)) ?? []
    const data = JSON.stringify({ sealed: 'x', last: 0 })
    await storage.updateFactor?.('numbers', factor?.id ?? '', factor?.version ?? '', { data })
    const browser = browse()
    await signIn(browser)
    expect((await prove(browser, `${kept.secret}-2`)).status).toBe(503)
    expect(lines.at(-1)?.message).toBe('a factor of the type numbers cannot be read')
    expect((await browser.submit('/signin/spare', { code: kept.codes[0] ?? '' })).status).toBe(302)
  })

  test('not because another factor of the type cannot be opened', async () => {
    const { storage, owner, browse, kept } = await serveOwner()
    const { id } = await getUser(owner)
    const [factor] = (await storage.listFactors?.(id)) ?? []
    const { userId: _, version: __, ...facts } = factor as Factor
    await storage.createFactor?.(id, { ...facts, id: 'broken', data: '{}', createdAt: 0 })
    const browser = browse()
    await signIn(browser)
    expect((await prove(browser, 'wrong-1')).status).toBe(503)
    expect((await prove(browser, `${kept.secret}-2`)).status).toBe(302)
  })

  test('if it is the sealed key of another user', async () => {
    const { storage, browse, kept, owner } = await serveOwner()
    const bob = browse()
    await signIn(bob, 'bob')
    const { secret } = await enrol(bob)
    const before = browse()
    await signIn(before, 'bob')
    expect((await prove(before, `${secret}-2`)).status).toBe(302)
    const [ofAlice] = (await storage.listFactors?.((await getUser(owner)).id)) ?? []
    const [ofBob] = (await storage.listFactors?.((await getUser(bob)).id)) ?? []
    const { id = '', version = '' } = ofBob ?? {}
    await storage.updateFactor?.('numbers', id, version, { data: ofAlice?.data ?? '' })
    const browser = browse()
    await signIn(browser, 'bob')
    for (const code of [`${secret}-3`, `${kept.secret}-3`]) {
      expect((await prove(browser, code)).status).toBe(503)
    }
    expect(await browser.json('/session')).toEqual({})
  })

  test('if it is the sealed key of another method', async () => {
    const letters = { ...numbers, id: 'letters' }
    const { storage, browse, kept, owner } = await serveOwner({}, { methods: [numbers, letters] })
    const { id } = await getUser(owner)
    const [factor] = (await storage.listFactors?.(id)) ?? []
    if (!factor) throw new Error('expected a factor')
    await storage.createFactor?.(id, { ...factor, type: 'letters', id: 'copied' })
    const browser = browse()
    await signIn(browser)
    const typed = { code: `${kept.secret}-2` }
    expect((await browser.submit('/signin/letters', typed)).status).toBe(503)
    expect((await browser.submit('/signin/numbers', typed)).status).toBe(302)
  })

  test.each(['totp', 'numbers/x', 'NUMBERS'])('under the path %s: 404', async (id) => {
    const { browse } = await serveOwner()
    const browser = browse()
    const csrfToken = await browser.csrfToken()
    expect((await browser.post('/signin/numbers', { csrfToken, json: 'true' })).status).toBe(403)
    expect((await browser.post(`/signin/${id}`, { csrfToken, json: 'true' })).status).toBe(404)
  })

  test('by a GET: 404, and a POST needs a step', async () => {
    const { browse } = await serveOwner()
    const browser = browse()
    expect((await browser.visit('/signin/numbers')).status).toBe(404)
    expect((await browser.submit('/signin/numbers', { json: 'true' })).status).toBe(403)
  })

  test.each(['GET', 'POST'])('at the callback: %s is 404', async (method) => {
    const { browse } = await serveOwner()
    expect((await browse().visit('/callback/passport', { method })).status).not.toBe(404)
    expect((await browse().visit('/callback/numbers', { method })).status).toBe(404)
  })
})

describe('a confirmation (I-51.3)', () => {
  test('of a user with a second factor needs it too', async () => {
    const { auth, browse, owner, kept } = await serveOwner()
    const { id } = await getUser(owner)
    const confirmed = await signIn(owner, 'alice', { confirm: 'true', callbackUrl: '/keys' })
    expect(confirmed.headers.get('location')).toBe(secondPage)
    const before = await auth.getSession(createPageRequest(owner))
    expect(before.authentication?.methods).toEqual(['fed'])
    const proven = await prove(owner, `${kept.secret}-2`)
    expect(proven.headers.get('location')).toBe(`${origin}/keys`)
    const after = await auth.getSession(createPageRequest(owner))
    expect(after.authentication?.methods).toEqual(['fed', 'otp', 'mfa'])
    expect(after.id).not.toBe(before.id)
    expect((await getUser(owner)).id).toBe(id)
    expect(browse().cookies.size).toBe(0)
  })

  test('of another session does not continue', async () => {
    const { owner, kept } = await serveOwner()
    await signIn(owner, 'alice', { confirm: 'true' })
    expect((await prove(owner, `${kept.secret}-2`)).status).toBe(302)
    await signIn(owner, 'alice', { confirm: 'true' })
    await owner.submit('/signout')
    const refused = await prove(owner, `${kept.secret}-3`, { json: 'true' })
    expect((await refused.json()).error).toBe('SessionRequired')
    expect(await owner.json('/session')).toEqual({})
  })
})

test('a confirmation of a user without a second factor asks for none, also if one is required (I-51.3)', async () => {
  const { storage, browse: browseBefore } = serveSecond({ providers: [present] })
  const before = browseBefore()
  await signIn(before)
  const { browse } = serveSecond({ providers: [present], storage }, { require: true })
  const [owner, other] = [browse(), browse()]
  for (const [name, value] of before.cookies) owner.cookies.set(name, value)
  const confirmed = await signIn(owner, 'alice', { confirm: 'true', callbackUrl: '/keys' })
  expect(confirmed.headers.get('location')).toBe(`${origin}/keys`)
  expect((await signIn(other)).headers.get('location')).toBe(secondPage)
})

describe('enrolment (I-53.2)', () => {
  test('needs a session, and a recent confirmation', async () => {
    const { browse, wait } = serveSecond({ providers: [present] })
    const browser = browse()
    const fields = { link: 'true', json: 'true' }
    expect((await (await browser.submit('/signin/numbers', fields)).json()).error).toBe(
      'SessionRequired',
    )
    await signIn(browser)
    wait(700)
    const old = await browser.submit('/signin/numbers', fields)
    expect([old.status, (await old.json()).error]).toEqual([401, 'ConfirmationRequired'])
    const other = browse()
    await signIn(other)
    wait(-700)
    expect((await other.submit('/signin/numbers', fields)).status).toBe(200)
  })

  test('of a second app needs both factors to be recent', async () => {
    const { owner, kept } = await serveOwner()
    const fields = { link: 'true', json: 'true' }
    const refused = await owner.submit('/signin/numbers', fields)
    expect((await refused.json()).error).toBe('ConfirmationRequired')
    await signIn(owner, 'alice', { confirm: 'true' })
    await prove(owner, `${kept.secret}-2`)
    const second = await enrol(owner)
    expect([second.secret === kept.secret, second.codes]).toEqual([false, []])
  })

  test('stores nothing before a code has confirmed the secret', async () => {
    const { storage, browse } = serveSecond({ providers: [present] })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    await browser.submit('/signin/numbers', { link: 'true' })
    const secret = await readSecret(browser)
    expect((await prove(browser, 'wrong-1')).status).toBe(401)
    expect(await storage.listFactors?.(id)).toEqual([])
    const page = await prove(browser, `${secret}-1`)
    expect(readCodes(await page.text())).toHaveLength(2)
    expect((await storage.listFactors?.(id))?.map(({ type }) => type)).toEqual(['numbers', 'spare'])
  })

  test('does not continue in another session', async () => {
    const { storage, browse } = serveSecond({ providers: [present] })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    await browser.submit('/signin/numbers', { link: 'true' })
    const secret = await readSecret(browser)
    await signIn(browser, 'bob')
    const refused = await prove(browser, `${secret}-1`, { json: 'true' })
    expect((await refused.json()).error).toBe('SessionRequired')
    expect(await storage.listFactors?.(id)).toEqual([])
    await signIn(browser)
    await enrol(browser)
    expect(await storage.listFactors?.(id)).toHaveLength(2)
  })

  test('without a method of recovery codes there is no page of codes', async () => {
    const { browse } = serveSecond({ providers: [present] }, { methods: [numbers] })
    const browser = browse()
    await signIn(browser)
    await browser.submit('/signin/numbers', { link: 'true', callbackUrl: '/account' })
    const code = `${await readSecret(browser)}-1`
    const enrolled = await browser.submit('/signin/numbers', { code })
    expect([enrolled.status, getRedirect(enrolled).path]).toEqual([302, '/account'])
  })

  test.each([
    ['replace the previous ones', false],
    ['are created for a user without any', true],
  ])('new recovery codes %s', async (_, areRemoved) => {
    const { storage, browse, owner, kept } = await serveOwner()
    const { id } = await getUser(owner)
    if (areRemoved) await storage.deleteFactor?.(id, 'spare', id)
    await signIn(owner, 'alice', { confirm: 'true' })
    await prove(owner, `${kept.secret}-2`)
    const page = await owner.submit('/signin/spare', { link: 'true' })
    const [code = ''] = readCodes(await page.text())
    const browser = browse()
    await signIn(browser)
    expect((await browser.submit('/signin/spare', { code: kept.codes[0] ?? '' })).status).toBe(401)
    expect((await browser.submit('/signin/spare', { code })).status).toBe(302)
  })

  test('a user has at most 20 of a type: 409 (I-49.1)', async () => {
    const { storage, owner, kept } = await serveOwner()
    await signIn(owner, 'alice', { confirm: 'true' })
    await prove(owner, `${kept.secret}-2`)
    const { id: userId } = await getUser(owner)
    const [factor] = (await storage.listFactors?.(userId)) ?? []
    const begin = () => owner.submit('/signin/numbers', { link: 'true', json: 'true' })
    for (let i = 1; i < 20; i++) {
      expect((await begin()).status).toBe(200)
      const { userId: _, version: __, ...facts } = factor as Factor
      await storage.createFactor?.(userId, { ...facts, id: `another ${i}` })
    }
    const refused = await begin()
    expect(refused.status).toBe(409)
    expect(await refused.text()).toContain('You have 20 of these. Remove one first.')
  })
})

describe.each([
  ['the page of the second step', 'second'],
  ['the page of enrolments', 'enrol'],
])('without a session, %s', (_, query) => {
  test.each([
    ['', 'Sign in to see this page.'],
    ['&error=AccessDenied', 'This account does not have access.'],
  ])('with %j is the sign-in page', async (error, text) => {
    const { browse } = serveSecond({ providers: [present] })
    const html = await (
      await browse().visit(`/signin?${query}=true&callbackUrl=%2Finbox${error}`)
    ).text()
    expect(html).toContain('/api/auth/signin/passport"')
    expect(html).toContain(`value="${origin}/inbox"`)
    expect(html).toContain(text)
  })
})

test.each([
  ['second', true],
  ['enrol', false],
])('the page %s shows the text of an error', async (query, isAsked) => {
  const { browse, owner } = await serveOwner()
  const browser = browse()
  if (isAsked) await signIn(browser)
  const shown = isAsked ? browser : owner
  const read = async (error: string): Promise<string> =>
    (await shown.visit(`/signin?${query}=true${error}`)).text()
  expect(await read('')).not.toContain('role="alert"')
  const html = await read('&error=AccessDenied')
  expect(html).toContain('This account does not have access.')
  expect(html).not.toContain('AccessDenied')
})

describe('secondFactor.require (I-52.10)', () => {
  test('a new user enrols before the first session', async () => {
    const { auth, storage, browse } = serveSecond({ providers: [present] }, { require: true })
    const browser = browse()
    expect((await signIn(browser)).headers.get('location')).toBe(secondPage)
    expect(await storage.listUsers?.(9)).toEqual([])
    const secret = await readSecret(browser)
    expect((await prove(browser, 'wrong-1')).status).toBe(401)
    expect(await storage.listUsers?.(9)).toEqual([])
    const page = await prove(browser, `${secret}-1`)
    expect(readCodes(await page.text())).toHaveLength(2)
    const { id } = await getUser(browser)
    expect((await auth.factors.list(id)).map(({ type }) => type)).toEqual(['numbers', 'spare'])
    const again = browse()
    await signIn(again)
    await prove(again, `${secret}-2`)
    expect((await getUser(again)).id).toBe(id)
  })

  test('a new user enrols no recovery codes, also if they are the first method', async () => {
    const { browse } = serveSecond(
      { providers: [present] },
      { require: true, methods: [spare, numbers] },
    )
    const browser = browse()
    expect((await signIn(browser)).headers.get('location')).toBe(secondPage)
    const page = await prove(browser, `${await readSecret(browser)}-1`)
    expect(readCodes(await page.text())).toHaveLength(2)
    expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
  })

  test('a user of before enrols at the next sign-in', async () => {
    const storage = memoryStorage()
    const before = serveSecond({ providers: [present], storage })
    const old = before.browse()
    await signIn(old)
    const { id } = await getUser(old)
    const { browse } = serveSecond(
      { providers: [present], storage },
      { require: ({ user }) => user.id === id },
    )
    const browser = browse()
    expect((await signIn(browser)).headers.get('location')).toBe(secondPage)
    const page = await prove(browser, `${await readSecret(browser)}-1`)
    expect(readCodes(await page.text())).toHaveLength(2)
    expect((await getUser(browser)).id).toBe(id)
    expect(await old.json('/session')).toEqual({})
  })

  test('with enrol: false the sign-in is refused', async () => {
    const { browse } = serveSecond(
      { providers: [present] },
      { require: async ({ user }) => user.name === 'Person alice', enrol: false },
    )
    expect(getRedirect(await signIn(browse())).error).toBe('AccessDenied')
    const bob = browse()
    await signIn(bob, 'bob')
    expect(await getUser(bob)).toMatchObject({ name: 'Person bob' })
  })

  test('if it throws, the sign-in is refused', async () => {
    const require: SecondFactorOptions['require'] = ({ user }) => {
      if (user.name === 'Person alice') throw new Error('down')
      return false
    }
    const { browse } = serveSecond({ providers: [present] }, { require })
    const [bob, browser] = [browse(), browse()]
    await signIn(bob, 'bob')
    expect(await getUser(bob)).toMatchObject({ name: 'Person bob' })
    expect(getRedirect(await signIn(browser)).error).toBe('Callback')
    expect(await browser.json('/session')).toEqual({})
  })
})

describe('secondFactor.rememberFor (I-52.9)', () => {
  const signInRemembered = async (browser: Browser, code: string): Promise<void> => {
    await signIn(browser)
    await prove(browser, code, { remember: 'true' })
    await browser.submit('/signout')
  }

  test('spares the second factor in this browser, for this user, until it ends', async () => {
    const { auth, browse, wait, kept } = await serveOwner({}, { rememberFor: 3600 })
    const browser = browse()
    await signInRemembered(browser, `${kept.secret}-2`)
    expect((await signIn(browser)).headers.get('location')).toBe(origin)
    const { authentication } = await auth.getSession(createPageRequest(browser))
    expect(authentication?.methods).toEqual(['fed'])
    await browser.submit('/signout')
    expect((await signIn(browse())).headers.get('location')).toBe(secondPage)
    wait(3601)
    expect((await signIn(browser)).headers.get('location')).toBe(secondPage)
  })

  test('only if the box is ticked, and the option is set', async () => {
    const unticked = await serveOwner({}, { rememberFor: 3600 })
    const first = unticked.browse()
    await signIn(first)
    expect(await (await first.visit('/signin?second=true')).text()).toContain('for 1 hour')
    await prove(first, `${unticked.kept.secret}-2`)
    await first.submit('/signout')
    expect((await signIn(first)).headers.get('location')).toBe(secondPage)
    const without = await serveOwner()
    const second = without.browse()
    await signIn(second)
    expect(await (await second.visit('/signin?second=true')).text()).not.toContain('remember')
    const proven = await prove(second, `${without.kept.secret}-2`, { remember: 'true' })
    expect(proven.headers.getSetCookie().join()).not.toContain('remembered')
    await second.submit('/signout')
    expect((await signIn(second)).headers.get('location')).toBe(secondPage)
  })

  test('ends with revokeAll, and does not replace it in a confirmation', async () => {
    const { auth, browse, owner, kept } = await serveOwner({}, { rememberFor: 3600 })
    const browser = browse()
    await signInRemembered(browser, `${kept.secret}-2`)
    await signIn(browser)
    const confirmed = await signIn(browser, 'alice', { confirm: 'true' })
    expect(confirmed.headers.get('location')).toBe(secondPage)
    await auth.sessions.revokeAll((await getUser(owner)).id)
    expect((await signIn(browser)).headers.get('location')).toBe(secondPage)
  })
})

test('a confirmation remembers no browser, and its page has no box (I-52.9)', async () => {
  const { owner, browse, kept } = await serveOwner({}, { rememberFor: 3600 })
  await signIn(owner, 'alice', { confirm: 'true' })
  const html = await (await owner.visit('/signin?second=true')).text()
  expect(html).toContain('Second step')
  expect(html).not.toContain('for 1 hour')
  await prove(owner, `${kept.secret}-2`, { remember: 'true' })
  await owner.submit('/signout')
  expect((await signIn(owner)).headers.get('location')).toBe(secondPage)
  const browser = browse()
  await signIn(browser)
  expect(await (await browser.visit('/signin?second=true')).text()).toContain('for 1 hour')
  await prove(browser, `${kept.secret}-3`, { remember: 'true' })
  await browser.submit('/signout')
  expect((await signIn(browser)).headers.get('location')).toBe(origin)
})

describe('a session of a previous service (I-52.11)', () => {
  const encode = (sub: string): Promise<string> =>
    encodeV4({ token: { sub }, secret: 'the secret of next-auth', maxAge: 3600 })
  const importFrom = [nextAuthV4({ secret: 'the secret of next-auth' })]

  test('is not imported if its user has a second factor', async () => {
    const { storage, browse, wait, owner } = await serveOwner({ session: { importFrom } })
    wait(5)
    const { id } = await getUser(owner)
    const bob = browse()
    await signIn(bob, 'bob')
    const imported = async (sub: string): Promise<unknown> => {
      const browser = browse()
      browser.cookies.set('__Secure-next-auth.session-token', await encode(sub))
      return browser.json('/session')
    }
    expect(await imported((await getUser(bob)).id)).toHaveProperty('user')
    expect(await imported(id)).toEqual({})
    expect(await storage.listSessions?.(id, 0)).toHaveLength(1)
  })

  test.each([
    ['by a switch', true],
    ['by a function', () => true],
  ])('is not imported if its user needs one, %s', async (_, require) => {
    const before = serveSecond({ providers: [present], session: { importFrom } })
    before.wait(5)
    const old = before.browse()
    await signIn(old)
    const { storage } = before
    const { id } = await getUser(old)
    const value = await encode(id)
    for (const needs of [false, require]) {
      const { browse, wait } = serveSecond(
        { storage, providers: [present], session: { importFrom } },
        { require: needs },
      )
      wait(5)
      const browser = browse()
      browser.cookies.set('__Secure-next-auth.session-token', needs ? await encode(id) : value)
      expect('user' in (await browser.json('/session'))).toBe(needs === false)
    }
  })
})

describe('auth.factors', () => {
  test('lists factors without their secrets, and removes one with the recovery codes (I-53.4)', async () => {
    const { auth, browse, owner } = await serveOwner()
    const { id } = await getUser(owner)
    const listed = await auth.factors.list(id)
    expect(listed.map(({ type }) => type)).toEqual(['numbers', 'spare'])
    expect(Object.keys(listed[0] ?? {})).not.toContain('data')
    const [factor = { type: '', id: '' }] = listed
    expect(await auth.factors.remove('another user', factor)).toBe('unknown')
    expect(await auth.factors.remove(id, { ...factor, id: 'another' })).toBe('unknown')
    expect(await auth.factors.remove(id, { ...factor, type: 'another' })).toBe('unknown')
    expect(await auth.factors.remove(id, factor)).toBe('removed')
    expect(await auth.factors.list(id)).toEqual([])
    expect(await auth.factors.remove(id, factor)).toBe('unknown')
    const browser = browse()
    await signIn(browser)
    expect((await getUser(browser)).id).toBe(id)
  })

  test('a removed factor ends the unfinished sign-ins (I-52.4)', async () => {
    const { auth, browse, owner, kept } = await serveOwner()
    const { id } = await getUser(owner)
    const [before, browser] = [browse(), browse()]
    await signIn(before)
    await signIn(browser)
    expect((await prove(before, `${kept.secret}-2`)).status).toBe(302)
    const [factor = { type: '', id: '' }] = await auth.factors.list(id)
    await auth.factors.remove(id, factor)
    const refused = await prove(browser, `${kept.secret}-3`, { json: 'true' })
    expect((await refused.json()).error).toBe('SessionRequired')
  })

  test('is a member of what keeps factors: without, a call is refused', async () => {
    const factor = { type: 'numbers', id: '1' }
    const { auth } = serveSecond({ storage: memoryStorage() })
    expect(await auth.factors.list('alice')).toEqual([])
    expect(await auth.factors.remove('alice', factor)).toBe('unknown')
    const none = serve({ storage: memoryStorage() }).auth
    const message = 'auth.factors: needs secondFactor(), passwords() or passkeys() in use'
    await expect(none.factors.list('alice')).rejects.toThrow(message)
    await expect(none.factors.remove('alice', factor)).rejects.toThrow(message)
  })

  test('events tell of both', async () => {
    const events: unknown[] = []
    const { auth, browse, flushed } = {
      flushed: events,
      ...serveSecond({
        providers: [present],
        events: {
          enrolFactor: (event) => events.push(event),
          removeFactor: (event) => events.push(event),
        },
      }),
    }
    const browser = browse()
    await signIn(browser)
    await enrol(browser)
    const { id: userId } = await getUser(browser)
    const [{ type, id } = { type: '', id: '' }] = await auth.factors.list(userId)
    await auth.factors.remove(userId, { type, id })
    const event = { userId, factor: { type, id, name: null } }
    expect(flushed).toEqual([event, event])
  })
})

describe('a configuration is refused', () => {
  const methods = [numbers, spare]
  const valid = (): Partial<AuthConfig> => ({ storage: memoryStorage() })
  const toMethod = (id: string, field = 'pin'): EnrolledMethod => {
    return { ...numbers, id, fields: { [field]: { label: 'Code' } } }
  }

  test.each<[string, Partial<AuthConfig>, Partial<SecondFactorOptions>, string]>([
    ['with sessions that cannot be ended', { session: { strategy: 'cookie' } }, {}, 'secondFactor'],
    ['with a provider of the same id', { providers: [passport({ id: 'numbers' })] }, {}, 'use'],
    ['with a provider called second', { providers: [passport({ id: 'second' })] }, {}, 'providers'],
    ['without methods', {}, { methods: [] }, 'secondFactor.methods'],
    ['with recovery codes only', {}, { methods: [spare] }, 'secondFactor.methods'],
    ['with an id given twice', {}, { methods: [numbers, numbers] }, 'secondFactor.methods'],
    [
      'that remembers for more than 30 days',
      {},
      { rememberFor: 31 * 86_400 },
      'secondFactor.rememberFor',
    ],
    ['that remembers for half a second', {}, { rememberFor: 0.5 }, 'secondFactor.rememberFor'],
    ['that remembers for less than nothing', {}, { rememberFor: -1 }, 'secondFactor.rememberFor'],
    ['with a text as require', {}, { require: 'yes' as never }, 'secondFactor.require'],
    ['with an id of capitals', {}, { methods: [toMethod('Numbers')] }, 'secondFactor.methods'],
    [
      'with a field of the protocol',
      {},
      { methods: [toMethod('numbers', 'csrfToken')] },
      'secondFactor.methods',
    ],
    [
      'with a field of the second step',
      {},
      { methods: [toMethod('numbers', 'remember')] },
      'secondFactor.methods',
    ],
  ])('%s', (_, over, options, option) => {
    const create = (more: Partial<AuthConfig>, chosen: Partial<SecondFactorOptions>) => () =>
      serveSecond({ ...valid(), ...more }, { methods, ...chosen })
    expect(create({}, {})).not.toThrow()
    for (const field of ['code', 'pin']) {
      expect(create({}, { methods: [toMethod('numbers', field)] })).not.toThrow()
    }
    expect(create({}, { rememberFor: 30 * 86_400 })).not.toThrow()
    expect(create(over, options)).toThrow(ConfigurationError)
    expect(create(over, options)).toThrow(`${option}:`)
  })

  test.each<[string, unknown, string]>([
    ['email()', email({ mailer: new Mailbox(), from: 'a@app.example' }), 'email is a provider'],
    [
      'oidc()',
      oidc({
        id: 'op',
        name: 'OP',
        issuer: 'https://op.example',
        clientId: 'c',
        clientSecret: 's',
      }),
      'op is a provider',
    ],
    ['a provider of an own kind', present, 'passport is a provider'],
    [
      'a function that is not called',
      function totp() {},
      'must have totp() in place of the function totp',
    ],
    [
      'a function without a name',
      () => undefined,
      'must have totp() in place of the function totp',
    ],
    ['nothing', undefined, 'each must be a method'],
    ['an object', { id: 'totp' }, 'each must be a method'],
  ])('of methods with %s (I-52.7)', (_, method, problem) => {
    const storage = memoryStorage()
    const given = [...methods, method] as never
    expect(
      getConfigError(() => ({ storage, use: [confirmation(), secondFactor({ methods })] })),
    ).toBeUndefined()
    const [option, found] =
      getConfigError(() => ({
        storage,
        use: [confirmation(), secondFactor({ methods: given })],
      })) ?? []
    expect(option).toBe('secondFactor.methods')
    expect(found).toContain(problem)
  })

  test('not without recovery codes, which is a warning (I-53.3)', () => {
    const storage = memoryStorage()
    const warn = (given: readonly SecondFactorMethod[]): unknown[] =>
      serve({ storage, use: [confirmation(), secondFactor({ methods: given })] }).lines.map(
        ({ level, message }) => [level, message],
      )
    expect(warn([numbers, spare])).toEqual([])
    expect(warn([numbers])).toEqual([['warn', expect.stringContaining('without recovery codes')]])
  })

  test('without a storage', () => {
    expect(getConfigError(() => ({ use: [secondFactor({ methods })] }))?.[0]).toBe('secondFactor')
  })
})
