import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { secondFactor, totp } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import { describe, expect, test } from 'vitest'
import {
  ask as askForLink,
  choose,
  good,
  other,
  register,
  servePasswords,
  signIn as signInByPassword,
} from '../../passwords/test/support/service.ts'
import { createDevice, quiet, unverified } from './support/device.ts'
import {
  addPasskey,
  alice,
  answer,
  ask,
  createQuietly,
  defaultUse,
  getEmail,
  getMethods,
  getUserId,
  origin,
  servePasskeys,
  signIn,
  signInByEmail,
} from './support/service.ts'
import { enrolApp } from './support/totp.ts'

const json = { headers: { accept: 'application/json' } }

describe('a user is not locked out', () => {
  test('of a sign-in by email, if the storage lists no factors', async () => {
    const memory = memoryStorage()
    let isBroken = false
    const listFactors: Storage['listFactors'] = async (userId) => {
      if (isBroken) throw new Error('the storage lists no factors')
      return (await memory.listFactors?.(userId)) ?? []
    }
    const service = servePasskeys({}, { storage: { ...memory, listFactors } })
    expect(await getEmail(await signInByEmail(service))).toBe(alice)
    isBroken = true
    expect(await getEmail(await signInByEmail(service))).toBe(alice)
    expect(service.log.at(-1)?.message).toBe('providers.passkey was left out of a sign-in')
  })

  test('of the account and of other passkeys, if one cannot be read', async () => {
    const option = secondFactor({ methods: [passkeyFactor(), totp()] })
    const service = servePasskeys({}, { use: [...defaultUse, option] })
    const browser = await signInByEmail(service)
    const device = await addPasskey(browser)
    const times = { changedAt: 1, createdAt: 1, lastUsedAt: null }
    const unreadable = { type: 'passkey', id: 'unreadable', name: null, data: '{}', ...times }
    const userId = await getUserId(service)
    expect(await service.storage.createFactor?.(userId, unreadable)).toBe(true)
    expect((await browser.visit('/account')).status).toBe(200)
    const waiting = service.browse()
    await waiting.submit('/signin/email', { email: alice })
    await waiting.visit(await service.mailbox.linkTo(alice))
    const { publicKey } = await ask(waiting, { second: 'true' })
    expect(publicKey.allowCredentials).toHaveLength(1)
    expect((await answer(waiting, await device.get(publicKey))).status).toBe(200)
    expect(await getEmail(waiting)).toBe(alice)
  })

  test('by a passkey that is made without asking, and would be the first second factor', async () => {
    const option = secondFactor({ methods: [passkeyFactor(), totp()] })
    const service = servePasskeys({}, { use: [...defaultUse, option] })
    const browser = await signInByEmail(service)
    expect(await ask(browser, { link: 'true', automatic: 'true' })).toMatchObject({
      status: 403,
      error: 'AccessDenied',
    })
    const device = await addPasskey(browser)
    const { publicKey } = await ask(browser, { confirm: 'true' })
    expect((await answer(browser, await device.get(publicKey))).status).toBe(200)
    const asked = await ask(browser, { link: 'true', automatic: 'true' })
    expect(asked).toMatchObject({ status: 200 })
    const added = await createDevice(origin)
    const response = await answer(browser, await added.create(asked.publicKey, quiet))
    expect(response.status).toBe(200)
  })
})

test('the last way to sign in besides a passkey stays, if the passkey needs another factor', async () => {
  const option = secondFactor({ methods: [passkeyFactor(), totp()] })
  for (const isVerified of [true, false]) {
    const providers = [passkeys({ userVerification: 'preferred' })]
    const service = servePasswords({}, { providers, use: [...defaultUse, option] })
    const browser = await register(service)
    const { publicKey } = await ask(browser, { link: 'true' })
    const device = await createDevice(origin)
    const added = await device.create(publicKey, isVerified ? {} : unverified.create)
    expect((await answer(browser, added)).status).toBe(200)
    device.faults = isVerified ? {} : unverified.get
    const waiting = service.browse()
    await signInByPassword(waiting, good)
    const { publicKey: second } = await ask(waiting, { second: 'true' })
    expect((await answer(waiting, await device.get(second))).status).toBe(200)
    const removed = await waiting.submit('/account', { action: 'removePassword' }, json)
    expect(removed.status).toBe(isVerified ? 200 : 409)
    const alone = await signIn(service.browse(), device)
    expect(alone.status).toBe(isVerified ? 200 : 403)
  }
})

describe('a passkey that has not verified its user yet', () => {
  test.each([
    ['is verified beside a sign-in that is recent', 0, ['swk', 'user', 'mfa']],
    ['is not verified beside a sign-in that is old', 601, ['swk', 'user']],
  ])('%s', async (_, seconds, methods) => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    const device = await createQuietly(browser)
    await service.clock.advance(seconds * 1000)
    const { publicKey: options } = await ask(browser, { confirm: 'true' })
    expect((await answer(browser, await device.get(options))).status).toBe(200)
    const next = service.browse()
    expect((await signIn(next, device)).status).toBe(200)
    expect(await getMethods(service, next)).toEqual(methods)
  })
})

