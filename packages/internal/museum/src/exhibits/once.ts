import assert from 'node:assert/strict'
import type { Browser } from '@latchkey/core/testing'
import { signInByEmail } from '../sign-in.ts'
import { createExhibit, toVerdict } from '../exhibit.ts'
import type { Exhibit, Verdict } from '../exhibit.ts'
import type { Capabilities, Setup, Subject } from '../subject.ts'
import { betterAuth } from '../versions.ts'

const TIMES = 30
const alice = 'alice@corp.example'

/** Races for what must work once. */
export const once: readonly Exhibit[] = [
  createExhibit({
    ids: ['Pull request 8067'],
    affected: betterAuth('1.4.1'),
    needs: ['code'],
    attack: raceCode,
  }),
  createLinkRace('GHSA-hc7v-rggr-4hvx', {}),
  createLinkRace('GHSA-hc7v-x88r-fmh4', { secondaryStorage: true }),
]

/** Uses the code of an email several times simultaneously, then guesses more often than allowed. */
async function raceCode(subject: Subject & Pick<Capabilities, 'code'>): Promise<Verdict> {
  const { code } = subject
  const browser = subject.browse()
  const right = await requestCode(subject, browser)
  await code.submit(browser, alice, right)
  assert.ok(await subject.getUser(browser), 'one use of a code must sign in')
  const uses = await submitCodes(subject, (given) => Array.from({ length: TIMES }, () => given))
  const guesses = await submitCodes(subject, createGuesses)
  return toVerdict(
    uses > 1 || guesses > 0,
    `${TIMES} simultaneous uses of a code: sessions begun: ${uses}; the code after ${TIMES} simultaneous ` +
      `guesses, of which ${code.guesses} are allowed: ${guesses === 0 ? 'no session' : 'a session'}`,
  )
}

/** Requests a code and returns it. */
async function requestCode(
  { code }: Pick<Capabilities, 'code'>,
  browser: Browser,
): Promise<string> {
  await code.request(browser, alice)
  return code.getCode(alice)
}

/** Submits codes simultaneously in a new browser, and returns how many of them begin a session. */
async function submitCodes(
  subject: Subject & Pick<Capabilities, 'code'>,
  toCodes: (right: string) => readonly string[],
): Promise<number> {
  const browser = subject.browse()
  const codes = toCodes(await requestCode(subject, browser))
  const answers = codes.map((given) => subject.code.submit(browser, alice, given))
  return (await Promise.all(answers)).filter(setsSession).length
}

/** Returns wrong codes, and the right one at their end. */
function createGuesses(right: string): readonly string[] {
  const codes = Array.from({ length: TIMES }, (_, i) => String(i).padStart(right.length, '0'))
  return [...codes.filter((code) => code !== right), right]
}

function createLinkRace(id: string, setup: Setup): Exhibit {
  return createExhibit({
    ids: [id],
    affected: betterAuth('1.6.10'),
    needs: ['email'],
    setup,
    async attack(subject) {
      await signInByEmail(subject, alice)
      const browser = subject.browse()
      await subject.email.request(browser, alice)
      const link = subject.email.mails.getLink(alice)
      const uses = Array.from({ length: TIMES }, () => subject.email.open(browser, link))
      const sessions = (await Promise.all(uses)).filter(setsSession).length
      assert.ok(sessions > 0, 'one use of a link must sign in')
      return toVerdict(
        sessions > 1,
        `${TIMES} simultaneous uses of a link: sessions begun: ${sessions}`,
      )
    },
  })
}

/** Whether a response sets a cookie with a session. */
function setsSession({ headers }: Response): boolean {
  return headers.getSetCookie().some((line) => /session(?:_token)?=[^;]{16,}/.test(line))
}
