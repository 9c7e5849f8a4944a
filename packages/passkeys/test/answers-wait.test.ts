import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { passkeyFactor } from '@latchkey/passkeys'
import { expect, test } from 'vitest'
import { slowStorage } from '../../core/test/support/slow-storage.ts'
import {
  addPasskey,
  alice,
  answer,
  ask,
  defaultUse,
  getEmail,
  servePasskeys,
  signIn,
  signInByEmail,
} from './support/service.ts'

const json = { headers: { accept: 'application/json' } }

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
  const { passkeys } = (await other.json('/account', json)) as {
    readonly passkeys: readonly { readonly id: string; readonly credentialId: string }[]
  }
  const id = passkeys.find(({ credentialId }) => credentialId === device.id)?.id ?? ''
  const change = async (fields: Readonly<Record<string, string>>): Promise<number> =>
    (await other.submit('/account', { id, ...fields }, json)).status
  expect(await change({ action: 'renamePasskey', name: 'Key' })).toBe(200)
  expect(await change({ action: 'removePasskey' })).toBe(200)
  expect((await signIn(service.browse(), device)).status).toBe(401)
  expect(late).toEqual([])
})

test('an answer waits for the storage when a passkey is the second factor', async () => {
  const { storage, watch } = slowStorage()
  const methods = [passkeyFactor(), totp(), recoveryCodes()]
  const service = servePasskeys({}, { storage, use: [...defaultUse, secondFactor({ methods })] })
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
