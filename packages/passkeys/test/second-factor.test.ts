import { createAuth } from '@latchkey/core'
import type { AuthConfig } from '@latchkey/core'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import type { SecondFactorOptions } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing'
import { passkeyFactor } from '@latchkey/passkeys'
import type { PasskeysOptions } from '@latchkey/passkeys'
import { describe, expect, test } from 'vitest'
import { createDevice, unverified } from './support/device.ts'
import type { Device } from './support/device.ts'
import {
  addPasskey,
  alice,
  answer,
  ask,
  base,
  bob,
  defaultUse,
  getEmail,
  getMethods,
  origin,
  servePasskeys,
  signIn,
  signInByEmail,
} from './support/service.ts'
import type { PasskeyService } from './support/service.ts'
import { enrolApp } from './support/totp.ts'

/** Serves passkeys that are second factors, beside authenticator apps and recovery codes. */
function serve(
  options: PasskeysOptions = {},
  over: Partial<SecondFactorOptions> = {},
  config: Partial<AuthConfig> = {},
): PasskeyService {
  const methods = [passkeyFactor(), totp(), recoveryCodes()]
  return servePasskeys(options, {
    ...config,
    use: [...defaultUse, secondFactor({ methods, ...over })],
  })
}

/** Opens a link of an email in a new browser, which must then prove a second factor. */
async function beginByEmail(service: PasskeyService, address: string = alice): Promise<Browser> {
  const browser = service.browse()
  await browser.submit('/signin/email', { email: address })
  const response = await browser.visit(await service.mailbox.linkTo(address))
  expect(response.headers.get('location')).toBe(`${base}/signin?second=true`)
  expect(await getEmail(browser)).toBeUndefined()
  return browser
}

/** Proves the second factor by a passkey. */
async function prove(browser: Browser, device: Device): Promise<Response> {
  const { publicKey } = await ask(browser, { second: 'true' })
  return answer(browser, await device.get(publicKey))
}

/** A service whose user Alice has a passkey, and her browser. */
async function createAlice(...parts: Parameters<typeof serve>): Promise<{
  readonly service: PasskeyService
  readonly browser: Browser
  readonly device: Device
}> {
  const service = serve(...parts)
  const browser = await signInByEmail(service)
  return { service, browser, device: await addPasskey(browser) }
}

