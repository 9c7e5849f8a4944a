import { expect, test } from 'vitest'
import {
  alice,
  ask,
  choose,
  getEmail,
  good,
  other,
  register,
  servePasswords,
  signIn,
} from './support/service.ts'

test('a user registers, signs in, and signs in after a reset by the new password only', async () => {
  const service = servePasswords()
  const browser = await register(service)
  const { user } = (await browser.json('/session')) as { user: { id: string } }
  expect((await service.auth.users.get(user.id))?.email).toBe(alice)
  expect(await service.auth.accounts.list(user.id)).toEqual([])

  const second = service.browse()
  expect((await signIn(second, 'a wrong password here')).status).toBe(401)
  expect(await getEmail(second)).toBeUndefined()
  expect((await signIn(second, good)).status).toBe(302)
  expect(await getEmail(second)).toBe(alice)

  const third = service.browse()
  const asked = await ask(third, 'forgot')
  expect(asked.headers.get('location')).toContain('/verify-request')
  const link = await service.mailbox.linkTo(alice)
  expect((await choose(third, link, other)).status).toBe(302)
  expect(await getEmail(third)).toBe(alice)
  expect(await getEmail(second)).toBeUndefined()
  expect((await signIn(service.browse(), good)).status).toBe(401)
  expect((await signIn(service.browse(), other)).status).toBe(302)
})
