import assert from 'node:assert/strict'
import { createExhibit, toVerdict } from '../exhibit.ts'
import type { Exhibit } from '../exhibit.ts'
import type { Capabilities, Subject } from '../subject.ts'
import { betterAuth } from '../versions.ts'

/** More requests than the limits of any library allow. */
const TIMES = 120

const paths: readonly ((path: string) => string)[] = [
  (path) => `/${path}`,
  (path) => `//${path}`,
  (path) => path.replace(/\/(?=[^/]+$)/, '//'),
  (path) => `${path}/`,
]

/** Spellings of one IP address. */
const spellings = [
  '2001:db8:1:2:0:0:0:1',
  '2001:DB8:1:2::1',
  '2001:0db8:0001:0002:0000:0000:0000:0001',
]

type Limited = Subject & Pick<Capabilities, 'passwords'>

/** Attacks on limits. */
export const limits: readonly Exhibit[] = [
  createExhibit({
    ids: ['GHSA-x732-6j76-qmhm'],
    affected: betterAuth('1.4.1'),
    needs: ['passwords'],
    setup: { limits: true },
    async attack(subject) {
      const ip = '192.0.2.77'
      assert.ok((await countAllowed(subject, () => ip)) < TIMES, 'guesses at the path are limited')
      for (const vary of paths) {
        const response = await guess(subject, ip, vary)
        const passes = response.status !== 404 && !subject.passwords.isLimited(response)
        if (passes)
          return toVerdict(true, `${vary('/sign/in')}: status ${response.status} after the limit`)
      }
      const varied = paths.map((vary) => vary('/sign/in')).join(', ')
      return toVerdict(false, `after the limit, ${varied} answer 404 or are limited`)
    },
  }),
  createExhibit({
    ids: ['GHSA-p6v2-xcpg-h6xw'],
    affected: betterAuth('1.4.1'),
    needs: ['passwords'],
    setup: { limits: true },
    async attack(subject) {
      const alone = await countAllowed(subject, () => '2001:db8:9:9::1')
      assert.ok(alone < TIMES, 'guesses from one IP address are limited')
      const network = await countAllowed(subject, (i) => `2001:db8:5:5::${(i + 1).toString(16)}`)
      const spelled = await countAllowed(subject, (i) => spellings[i % spellings.length] ?? '')
      return toVerdict(
        network > alone || spelled > alone,
        `guesses before the limit, at most ${TIMES}: from one IP address ${alone}, ` +
          `from one /64 ${network}, in ${spellings.length} spellings ${spelled}`,
      )
    },
  }),
]

function guess(
  { browse, passwords }: Limited,
  ip: string,
  vary?: (path: string) => string,
): Promise<Response> {
  return passwords.guess(browse({ ip }), `${crypto.randomUUID()}@corp.example`, vary)
}

/** Counts the guesses, each of another user, before the first one that is limited. */
async function countAllowed(subject: Limited, toIp: (i: number) => string): Promise<number> {
  for (let i = 0; i < TIMES; i++) {
    if (subject.passwords.isLimited(await guess(subject, toIp(i)))) return i
  }
  return TIMES
}
