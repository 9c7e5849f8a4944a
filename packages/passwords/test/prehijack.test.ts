import type { Provider } from '@latchkey/core'
import type { Browser } from '@latchkey/testing'
import { expect, test } from 'vitest'
import { provideIdentity, storeUser, visitProvider } from './support/identities.ts'
import { alice, fastHasher, getEmail, servePasswords, signIn } from './support/service.ts'
import type { PasswordService } from './support/service.ts'

const prepared = 'a password of the attacker'

/** The owner's account at a provider that proves email addresses. */
const careful: Provider = {
  ...provideIdentity({ id: 'careful', subject: 'owner', email: alice }),
  linkByVerifiedEmail: true,
}

/** An attacker has registered the owner's email address elsewhere; the owner used a provider there, which was linked. */
async function serve(account: {
  provider: string
  type: 'oauth' | 'email'
  providerAccountId: string
}): Promise<PasswordService> {
  const service = servePasswords({}, { providers: [careful] })
  const hash = await fastHasher().hash(prepared)
  await storeUser(service.storage, { id: 'imported', hash, account })
  return service
}

async function signInAtCareful(service: PasswordService): Promise<Browser> {
  const browser = service.browse()
  await visitProvider(browser, '/signin/careful')
  expect(await getEmail(browser)).toBe(alice)
  return browser
}

const atCareful = { provider: 'careful', type: 'oauth', providerAccountId: 'owner' } as const

test('an imported password whose mailbox is not proven does not sign in after OAuth has verified the email address', async () => {
  const service = await serve(atCareful)
  await signInAtCareful(service)
  expect((await service.storage.getUserByEmail(alice))?.id).toBe('imported')
  const attacker = service.browse('192.0.2.9')
  await signIn(attacker, prepared)
  expect(await getEmail(attacker)).toBeUndefined()
})

test('nor after the owner has signed in by a link of the provider email', async () => {
  const service = await serve({ provider: 'email', type: 'email', providerAccountId: alice })
  const owner = service.browse()
  await owner.submit('/signin/email', { email: alice })
  await owner.visit(await service.mailbox.linkTo(alice))
  expect(await getEmail(owner)).toBe(alice)
  const attacker = service.browse('192.0.2.9')
  await signIn(attacker, prepared)
  expect(await getEmail(attacker)).toBeUndefined()
})

test('nor after auth.users.update has verified the email address', async () => {
  const service = await serve(atCareful)
  await service.auth.users.update('imported', { email: alice, emailVerified: true })
  const attacker = service.browse('192.0.2.9')
  await signIn(attacker, prepared)
  expect(await getEmail(attacker)).toBeUndefined()
})

test('nor for another email address that the owner has verified since', async () => {
  const service = await serve(atCareful)
  await service.auth.users.update('imported', { email: 'new@example.com', emailVerified: true })
  const attacker = service.browse('192.0.2.9')
  await signIn(attacker, prepared, 'new@example.com')
  expect(await getEmail(attacker)).toBeUndefined()
})

test('nor does it confirm a stolen session', async () => {
  const service = await serve(atCareful)
  const stolen = await signInAtCareful(service)
  await service.clock.advance(700_000)
  const callbackUrl = 'https://app.example/api/auth/signin/passwords?action=change'
  const response = await signIn(stolen, prepared, alice, { confirm: 'true', callbackUrl })
  expect(response.headers.get('location')).not.toBe(callbackUrl)
})

test('a proof works only if the password is still the one that was typed', async () => {
  const service = await serve(atCareful)
  const browser = service.browse()
  await signIn(browser, prepared)
  const link = await service.mailbox.linkTo(alice)
  const factor = (await service.storage.listFactors?.('imported'))?.[0]
  if (!factor) throw new Error('no factor')
  const data = JSON.stringify({ hash: await fastHasher().hash('another password of the owner') })
  const { type, id, version, changedAt } = factor
  await service.storage.updateFactor?.(type, id, version, { data, changedAt: changedAt + 1 })
  await browser.visit(link)
  expect(await getEmail(browser)).toBeUndefined()
})
