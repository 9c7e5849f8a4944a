import { describe, expect, test } from 'vitest'
import { createDevice } from './support/device.ts'
import {
  addPasskey,
  alice,
  answer,
  ask,
  base,
  getEmail,
  getMethods,
  origin,
  servePasskeys,
  signIn,
  signInByEmail,
} from './support/service.ts'

describe('a passkey', () => {
  test('is added in a session, and signs in without a name', async () => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    const device = await addPasskey(browser)
    const other = service.browse('192.0.2.2')
    const response = await signIn(other, device)
    expect(await response.json()).toEqual({ url: origin })
    expect(await getEmail(other)).toBe(alice)
    expect(await getMethods(service, other)).toEqual(['swk', 'user', 'mfa'])
  })

  test('that is bound to a device is hwk', async () => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    const device = await createDevice(origin)
    const { publicKey } = await ask(browser, { link: 'true' })
    const flags = 0x45
    expect((await answer(browser, await device.create(publicKey, { flags }))).status).toBe(200)
    device.faults = { flags: 0x05 }
    const other = service.browse()
    expect((await signIn(other, device)).status).toBe(200)
    expect(await getMethods(service, other)).toEqual(['hwk', 'user', 'mfa'])
  })
})

describe('the options', () => {
  test('of a sign-in name no credential', async () => {
    const { publicKey, url } = await ask(servePasskeys().browse(), { callbackUrl: '/start' })
    expect(publicKey).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'app.example',
      userVerification: 'required',
      timeout: 900_000,
      allowCredentials: [],
    })
    expect(url).toBe(`${base}/signin/passkey?callbackUrl=${encodeURIComponent(`${origin}/start`)}`)
  })
})
