import assert from 'node:assert/strict'
import { expectUser, signInAtProvider } from '../sign-in.ts'
import { createExhibit, toVerdict } from '../exhibit.ts'
import type { Exhibit, Verdict } from '../exhibit.ts'
import type { Capabilities, Subject } from '../subject.ts'
import { onConvex } from '../not-run.ts'

const evil = 'evil.example'
const trusted = 'https://other.app.example'

const headerSets: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-host': evil, 'x-forwarded-proto': 'https' },
  { host: evil },
  { forwarded: `host=${evil};proto=https` },
  { origin: `https://${evil}` },
]

/** Attacks by the host of a request, and on what a trusted origin is given. */
export const hosts: readonly Exhibit[] = [
  createExhibit({ ids: ['GHSA-pgx2-…'], affected: onConvex, needs: ['email'], attack: forgeHost }),
  createExhibit({
    ids: ['GHSA-9qq3-…'],
    affected: onConvex,
    needs: ['email'],
    setup: { urlOfRequest: 'listed' },
    attack: forgeHost,
  }),
  createExhibit({
    ids: ['GHSA-j8qq-…'],
    affected: onConvex,
    needs: ['oauth'],
    setup: { trustedOrigins: [trusted] },
    async attack(subject) {
      const { browser, response } = await signInAtProvider(subject, 'alice@corp.example', {
        returnUrl: `${trusted}/here`,
      })
      const location = response.headers.get('location') ?? ''
      assert.ok(location.startsWith(`${trusted}/here`), `expected ${trusted}, found ${location}`)
      const secrets = [...browser.cookies.values()].filter((value) => location.includes(value))
      const isHit = secrets.length > 0 || /[?#]/.test(location)
      return toVerdict(isHit, `a sign-in that returns to a trusted origin: location ${location}`)
    },
  }),
]

/** How a request names another host. */
interface Way {
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
}

/** Requests links with headers that name another host. */
async function forgeHost(subject: Subject & Pick<Capabilities, 'email'>): Promise<Verdict> {
  const { browse, email, base } = subject
  const ways: readonly Way[] = [
    { base, headers: {} },
    ...headerSets.map((headers) => ({ base, headers })),
    { base: base.replace('app.example', evil), headers: {} },
  ]
  for (const [i, way] of ways.entries()) {
    const address = `user${i}@corp.example`
    const browser = browse({ base: way.base })
    const { status } = await email.request(browser, address, { headers: way.headers })
    if (!email.mails.hasMail(address)) {
      assert.notEqual(i, 0, `expected a link, found status ${status}`)
      continue
    }
    const link = email.mails.getLink(address)
    if (new URL(link).host === evil) {
      return toVerdict(true, `${JSON.stringify(way)}: the link in the email is at ${evil}`)
    }
    if (i > 0) continue
    await email.open(browser, link)
    await expectUser(subject, browser)
  }
  return toVerdict(
    false,
    `no link at ${evil}, by ${headerSets.length} sets of headers and by the URL of the request`,
  )
}
