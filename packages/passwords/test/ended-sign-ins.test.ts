import { expect, test } from 'vitest'
import { alice, ask, choose, getEmail, other, register, servePasswords } from './support/service.ts'

test.each([false, true])(
  'a reset ends a sign-in by email that began before it: %s (I-34.6)',
  async (isReset) => {
    let open = (): void => undefined
    const opened = new Promise<void>((resolve) => (open = resolve))
    let arrive = (): void => undefined
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    const service = servePasswords(
      {},
      {
        callbacks: {
          async signIn({ account, email }) {
            if (account.provider !== 'email' || email?.verificationRequest) return true
            arrive()
            await opened
            return true
          },
        },
      },
    )
    const owner = await register(service)
    const thief = service.browse()
    await thief.submit('/signin/email', { email: alice })
    const opening = thief.visit(await service.mailbox.linkTo(alice))
    await arrived
    if (isReset) {
      await ask(owner, 'forgot')
      await choose(owner, await service.mailbox.linkTo(alice), other)
    }
    open()
    await opening
    expect([await getEmail(owner), await getEmail(thief)]).toEqual([
      alice,
      isReset ? undefined : alice,
    ])
  },
)