test('of two first second factors at the same moment, the first one ends the session of the other', async () => {
  const memory = memoryStorage()
  let act: (() => Promise<unknown>) | undefined
  const createFactor: Storage['createFactor'] = async (...parts) => {
    const isStored = (await memory.createFactor?.(...parts)) ?? false
    const armed = act
    act = undefined
    await armed?.()
    return isStored
  }
  const option = secondFactor({ methods: [passkeyFactor(), totp()] })
  const over = { storage: { ...memory, createFactor }, use: [...defaultUse, option] }
  const service = servePasskeys({}, over)
  const browsers = [await signInByEmail(service), await signInByEmail(service)] as const
  const idle = await signInByEmail(service)
  const begin = async (browser: Browser): Promise<() => Promise<Response>> => {
    const { publicKey } = await ask(browser, { link: 'true' })
    const credential = await (await createDevice(origin)).create(publicKey)
    return () => answer(browser, credential)
  }
  const [first, second] = [await begin(browsers[0]), await begin(browsers[1])]
  expect(await getEmail(idle)).toBe(alice)
  act = second
  expect((await first()).status).toBe(200)
  expect(await service.storage.listFactors?.(await getUserId(service))).toHaveLength(1)
  expect(await getEmail(idle)).toBeUndefined()
})

test('a user has at most 20 passkeys, also if they are added at the same moment', async () => {
  const service = servePasskeys()
  const browser = await signInByEmail(service)
  const csrfToken = await browser.csrfToken()
  const add = async (): Promise<() => Promise<Response>> => {
    const { publicKey } = await ask(browser, { link: 'true' })
    const credential = JSON.stringify(await (await createDevice(origin)).create(publicKey))
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { cookie, accept: 'application/json' }
    const fields = { csrfToken, credential }
    return () => service.browse().post('/callback/passkey', fields, { headers })
  }
  const posts: (() => Promise<Response>)[] = []
  while (posts.length < 30) posts.push(await add())
  const responses = await Promise.all(posts.map((post) => post()))
  expect(responses.some(({ status }) => status === 409)).toBe(true)
  const factors = (await service.storage.listFactors?.(await getUserId(service))) ?? []
  expect(factors.length).toBeLessThanOrEqual(20)
})

test('a passkey that is the first factor does not begin another count of wrong codes', async () => {
  const option = secondFactor({ methods: [passkeyFactor(), totp()] })
  const service = servePasskeys({ userVerification: 'preferred' }, { use: [...defaultUse, option] })
  const browser = await signInByEmail(service)
  const { app, status } = await enrolApp(browser, service.clock.runtime.now())
  expect(status).toBe(302)
  const makeCode = (): string => app.generate({ timestamp: service.clock.runtime.now() })
  await service.clock.advance(60_000)
  await browser.submit('/signin/email', { email: alice, confirm: 'true' })
  await browser.visit(await service.mailbox.linkTo(alice))
  expect((await browser.submit('/signin/totp', { code: makeCode() })).status).toBe(302)
  const device = await createDevice(origin, unverified.get)
  const { publicKey } = await ask(browser, { link: 'true' })
  const added = await device.create(publicKey, unverified.create)
  expect((await answer(browser, added)).status).toBe(200)
  const begin = async (): Promise<Browser> => {
    await service.clock.advance(600_000)
    const waiting = service.browse()
    expect((await signIn(waiting, device)).status).toBe(401)
    return waiting
  }
  const post = async (waiting: Browser, code: string): Promise<number> =>
    (await waiting.submit('/signin/totp', { code })).status
  expect(await post(await begin(), makeCode())).toBe(302)
  for (let step = 0; step < 20; step++) {
    const waiting = await begin()
    for (let count = 0; count < 5; count++) expect(await post(waiting, 'wrong')).toBe(401)
  }
  // Beyond a hundred, one a day is compared (I-52.8).
  expect(await post(await begin(), 'wrong')).toBe(401)
  expect(await post(await begin(), makeCode())).toBe(429)
})

describe('a forgotten password', () => {
  test('has an email that names passkeys, which stay', async () => {
    const service = servePasswords({}, { providers: [passkeys()] })
    const browser = await register(service)
    await askForLink(browser, 'forgot')
    expect((await service.mailbox.mailTo(alice)).text).not.toContain('Passkey')
    const device = await addPasskey(browser)
    await askForLink(service.browse(), 'forgot')
    expect((await service.mailbox.mailTo(alice)).text).toContain('Passkey')
    await choose(service.browse(), await service.mailbox.linkTo(alice), other)
    expect(await getEmail(browser)).toBeUndefined()
    expect((await signIn(service.browse(), device)).status).toBe(200)
  })

  test('of a user who signs in only by passkeys has an email that names them', async () => {
    const service = servePasswords({}, { providers: [passkeys()] })
    const browser = await register(service)
    const device = await addPasskey(browser)
    const removed = await browser.submit('/account', { action: 'removePassword' }, json)
    expect(removed.status).toBe(200)
    await askForLink(service.browse(), 'forgot')
    expect((await service.mailbox.mailTo(alice)).text).toContain('Passkey')
    expect((await signIn(service.browse(), device)).status).toBe(200)
  })
})
