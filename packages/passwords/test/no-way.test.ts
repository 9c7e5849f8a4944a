import { newFactor } from '@latchkey/testing/factors-contract'
import { buildAccount } from '@latchkey/test-support/records'
import { expect, test } from 'vitest'
import {
  alice,
  ask,
  choose,
  defaultUse,
  getEmail,
  good,
  servePasswords,
} from './support/service.ts'

const user = { id: 'alice', email: alice, emailVerified: true, name: null, image: null }

test.each([
  ['an account', buildAccount(), []],
  ['a passkey', undefined, [newFactor({ type: 'passkey' })]],
  ['a factor that nothing in use declares (I-63.7)', undefined, [newFactor({ type: 'badge' })]],
])(
  'I-55.4: a user without any way to sign in chooses a password, one with %s does not',
  async (_, account, factors) => {
    for (const hasWay of [false, true]) {
      const use = [...defaultUse, { id: 'spares', backups: ['spare'] }]
      const { storage, browse, mailbox } = servePasswords({}, { use })
      const spare = newFactor({ type: 'spare' })
      if (hasWay) await storage.createUser(user, account, undefined, undefined, ...factors)
      else await storage.createUser(user, undefined, undefined, undefined, spare)
      const browser = browse()
      await ask(browser, 'forgot')
      const { text } = await mailbox.mailTo(alice)
      expect(text.includes('token=')).toBe(!hasWay)
      if (hasWay) continue
      expect((await choose(browser, await mailbox.linkTo(alice), good)).status).toBe(302)
      expect(await getEmail(browser)).toBe(alice)
      expect(await storage.listFactors?.('alice')).toMatchObject([
        { type: 'spare' },
        { type: 'password' },
      ])
    }
  },
)
