import { secondFactor } from '@latchkey/core/second-factor'
import { passkeyFactor } from '@latchkey/passkeys'
import { recoveryCodes, totp } from '@latchkey/totp'
import { expect, test } from 'vitest'
import { slowStorage } from '../../core/test/support/slow-storage.ts'
import {
  addPasskey,
  alice,
  answer,
  ask,
  getEmail,
  servePasskeys,
  signIn,
  signInByEmail,
} from './support/service.ts'

test('an answer waits for the storage when a passkey is added, used, renamed and removed', async () => {
  const { storage, watch } = slowStorage()
  const service = servePasskeys({}, { storage })
  const late = watch(service.auth)
  const browser = await signInByEmail(service)
  const device = await addPasskey(browser)
  await addPasskey(browser)
  const other = service.browse()
  await signIn(other, device)
  expect(await getEmail(other)).toBe(alice)
  const session: { readonly user: { readonly id: string } } = await (
    await other.visit('/session')
  ).json()
  const [factor] = (await storage.listFactors?.(session.user.id)) ?? []
  await other.submit('/account', { action: 'renamePasskey', factor: factor?.id ?? '', name: 'Key' })
  await other.submit('/account', { action: 'removePasskey', factor: factor?.id ?? '' })
  await signIn(service.browse(), device)
  expect(late).toEqual([])
})

test('an answer waits for the storage when a passkey is the second factor', async () => {
  const { storage, watch } = slowStorage()
  const methods = [passkeyFactor(), totp(), recoveryCodes()]
  const service = servePasskeys({}, { storage, secondFactor: secondFactor({ methods }) })
  const late = watch(service.auth)
  const device = await addPasskey(await signInByEmail(service))
  const browser = service.browse()
  await browser.submit('/signin/email', { email: alice })
  await browser.visit(await service.mailbox.linkTo(alice))
  const { publicKey } = await ask(browser, { second: 'true' })
  await answer(browser, await device.get(publicKey))
  expect(await getEmail(browser)).toBe(alice)
  expect(late).toEqual([])
})
