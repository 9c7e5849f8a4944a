import { newFactor } from '@latchkey/testing/factors-contract'
import { buildAccount } from '@latchkey/test-support/records'
import { expect, test } from 'vitest'
import { alice, ask, choose, getEmail, good, servePasswords } from './support/service.ts'

const user = { id: 'alice', email: alice, emailVerified: true, name: null, image: null }

test.each([
  ['an account', buildAccount(), []],
  ['a passkey', undefined, [newFactor({ type: 'passkey' })]],
])(
  'I-55.4: a user without any way to sign in chooses a password, one with %s does not',
  async (_, account, factors) => {
    for (const hasWay of [false, true]) {
      const { storage, browse, mailbox } = servePasswords()
      if (hasWay) await storage.createUser(user, account, undefined, undefined, ...factors)
      else await storage.createUser(user)
      const browser = browse()
      await ask(browser, 'forgot')
      const { text } = await mailbox.mailTo(alice)
      expect(text.includes('token=')).toBe(!hasWay)
      if (hasWay) continue
      expect((await choose(browser, await mailbox.linkTo(alice), good)).status).toBe(302)
      expect(await getEmail(browser)).toBe(alice)
      expect(await storage.listFactors?.('alice')).toMatchObject([{ type: 'password' }])
    }
  },
)
