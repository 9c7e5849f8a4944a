import assert from 'node:assert/strict'
import { signInAtProvider } from '../sign-in.ts'
import { createExhibit, toVerdict } from '../exhibit.ts'
import type { Exhibit } from '../exhibit.ts'
import { authCore } from '../versions.ts'

const malformed = ['Bearer %', 'Bearer %E0%A4%A', 'Bearer %00', 'Bearer', '%']

/** Attacks on checks that throw. */
export const failOpen: readonly Exhibit[] = [
  createExhibit({
    ids: ['GHSA-xmf8-cvqr-rfgj'],
    affected: authCore('0.41.0'),
    needs: ['oauth', 'token'],
    async attack(subject) {
      const { browser } = await signInAtProvider(subject, 'alice@corp.example')
      const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
      assert.ok(await subject.token.read(new Headers({ cookie })), 'a session must have a token')
      for (const authorization of malformed) {
        try {
          await subject.token.read(new Headers({ authorization }))
        } catch (thrown) {
          return toVerdict(true, `Authorization: ${authorization}: ${String(thrown)}`)
        }
      }
      return toVerdict(false, `nothing is thrown for ${malformed.join(', ')}`)
    },
  }),
]
