import assert from 'node:assert/strict'
import { describeUser } from '../evidence.ts'
import { signInAtProvider } from '../sign-in.ts'
import { createExhibit, toVerdict } from '../exhibit.ts'
import type { Exhibit } from '../exhibit.ts'
import { betterAuth } from '../versions.ts'
import { needsNext } from '../not-run.ts'

/** Attacks on sessions after their end, and on what is kept between requests. */
export const sessions: readonly Exhibit[] = [
  createExhibit({
    ids: ['GHSA-f3fg-mf2q-fj3f'],
    affected: needsNext,
    needs: ['oauth'],
    async attack(subject) {
      const { browser, response } = await signInAtProvider(subject, 'alice@corp.example')
      const replies = [response, await browser.visit('/session'), await browser.visit('/csrf')]
      const kept = replies.filter(
        ({ headers }) => !/private|no-store/.test(headers.get('cache-control') ?? ''),
      )
      const found = replies.map(({ headers }) => headers.get('cache-control') ?? 'none').join('; ')
      return toVerdict(kept.length > 0, `Cache-Control of replies to a signed-in browser: ${found}`)
    },
  }),
  createExhibit({
    ids: ['GHSA-wcgj-f865-c7j7'],
    affected: needsNext,
    needs: ['oauth', 'accessTokens'],
    async attack(subject) {
      const [alice, bob] = await Promise.all([
        signInAtProvider(subject, 'alice@corp.example'),
        signInAtProvider(subject, 'bob@corp.example'),
      ])
      assert.match(
        (await subject.accessTokens.read(alice.browser)) ?? '',
        /access-alice-corp-example$/,
      )
      const reads = Array.from({ length: 20 }, async (_, i) =>
        subject.accessTokens.read(i % 2 === 0 ? alice.browser : bob.browser),
      )
      const tokens = await Promise.all(reads)
      const wrong = tokens.filter((token, i) => !token?.includes(i % 2 === 0 ? 'alice' : 'bob'))
      return toVerdict(
        wrong.length > 0,
        `20 simultaneous reads of two users: ${wrong.length} wrong tokens`,
      )
    },
  }),
  createExhibit({
    ids: ['GHSA-2vg6-77g8-24mp'],
    affected: betterAuth('1.6.10'),
    needs: ['oauth', 'deletion'],
    setup: { secondaryStorage: true },
    async attack(subject) {
      const email = 'alice@corp.example'
      const one = await signInAtProvider(subject, email)
      const other = await signInAtProvider(subject, email)
      assert.equal(one.user.id, other.user.id)
      await subject.deletion.deleteUser(one.browser)
      const user = await subject.getUser(other.browser)
      return toVerdict(
        user !== undefined,
        `the other browser of a deleted user has ${describeUser(user)}`,
      )
    },
  }),
]
