import assert from 'node:assert/strict'
import { describeResponse } from '../evidence.ts'
import { signInWithPassword, signInByEmail } from '../sign-in.ts'
import { createExhibit, toVerdict } from '../exhibit.ts'
import type { Exhibit } from '../exhibit.ts'
import { betterAuth } from '../versions.ts'

/** Attacks by ids that a client chooses. */
export const ids: readonly Exhibit[] = [
  createExhibit({
    ids: ['GHSA-99h5-pjcv-gr6v'],
    affected: betterAuth('1.2.9'),
    needs: ['passwords', 'keys'],
    async attack(subject) {
      const victim = await signInWithPassword(subject, 'victim@corp.example')
      assert.equal(await subject.keys.issue(victim.browser), victim.user.id)
      const attacker = await signInWithPassword(subject, 'attacker@evil.example')
      for (const browser of [subject.browse(), attacker.browser]) {
        for (const name of ['userId', 'user', 'sub', 'id']) {
          const owner = await subject.keys.issue(browser, { [name]: victim.user.id })
          if (owner === victim.user.id) return toVerdict(true, `{"${name}": …}: a key of this user`)
        }
      }
      return toVerdict(false, 'no key of another user, with and without a session')
    },
  }),
  createExhibit({
    ids: ['GHSA-4vcf-q4xf-f48m'],
    affected: betterAuth('1.2.9'),
    needs: ['email', 'passkeys'],
    async attack(subject) {
      const victim = await signInByEmail(subject, 'victim@corp.example')
      const [own, kept] = [
        await subject.passkeys.add(victim.browser),
        await subject.passkeys.add(victim.browser),
      ]
      await subject.passkeys.remove(victim.browser, own)
      assert.equal(
        await subject.passkeys.has(victim.browser, own),
        false,
        'a user removes a passkey',
      )
      assert.equal(await subject.passkeys.has(victim.browser, kept), true)
      const attacker = await signInByEmail(subject, 'attacker@evil.example')
      const response = await subject.passkeys.remove(attacker.browser, kept)
      const isThere = await subject.passkeys.has(victim.browser, kept)
      return toVerdict(
        !isThere,
        `the id of another user’s passkey: ${describeResponse(response)}, the passkey is ${isThere ? 'still there' : 'gone'}`,
      )
    },
  }),
]