describe('a passkey as a second factor', () => {
  test('is asked for after a sign-in by email, and completes it', async () => {
    const { service, device } = await createAlice()
    const browser = await beginByEmail(service)
    const page = await (await browser.visit('/signin?second=true')).text()
    expect(page).toContain('Use a passkey')
    const { publicKey } = await ask(browser, { second: 'true' })
    expect(publicKey.allowCredentials).toEqual([
      { type: 'public-key', id: device.id, transports: ['internal', 'hybrid'] },
    ])
    const response = await answer(browser, await device.get(publicKey))
    expect(await response.json()).toEqual({ url: origin })
    expect(await getEmail(browser)).toBe(alice)
    expect(await getMethods(service, browser)).toEqual(['email', 'swk', 'user', 'mfa'])
  })

  test('that verifies its user is both factors', async () => {
    const { service, device } = await createAlice()
    const browser = service.browse()
    expect(await (await signIn(browser, device)).json()).toEqual({ url: origin })
    expect(await getMethods(service, browser)).toEqual(['swk', 'user', 'mfa'])
  })

  test('satisfies `require`, and enrols nothing', async () => {
    const service = servePasskeys()
    const device = await addPasskey(await signInByEmail(service))
    const strict = serve({}, { require: true }, { storage: service.storage })
    const browser = strict.browse()
    expect((await signIn(browser, device)).status).toBe(200)
    expect(await getEmail(browser)).toBe(alice)
    const other = strict.browse()
    await other.submit('/signin/email', { email: bob })
    const response = await other.visit(await strict.mailbox.linkTo(bob))
    expect(response.headers.get('location')).toBe(`${base}/signin?second=true`)
  })

  test('the first one ends the other sessions, and has recovery codes', async () => {
    const service = serve()
    const [browser, other] = [await signInByEmail(service), await signInByEmail(service)]
    expect(await getEmail(other)).toBe(alice)
    const { publicKey } = await ask(browser, { link: 'true' })
    const response = await answer(browser, await (await createDevice(origin)).create(publicKey))
    const body: { codes: readonly string[] } = await response.json()
    expect(body.codes).toHaveLength(10)
    expect(await getEmail(browser)).toBe(alice)
    expect(await getEmail(other)).toBeUndefined()
    const waiting = await beginByEmail(service)
    const code = await waiting.submit('/signin/recovery', { code: body.codes[0] ?? '' })
    expect(code.status).toBe(302)
    expect(await getEmail(waiting)).toBe(alice)
  })

  test('has a form on the page on which factors are enrolled, as the other methods (I-53.9)', async () => {
    const forms = async (...parts: Parameters<typeof serve>): Promise<unknown> => {
      const browser = await signInByEmail(serve(...parts))
      const html = await (await browser.visit('/signin?enrol=true')).text()
      return [...html.matchAll(/action="[^"]*\/(?:signin|callback)\/([^"]+)"/g)].map(([, id]) => id)
    }
    expect(await forms()).toEqual(['passkey', 'totp'])
    expect(await forms({}, { methods: [totp(), recoveryCodes()] })).toEqual(['totp'])
  })

  test('needs passkeyFactor(): without it the first passkey ends no session', async () => {
    const service = serve({}, { methods: [totp(), recoveryCodes()] })
    const [browser, other] = [await signInByEmail(service), await signInByEmail(service)]
    const { publicKey } = await ask(browser, { link: 'true' })
    const response = await answer(browser, await (await createDevice(origin)).create(publicKey))
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.not.objectContaining({ codes: expect.anything() }),
    ])
    expect(await getEmail(other)).toBe(alice)
  })

  test('without verification completes a sign-in by email, and is one factor by itself', async () => {
    const methods = [passkeyFactor(), totp()]
    const service = serve({ userVerification: 'preferred' }, { methods })
    const first = await signInByEmail(service)
    const device = await createDevice(origin)
    const { publicKey } = await ask(first, { link: 'true' })
    const response = await answer(first, await device.create(publicKey, unverified.create))
    expect(response.status).toBe(200)
    device.faults = unverified.get
    const browser = await beginByEmail(service)
    expect((await prove(browser, device)).status).toBe(200)
    expect(await getMethods(service, browser)).toEqual(['email', 'swk', 'user', 'mfa'])
    const alone = service.browse()
    const refused = await signIn(alone, device)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ error: 'AccessDenied' })
    expect(await getEmail(alone)).toBeUndefined()
  })

  test('that has verified its user before is one factor without verification', async () => {
    const { service, device } = await createAlice(
      { userVerification: 'preferred' },
      { methods: [passkeyFactor(), totp()] },
    )
    const browser = service.browse()
    expect((await signIn(browser, device)).status).toBe(200)
    device.faults = unverified.get
    const alone = service.browse()
    expect((await signIn(alone, device)).status).toBe(403)
    expect(await getEmail(alone)).toBeUndefined()
  })

  test('that verifies its user beside an email counts as both factors from then on', async () => {
    const service = serve({ userVerification: 'preferred' })
    const first = await signInByEmail(service)
    const device = await createDevice(origin)
    const { publicKey } = await ask(first, { link: 'true' })
    expect((await answer(first, await device.create(publicKey, unverified.create))).status).toBe(
      200,
    )
    device.faults = unverified.get
    expect((await prove(await beginByEmail(service), device)).status).toBe(200)
    device.faults = {}
    const before = service.browse()
    expect((await signIn(before, device)).status).not.toBe(200)
    expect((await prove(await beginByEmail(service), device)).status).toBe(200)
    const after = service.browse()
    expect((await signIn(after, device)).status).toBe(200)
    expect(await getMethods(service, after)).toEqual(['swk', 'user', 'mfa'])
  })

  test('does not follow a passkey: another kind is asked for', async () => {
    const service = serve({ userVerification: 'preferred' })
    const first = await signInByEmail(service)
    const { app, status } = await enrolApp(first, 1_800_000_000_000)
    expect(status).toBe(200)
    const device = await createDevice(origin)
    await first.submit('/signin/email', { email: alice, confirm: 'true' })
    await first.visit(await service.mailbox.linkTo(alice))
    await service.clock.advance(30_000)
    const code = app.generate({ timestamp: 1_800_000_030_000 })
    await first.submit('/signin/totp', { code })
    const { publicKey } = await ask(first, { link: 'true' })
    const added = await answer(first, await device.create(publicKey, unverified.create))
    expect(added.status).toBe(200)
    device.faults = unverified.get
    const browser = service.browse()
    const response = await signIn(browser, device)
    expect(await response.json()).toMatchObject({ error: 'SecondFactorRequired' })
    const page = await (await browser.visit('/signin?second=true')).text()
    expect(page).not.toContain('Use a passkey')
    const { publicKey: options } = await ask(browser, { second: 'true' })
    const refused = await answer(browser, await device.get(options))
    expect(refused.status).toBe(401)
    expect(await getEmail(browser)).toBeUndefined()
    await service.clock.advance(30_000)
    const next = app.generate({ timestamp: 1_800_000_060_000 })
    expect((await browser.submit('/signin/totp', { code: next })).status).toBe(302)
    expect(await getEmail(browser)).toBe(alice)
  })

  test('confirms a session, and lets another passkey be added', async () => {
    const { service, browser, device } = await createAlice()
    await service.clock.advance(601_000)
    expect(await ask(browser, { link: 'true' })).toMatchObject({ error: 'ConfirmationRequired' })
    const { publicKey } = await ask(browser, { confirm: 'true', callbackUrl: '/after' })
    const response = await answer(browser, await device.get(publicKey), { callbackUrl: '/after' })
    expect(await response.json()).toEqual({ url: `${origin}/after` })
    expect(await ask(browser, { link: 'true' })).toMatchObject({ status: 200 })
    expect(await getMethods(service, browser)).toEqual(['swk', 'user', 'mfa'])
  })
})

