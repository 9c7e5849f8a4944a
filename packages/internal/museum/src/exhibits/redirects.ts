import assert from 'node:assert/strict'
import { describeResponse, getTargetOrigins } from '../evidence.ts'
import { signInAtProvider } from '../sign-in.ts'
import { createExhibit, toVerdict } from '../exhibit.ts'
import type { Exhibit, Verdict } from '../exhibit.ts'
import type { Capabilities, Setup, Subject } from '../subject.ts'
import type { Version } from '../versions.ts'
import { betterAuth } from '../versions.ts'

const evil = 'evil.example'

/** Attacks on where a browser continues. */
export const redirects: readonly Exhibit[] = [
  createReturn('GHSA-8jhw-6pjj-8723', betterAuth('1.1.5'), [`https://${evil}/`]),
  createReturn('GHSA-hjpm-7mrm-26w8', betterAuth('1.1.15'), [
    `//${evil}/`,
    `/\\/${evil}/`,
    `/%5C/${evil}/`,
    `\\\\${evil}/`,
  ]),
  createReturn(
    'GHSA-vp58-j275-797x',
    betterAuth('1.1.15'),
    [
      `https://app.example.${evil}/`,
      `https://app.example@${evil}/`,
      `https://${evil}?.app.example`,
    ],
    { trustedOrigins: ['https://other.app.example'] },
  ),
  createReturn('GHSA-36rg-gfq2-3h56', betterAuth('1.2.9'), [
    `https://app.example.${evil}/`,
    `https://app.example@${evil}/`,
    `https://app.example\\@${evil}/`,
    `https:${evil}`,
    `/\t/${evil}/`,
  ]),
  createExhibit({
    ids: ['GHSA-569q-mpph-wgww'],
    affected: betterAuth('1.4.1'),
    needs: ['oauth'],
    setup: { urlOfRequest: 'listed' },
    attack: takeBasePath,
  }),
]

/** Creates an attack by return URLs that lead to another site. */
function createReturn(
  id: string,
  affected: Version,
  urls: readonly string[],
  setup: Setup = {},
): Exhibit {
  return createExhibit({
    ids: [id],
    affected,
    needs: ['email'],
    setup,
    attack: (subject) => followReturnUrls(subject, urls),
  })
}

/** Opens links with return URLs in the browser that requested them. */
async function followReturnUrls(
  subject: Subject & Pick<Capabilities, 'email'>,
  urls: readonly string[],
): Promise<Verdict> {
  const { origin } = new URL(subject.base)
  const [own] = await openLink(subject, '/welcome', 0)
  assert.equal(own && getTargetOrigins(own, subject.base)[0], origin, 'expected an own path')
  for (const [i, url] of urls.entries()) {
    for (const response of await openLink(subject, url, i + 1)) {
      const target = getTargetOrigins(response, subject.base).find((found) => found !== origin)
      if (target !== undefined) {
        return toVerdict(
          true,
          `${url}: ${describeResponse(response)}, the browser continues at ${target}`,
        )
      }
    }
  }
  return toVerdict(false, `no other origin for ${urls.join(' ')}`)
}

/** Returns the responses of a link that was requested with a return URL, and of one that got it later. */
async function openLink(
  { browse, email }: Subject & Pick<Capabilities, 'email'>,
  returnUrl: string,
  number: number,
): Promise<readonly Response[]> {
  const responses: Response[] = []
  for (const [way, options] of [{ returnUrl }, {}].entries()) {
    const browser = browse()
    const address = `user${number}-${way}@corp.example`
    const asked = await email.request(browser, address, options)
    if (asked.status >= 400 || asked.headers.get('location')?.includes('error=')) continue
    const link = email.mails.getLink(address)
    responses.push(await email.open(browser, link, way === 0 ? undefined : returnUrl))
  }
  return responses
}

/** Lets the first request of a process name another base path. */
async function takeBasePath(subject: Subject & Pick<Capabilities, 'oauth'>): Promise<Verdict> {
  await signInAtProvider(subject, 'alice@corp.example')
  const host = 'app.example/other/path'
  const ways: readonly (readonly [base: string, headers: Readonly<Record<string, string>>])[] = [
    ['https://app.example/other/path', {}],
    [subject.base, { 'x-forwarded-host': host, 'x-forwarded-proto': 'https' }],
    [subject.base, { forwarded: `host="${host}";proto=https` }],
  ]
  for (const [base, headers] of ways) {
    const fresh = await subject.reopen()
    const { oauth } = fresh
    if (oauth === undefined) throw new TypeError('expected a subject with oauth')
    const first = await fresh.browse({ base }).visit('/session', { headers })
    const name = `a first request to ${base} with ${JSON.stringify(headers)} (status ${first.status})`
    try {
      await signInAtProvider({ ...fresh, oauth }, 'alice@corp.example')
    } catch (thrown) {
      return toVerdict(true, `after ${name} no user can sign in: ${String(thrown)}`)
    }
  }
  return toVerdict(false, `users sign in after first requests that name ${host}`)
}
