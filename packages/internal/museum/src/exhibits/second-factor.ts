import assert from 'node:assert/strict'
import type { Browser } from '@latchkey/core/testing'
import { expectUser, password, signInWithPassword } from '../sign-in.ts'
import { createExhibit, toVerdict } from '../exhibit.ts'
import type { Exhibit } from '../exhibit.ts'
import type { Capabilities, Subject } from '../subject.ts'
import { betterAuth } from '../versions.ts'
import { onConvex } from '../not-run.ts'

const address = 'alice@corp.example'

/** Attacks on sign-ins that lack their second factor. */
export const secondFactors: readonly Exhibit[] = [
  createExhibit({
    ids: ['GHSA-xg6x-h9c9-2m83'],
    affected: betterAuth('1.4.1'),
    needs: ['passwords', 'secondFactor'],
    setup: { cachedSessions: true },
    async attack(subject) {
      const { replays } = await signInHalf(subject)
      for (const browser of replays) {
        if (await subject.getUser(browser))
          return toVerdict(true, 'a session without the second factor')
      }
      return toVerdict(
        false,
        `no session, with ${replays.length} sets of the cookies that the password gave`,
      )
    },
  }),
  createExhibit({
    ids: ['GHSA-4qvm-…'],
    affected: onConvex,
    needs: ['passwords', 'secondFactor', 'keys'],
    async attack(subject) {
      const { finished, replays } = await signInHalf(subject)
      assert.ok(await subject.keys.issue(finished), 'a finished sign-in must get a token')
      for (const browser of replays) {
        const owner = await subject.keys.issue(browser)
        if (owner !== undefined)
          return toVerdict(true, `a token of ${owner} without the second factor`)
      }
      return toVerdict(false, 'no token without the second factor')
    },
  }),
]

interface HalfSignIn {
  /** A browser that has proved both factors. */
  readonly finished: Browser
  /** Browsers with the cookies of a sign-in that lacks the second: those kept, and each that was set. */
  readonly replays: readonly Browser[]
}

/** Signs in with both factors, and then in another browser with the password only. */
async function signInHalf(
  subject: Subject & Pick<Capabilities, 'passwords' | 'secondFactor'>,
): Promise<HalfSignIn> {
  const owner = await signInWithPassword(subject, address)
  const app = await subject.secondFactor.enrol(owner.browser, password)
  const finished = subject.browse()
  await subject.passwords.signIn(finished, address, password)
  assert.equal(await subject.getUser(finished), undefined, 'a second factor must be asked for')
  await subject.secondFactor.submit(finished, await app.generate())
  await expectUser(subject, finished)

  const half = subject.browse()
  const response = await subject.passwords.signIn(half, address, password)
  return { finished, replays: [half, replayCookies(subject, response)] }
}

/** Creates a browser with the first value of each cookie that a response sets, also if it deletes it later. */
function replayCookies({ browse }: Subject, { headers }: Response): Browser {
  const browser = browse()
  for (const line of headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value !== '' && !browser.cookies.has(name)) browser.cookies.set(name, value)
  }
  return browser
}