describe('a second step by a passkey is refused', () => {
  test('without an unfinished sign-in', async () => {
    const { service, device } = await createAlice()
    const browser = await beginByEmail(service)
    expect((await prove(browser, device)).status).toBe(200)
    expect(await ask(service.browse(), { second: 'true' })).toMatchObject({
      status: 403,
      error: 'SessionRequired',
    })
  })

  test("of another user's passkey", async () => {
    const { service, device } = await createAlice()
    const other = await addPasskey(await signInByEmail(service, bob))
    const browser = await beginByEmail(service)
    const refused = await prove(browser, other)
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ error: 'CredentialsSignin' })
    expect(service.log.at(-1)?.message).toMatch(/another user has the passkey/)
    expect(await getEmail(browser)).toBeUndefined()
    expect((await prove(browser, device)).status).toBe(200)
  })

  test('with the challenge of a sign-in, and a sign-in with the challenge of a second step', async () => {
    const { service, device } = await createAlice()
    const browser = await beginByEmail(service)
    const { publicKey } = await ask(browser)
    expect((await answer(browser, await device.get(publicKey), { second: 'true' })).status).toBe(
      200,
    )
    expect(await getMethods(service, browser)).toEqual(['swk', 'user', 'mfa'])
    const waiting = await beginByEmail(service, alice)
    const { publicKey: second } = await ask(waiting, { second: 'true' })
    const credential = await device.get(second)
    const [step = ''] = [...waiting.cookies.keys()].filter((name) => name.endsWith('.second'))
    const sealed = waiting.cookies.get(step) ?? ''
    waiting.cookies.delete(step)
    expect((await answer(waiting, credential)).status).toBe(403)
    expect(await getEmail(waiting)).toBeUndefined()
    waiting.cookies.set(step, sealed)
    expect((await prove(waiting, device)).status).toBe(200)
  })

  test('with the challenge of another unfinished sign-in of the browser', async () => {
    const { service, device } = await createAlice()
    const browser = await beginByEmail(service)
    const { publicKey } = await ask(browser, { second: 'true' })
    const [flow = ''] = [...browser.cookies.keys()].filter((name) => name.endsWith('.passkey'))
    await browser.submit('/signin/email', { email: alice })
    await browser.visit(await service.mailbox.linkTo(alice))
    expect(browser.cookies.has(flow)).toBe(true)
    expect((await answer(browser, await device.get(publicKey))).status).toBe(401)
    expect(await getEmail(browser)).toBeUndefined()
    expect((await prove(browser, device)).status).toBe(200)
  })

  test('for a user who has the passkey no more', async () => {
    const { service, browser, device } = await createAlice()
    const { publicKey: options } = await ask(browser, { confirm: 'true' })
    expect((await answer(browser, await device.get(options))).status).toBe(200)
    const second = await addPasskey(browser)
    const waiting = await beginByEmail(service)
    const { publicKey } = await ask(waiting, { second: 'true' })
    const account = await browser.json('/account', { headers: { accept: 'application/json' } })
    const passkeys = account['passkeys'] as readonly { id: string; credentialId: string }[]
    const { id = '' } = passkeys.find(({ credentialId }) => credentialId === device.id) ?? {}
    await browser.submit('/account', { action: 'removePasskey', id })
    expect((await answer(waiting, await device.get(publicKey))).status).toBe(403)
    expect(await getEmail(waiting)).toBeUndefined()
    const again = await beginByEmail(service)
    expect((await prove(again, second)).status).toBe(200)
  })

  test('with a challenge that was answered before, also with its cookie', async () => {
    for (const isNew of [true, false]) {
      const { service, device } = await createAlice()
      const other = await addPasskey(await signInByEmail(service, bob))
      const browser = await beginByEmail(service)
      const { publicKey } = await ask(browser, { second: 'true' })
      const cookies = [...browser.cookies]
      expect((await answer(browser, await other.get(publicKey))).status).toBe(401)
      for (const [name, value] of cookies) browser.cookies.set(name, value)
      const next = isNew ? (await ask(browser, { second: 'true' })).publicKey : publicKey
      expect((await answer(browser, await device.get(next))).status).toBe(isNew ? 200 : 401)
      expect(await getEmail(browser)).toBe(isNew ? alice : undefined)
    }
  })

  test('after five answers that are wrong', async () => {
    const { service, device } = await createAlice()
    const other = await addPasskey(await signInByEmail(service, bob))
    const browser = await beginByEmail(service)
    for (let count = 0; count < 5; count++) expect((await prove(browser, other)).status).toBe(401)
    expect((await prove(browser, device)).status).toBe(429)
  })
})

