import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { secondFactor, totp } from '@latchkey/second-factor'
import { describe, expect, test } from 'vitest'
import { flags } from './support/authenticator.ts'
import { createDevice } from './support/device.ts'
import {
  addPasskey,
  answer,
  ask,
  createQuietly,
  defaultUse,
  getMethods,
  origin,
  servePasskeys,
  signIn,
  signInByEmail,
} from './support/service.ts'

const automatic = { link: 'true', automatic: 'true' } as const

describe('the options of an automatic passkey', () => {
  test('are refused ten minutes after the sign-in, also if confirmations last longer', async () => {
    const service = servePasskeys({}, { use: [confirmation({ maxAge: 3600 }), accountPages()] })
    const browser = await signInByEmail(service)
    await service.clock.advance(600_000)
    expect(await ask(browser, automatic)).toMatchObject({ status: 200 })
    await service.clock.advance(1000)
    expect(await ask(browser, automatic)).toMatchObject({ status: 403, error: 'AccessDenied' })
    expect(await ask(browser, { link: 'true' })).toMatchObject({ status: 200 })
  })

  test('are given to a user who has no second factor and needs none', async () => {
    const service = servePasskeys({}, { use: [...defaultUse, secondFactor({ methods: [totp()] })] })
    const browser = await signInByEmail(service)
    expect(await ask(browser, automatic)).toMatchObject({ status: 200 })
  })

  test('are refused to a user who needs a second factor and has not proven it', async () => {
    const storage = servePasskeys().storage
    const browser = await signInByEmail(servePasskeys({}, { storage }))
    const cookies = new Map(browser.cookies)
    const option = secondFactor({ methods: [totp()], require: true })
    const strict = servePasskeys({}, { storage, use: [...defaultUse, option] })
    const other = strict.browse()
    for (const [name, value] of cookies) other.cookies.set(name, value)
    expect(await ask(browser, automatic)).toMatchObject({ status: 200 })
    expect(await ask(other, automatic)).toMatchObject({ status: 403, error: 'AccessDenied' })
    expect(await ask(other, { link: 'true' })).toMatchObject({ status: 200 })
    const device = await addPasskey(browser)
    const both = strict.browse()
    expect((await signIn(both, device)).status).toBe(200)
    expect(await ask(both, automatic)).toMatchObject({ status: 200 })
  })
})

describe('a passkey that was made without asking the user', () => {
  test('has two factors if its authenticator has verified the user all the same', async () => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    const { publicKey } = await ask(browser, automatic)
    const device = await createDevice(origin)
    expect((await answer(browser, await device.create(publicKey))).status).toBe(200)
    const other = service.browse()
    expect((await signIn(other, device)).status).toBe(200)
    expect(await getMethods(service, other)).toEqual(['swk', 'user', 'mfa'])
  })

  test('signs in with verification only, if the service requires it', async () => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    const device = await createQuietly(browser)
    expect((await signIn(service.browse(), device)).status).toBe(200)
    device.faults = { flags: flags.UP | flags.BE | flags.BS }
    expect((await signIn(service.browse(), device)).status).toBe(401)
  })
})
