import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import type { SecondFactorOptions } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing'
import { passkeyFactor } from '@latchkey/passkeys'
import { TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import type { Device } from './support/device.ts'
import {
  addPasskey,
  alice,
  answer,
  ask,
  defaultUse,
  getEmail,
  getMethods,
  servePasskeys,
  signIn,
  signInByEmail,
} from './support/service.ts'
import type { PasskeyService } from './support/service.ts'
import { enrolApp } from './support/totp.ts'

const both = ['swk', 'user', 'mfa']

function serve(over: Partial<SecondFactorOptions> = {}): PasskeyService {
  const methods = [totp(), recoveryCodes()]
  return servePasskeys({}, { use: [...defaultUse, secondFactor({ methods, ...over })] })
}

interface Alice {
  readonly service: PasskeyService
  readonly browser: Browser
  readonly device: Device
  /** Enrols an app in her browser. */
  readonly enrol: () => Promise<TOTP>
  readonly code: (app: TOTP) => string
}

/** A service whose user Alice has a passkey, and no app yet. */
async function createAlice(...parts: Parameters<typeof serve>): Promise<Alice> {
  const service = serve(...parts)
  const browser = await signInByEmail(service)
  const device = await addPasskey(browser)
  const now = (): number => service.clock.runtime.now()
  return {
    service,
    browser,
    device,
    enrol: async () => (await enrolApp(browser, now())).app,
    code: (app) => app.generate({ timestamp: now() }),
  }
}

/** Signs in by a passkey, and returns the methods of the session; undefined if the app is asked for. */
async function getBoth({ service, device }: Alice): Promise<readonly string[] | undefined> {
  const browser = service.browse()
  const { status } = await signIn(browser, device)
  expect(status).toBe((await getEmail(browser)) ? 200 : 401)
  return getMethods(service, browser)
}

/** Signs in by a passkey, and then by the app. */
async function signInByBoth(user: Alice, app: TOTP): Promise<Browser> {
  const { service, device, code } = user
  await service.clock.advance(30_000)
  const browser = service.browse()
  const asked = await signIn(browser, device)
  expect(await asked.json()).toMatchObject({ error: 'SecondFactorRequired' })
  expect((await browser.submit('/signin/totp', { code: code(app) })).status).toBe(302)
  expect(await getMethods(service, browser)).toEqual(['swk', 'user', 'otp', 'mfa'])
  return browser
}

async function removeApp({ service: { auth, storage } }: Alice): Promise<void> {
  const { id = '' } = { ...(await storage.getUserByEmail(alice)) }
  const factors = await auth.factors.list(id)
  const app = factors.find(({ type }) => type === 'totp')
  expect(app && (await auth.factors.remove(id, app))).toBe('removed')
}

describe('a passkey that verifies its user (I-52.7)', () => {
  test('is two factors of a user without another one', async () => {
    expect(await getBoth(await createAlice())).toEqual(both)
  })

  test('of before the app is one factor until the app was proven after it', async () => {
    const user = await createAlice()
    await user.service.clock.advance(60_000)
    const app = await user.enrol()
    expect(await getBoth(user)).toBeUndefined()
    await signInByBoth(user, app)
    expect(await getBoth(user)).toEqual(both)
  })

  test('of before the app signs in too if `require` is set', async () => {
    let isStrict = false
    const user = await createAlice({ require: () => isStrict })
    isStrict = true
    expect(await getBoth(user)).toEqual(both)
    const app = await user.enrol()
    await signInByBoth(user, app)
    expect(await getBoth(user)).toEqual(both)
  })

  test('stays one factor however often it confirms a session without the app', async () => {
    const user = await createAlice()
    const confirm = async (): Promise<number> => {
      const { publicKey } = await ask(user.browser, { confirm: 'true' })
      return (await answer(user.browser, await user.device.get(publicKey))).status
    }
    expect(await confirm()).toBe(200)
    await user.enrol()
    expect(await getBoth(user)).toBeUndefined()
    expect(await confirm()).toBe(401)
    expect(await getBoth(user)).toBeUndefined()
  })

  test('that a recovery code has followed is two factors from then on', async () => {
    const user = await createAlice()
    await user.browser.submit('/signin/totp', { link: 'true' })
    const page = await (await user.browser.visit('/signin?second=true')).text()
    const secret = /otpauth:[^"]+secret=(\w+)/.exec(page)?.[1] ?? ''
    const code = user.code(new TOTP({ secret }))
    const headers = { accept: 'application/json' }
    const enrolled = await user.browser.submit('/signin/totp', { code }, { headers })
    const { codes }: { codes: readonly string[] } = await enrolled.json()
    await user.service.clock.advance(1000)
    const browser = user.service.browse()
    expect((await signIn(browser, user.device)).status).toBe(401)
    const used = await browser.submit('/signin/recovery', { code: codes[0] ?? '' })
    expect(used.status).toBe(302)
    expect(await getBoth(user)).toEqual(both)
  })

  test('that the app has followed in the second of its enrolment is asked once more', async () => {
    const user = await createAlice()
    const app = await user.enrol()
    const browser = user.service.browse()
    expect((await signIn(browser, user.device)).status).toBe(401)
    const next = app.generate({ timestamp: user.service.clock.runtime.now() + 30_000 })
    expect((await browser.submit('/signin/totp', { code: next })).status).toBe(302)
    expect(await getBoth(user)).toBeUndefined()
  })

  test('is two factors again without the app, and one again with another app', async () => {
    const user = await createAlice()
    const app = await user.enrol()
    await signInByBoth(user, app)
    await removeApp(user)
    expect(await getBoth(user)).toEqual(both)
    await user.service.clock.advance(60_000)
    await user.enrol()
    expect(await getBoth(user)).toBeUndefined()
  })

  test('stays two factors with a further app', async () => {
    const user = await createAlice()
    const app = await user.enrol()
    const browser = await signInByBoth(user, app)
    await user.service.clock.advance(60_000)
    await enrolApp(browser, user.service.clock.runtime.now())
    expect(await getBoth(user)).toEqual(both)
  })

  test('is two factors at once if it was added with the app proven', async () => {
    const user = await createAlice()
    const app = await user.enrol()
    const browser = await signInByBoth(user, app)
    const device = await addPasskey(browser)
    expect(await getBoth({ ...user, device })).toEqual(both)
  })

  test('is two factors if no configured method can prove the other one', async () => {
    const user = await createAlice()
    await user.enrol()
    expect(await getBoth(user)).toBeUndefined()
    const option = secondFactor({ methods: [passkeyFactor(), recoveryCodes()] })
    const { storage } = user.service
    for (const over of [{}, { use: [...defaultUse, option] }]) {
      const service = servePasskeys({}, { ...over, storage })
      expect(await getBoth({ ...user, service })).toEqual(both)
    }
  })

  test('counts if it followed an email after the app was enrolled, and not before', async () => {
    const user = await createAlice({ methods: [passkeyFactor(), totp(), recoveryCodes()] })
    const prove = async (): Promise<void> => {
      const browser = user.service.browse()
      await user.service.clock.advance(60_000)
      await browser.submit('/signin/email', { email: alice })
      await browser.visit(await user.service.mailbox.linkTo(alice))
      const { publicKey } = await ask(browser, { second: 'true' })
      expect((await answer(browser, await user.device.get(publicKey))).status).toBe(200)
    }
    await prove()
    const { publicKey } = await ask(user.browser, { confirm: 'true' })
    expect((await answer(user.browser, await user.device.get(publicKey))).status).toBe(200)
    await user.enrol()
    expect(await getBoth(user)).toBeUndefined()
    await prove()
    expect(await getBoth(user)).toEqual(both)
  })

  test('counts after two uses at the same moment', async () => {
    const user = await createAlice()
    const [first, second] = [await user.enrol(), user.service.browse()]
    await user.service.clock.advance(60_000)
    const one = user.service.browse()
    for (const browser of [one, second]) {
      expect((await signIn(browser, user.device)).status).toBe(401)
    }
    const code = user.code(first)
    const next = first.generate({ timestamp: user.service.clock.runtime.now() + 30_000 })
    const posts = await Promise.all([
      one.submit('/signin/totp', { code }),
      second.submit('/signin/totp', { code: next }),
      signIn(user.service.browse(), user.device),
    ])
    expect(posts.some(({ status }) => status === 302)).toBe(true)
    expect(await getBoth(user)).toEqual(both)
  })
})