describe('a second step by a passkey is refused by a service', () => {
  /** Copies the cookies of a browser to another service with the same storage. */
  const move = ({ cookies }: Browser, service: PasskeyService): Browser => {
    const moved = service.browse()
    for (const [name, value] of cookies) moved.cookies.set(name, value)
    return moved
  }

  test.each([
    ['without secondFactor()', undefined],
    ['whose second factors are others', secondFactor({ methods: [totp()] })],
  ])('%s', async (_, option) => {
    const { service, device } = await createAlice()
    const browser = await beginByEmail(service)
    const { publicKey } = await ask(browser, { second: 'true' })
    const credential = await device.get(publicKey)
    const { storage } = service
    const changed = servePasskeys(
      {},
      {
        storage,
        use: [...defaultUse, ...(option ? [option] : [])],
      },
    )
    const moved = move(browser, changed)
    const refused = await answer(moved, credential)
    expect(refused.status).toBe(option ? 403 : 401)
    expect(await refused.json()).toMatchObject({ error: 'SessionRequired' })
    expect(await getEmail(moved)).toBeUndefined()
    if (option) {
      expect(changed.log.at(-1)?.message).toContain('is not a second factor any more')
      expect(await ask(moved, { second: 'true' })).toMatchObject({ error: 'SessionRequired' })
    }
    expect((await answer(browser, credential)).status).toBe(200)
  })

  test('that waits for an enrolment', async () => {
    const service = serve({}, { require: true })
    const browser = await beginByEmail(service)
    const asked = await ask(browser, { second: 'true' })
    expect(asked).toMatchObject({ status: 403, error: 'SessionRequired' })
    const { service: other } = await createAlice()
    const waiting = await beginByEmail(other)
    expect(await ask(waiting, { second: 'true' })).toMatchObject({ status: 200 })
  })
})

test('the options name the page that has the button of the ceremony', async () => {
  const { service, browser } = await createAlice()
  const waiting = await beginByEmail(service)
  const { url } = await ask(waiting, { second: 'true' })
  expect(url).toBe(`${base}/signin?second=true`)
  const confirmed = await ask(browser, { confirm: 'true', callbackUrl: '/after' })
  expect(confirmed.url).toBe(
    `${base}/signin?callbackUrl=${encodeURIComponent(`${origin}/after`)}&confirm=true`,
  )
  const without = servePasskeys()
  for (const fields of [{}, { second: 'true' }]) {
    const begun = await ask(without.browse(), fields)
    expect(begun).toMatchObject({ status: 200 })
    expect(begun.url).not.toContain('second=true')
  }
})

test('the field link does not make an enrolment of a second step', async () => {
  const { service, device } = await createAlice()
  const browser = await beginByEmail(service)
  const { publicKey } = await ask(browser, { second: 'true' })
  expect((await answer(browser, await device.get(publicKey), { link: 'true' })).status).toBe(200)
  expect(await getEmail(browser)).toBe(alice)
})

describe('secondFactor()', () => {
  test('refuses passkeys without their provider', () => {
    const option = secondFactor({ methods: [passkeyFactor(), totp()] })
    expect(() => servePasskeys({}, { use: [...defaultUse, option] })).not.toThrow()
    const config = { ...servePasskeys().config, use: [...defaultUse, option] }
    const providers = config.providers.filter(({ id }) => id !== 'passkey')
    expect(() => createAuth({ ...config, providers })).toThrow(
      'secondFactor.methods: passkey needs the provider with this id',
    )
  })

  test('needs another method if users must enrol one', () => {
    expect(() => secondFactor({ methods: [passkeyFactor(), totp()], require: true })).not.toThrow()
    expect(() => secondFactor({ methods: [passkeyFactor()] })).not.toThrow()
    for (const methods of [[passkeyFactor()], [passkeyFactor(), recoveryCodes()]]) {
      expect(() => secondFactor({ methods, require: true, enrol: false })).not.toThrow()
      expect(() => secondFactor({ methods, require: true })).toThrow(
        'secondFactor.methods: must name a method such as totp() beside passkeys',
      )
    }
  })
})
