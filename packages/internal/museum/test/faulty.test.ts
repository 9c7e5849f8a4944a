import { Browser } from '@latchkey/core/testing'
import { expect, test } from 'vitest'
import { exhibits } from '../src/exhibits/index.ts'
import type { Exhibit } from '../src/exhibit.ts'
import type { Subject } from '../src/subject.ts'
import { openLatchkey } from '../src/subjects/latchkey.ts'

/** What shows that an attack works, if no version with the fault runs here: Latchkey with the fault. */
const faulty: Readonly<Record<string, (exhibit: Exhibit) => Promise<Subject>>> = {
  'GHSA-f3fg-mf2q-fj3f': async ({ setup }) =>
    changeReplies(await openLatchkey(setup), (headers) => headers.delete('cache-control')),
  'GHSA-wcgj-f865-c7j7': async ({ setup }) => shareTokens(await openLatchkey(setup)),
  'GHSA-pgx2-…': ({ setup }) => openLatchkey({ ...setup, urlOfRequest: 'any' }),
  'GHSA-9qq3-…': ({ setup }) => openLatchkey({ ...setup, urlOfRequest: 'any' }),
  'GHSA-j8qq-…': async ({ setup }) =>
    changeReplies(await openLatchkey(setup), (headers) => {
      const location = headers.get('location') ?? ''
      if (location.endsWith('/here')) headers.set('location', `${location}?token=secret`)
    }),
  'GHSA-4qvm-…': async ({ setup }) => ({
    ...(await openLatchkey(setup)),
    keys: { issue: async () => 'any user' },
  }),
}

/** Changes the headers of every reply. */
function changeReplies(subject: Subject, change: (headers: Headers) => void): Subject {
  return {
    ...subject,
    browse: () =>
      new Browser(async (request) => {
        const response = await subject.handle(request)
        const headers = new Headers(response.headers)
        change(headers)
        return new Response(response.body, { status: response.status, headers })
      }, subject.base),
  }
}

/** Keeps the first access token for every user. */
function shareTokens(subject: Subject): Subject {
  let kept: Promise<string | undefined> | undefined
  return {
    ...subject,
    accessTokens: {
      read: (browser) =>
        (kept ??= subject.accessTokens?.read(browser) ?? Promise.resolve(undefined)),
    },
  }
}

const alone = exhibits.filter(({ affected }) => 'reason' in affected)

test('each attack without a version that has the fault is tried on Latchkey with it', () => {
  expect(alone.flatMap(({ ids }) => ids).toSorted()).toEqual(Object.keys(faulty).toSorted())
})

test.each(alone)('$ids.0 hits a service with the fault', async (exhibit) => {
  const [id = ''] = exhibit.ids
  const open = faulty[id]
  if (open === undefined) throw new Error(`expected a service with the fault of ${id}`)
  expect(await exhibit.attack(await open(exhibit))).toMatchObject({ outcome: 'hit' })
})
