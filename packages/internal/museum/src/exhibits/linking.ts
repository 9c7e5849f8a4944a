import assert from 'node:assert/strict'
import type { Browser } from '@latchkey/core/testing'
import { describeResponse, describeUser } from '../evidence.ts'
import {
  password,
  signInAtProvider,
  signInByEmail,
  signInWithPassword,
  visitProvider,
} from '../sign-in.ts'
import { createExhibit, toVerdict } from '../exhibit.ts'
import type { Exhibit, Verdict } from '../exhibit.ts'
import type { Capabilities, SessionUser, Subject } from '../subject.ts'
import { betterAuth } from '../versions.ts'

const victim = 'victim@corp.example'

/** Takeovers by an account that an attacker registered before its owner. */
export const linking: readonly Exhibit[] = [
  createExhibit({
    ids: ['GHSA-g38m-r43w-p2q7'],
    affected: betterAuth('1.6.10'),
    needs: ['oauth', 'passwords'],
    async attack(subject) {
      await signInAtProvider(subject, 'alice@corp.example')
      const before = await signInWithPassword(subject, victim)
      const browser = subject.browse()
      const response = await visitProvider(subject, browser, { email: victim })
      const owner = await subject.getUser(browser)
      return compareUsers(subject, before.browser, owner, describeResponse(response))
    },
  }),
  createExhibit({
    ids: ['GHSA-qq9h-g4jm-xgf3'],
    affected: betterAuth('1.6.10'),
    needs: ['email', 'passwords'],
    async attack(subject) {
      await signInByEmail(subject, 'alice@corp.example')
      const before = await signInWithPassword(subject, victim)
      const { user: owner, response } = await signInByEmail(subject, victim)
      return compareUsers(subject, before.browser, owner, describeResponse(response))
    },
  }),
]

/** Compares the owner of an email address with the user whom the attacker's session or password signs in. */
async function compareUsers(
  subject: Subject & Pick<Capabilities, 'passwords'>,
  attacker: Browser,
  owner: SessionUser | undefined,
  answer: string,
): Promise<Verdict> {
  const again = subject.browse()
  await subject.passwords.signIn(again, victim, password)
  const users = [await subject.getUser(attacker), await subject.getUser(again)]
  const shared = users.find((user) => user !== undefined && user.id === owner?.id)
  if (owner !== undefined) assert.equal(owner.email, victim)
  return toVerdict(
    shared !== undefined,
    `the owner: ${answer}, ${describeUser(owner)}; the attacker: ` +
      (shared === undefined ? 'not this user' : `the same user, ${describeUser(shared)}`),
  )
}
