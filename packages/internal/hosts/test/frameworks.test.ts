import { Browser } from '@latchkey/core/testing/browser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { frameworks, serveCheckedSvelteKit } from '../src/frameworks.ts'
import type { RunningHost } from '../src/hosts.ts'
import { PATHS, createOutcomes } from './support/framework-contract.ts'
import type { Deviations } from './support/framework-contract.ts'
import { describeFormActions } from './support/form-actions.ts'

const deviations: Readonly<Record<keyof typeof frameworks, Deviations>> = {
  Astro: {
    exceptions: {
      [PATHS]: {
        message: '/session//: expected 404, found 301',
        why: 'Astro redirects URLs with repeated slashes at the end to those with one',
      },
    },
    redirects: { '/session//': '/session/' },
  },
  SvelteKit: {},
  'React Router': {},
  'TanStack Start': {},
}

/** The frameworks whose recipe has form actions: SvelteKit runs here without its check of origins. */
const withFormActions: readonly string[] = ['SvelteKit', 'React Router']

const outcomes = createOutcomes()

describe.for(Object.keys(frameworks) as (keyof typeof frameworks)[])('%s', (name) => {
  let host: RunningHost

  // Building takes most of the time.
  beforeAll(async () => {
    host = await frameworks[name]()
  }, 120_000)

  afterAll(() => host?.[Symbol.asyncDispose]())

  outcomes.run(name, () => host, deviations[name])

  test('a page shows the signed-in user', async () => {
    const browser = new Browser(host.send, host.base)
    const page = new URL('/', host.base).href
    expect(await (await browser.visit(page)).text()).toContain('Hello, stranger')
    const redirect = await browser.submit('/signin/passport')
    await browser.visit(redirect.headers.get('location') ?? '')
    expect(await (await browser.visit(page)).text()).toMatch(/Hello, (?:<!-- -->)?Person alice/)
  })

  test('a page sets the cookies that follow from reading the session (I-35, I-36)', async () => {
    const headers = { cookie: 'latchkey.session=forged' }
    const response = await fetch(new URL('/', host.base), { headers })
    const [line = '', ...others] = response.headers.getSetCookie()
    expect(others).toEqual([])
    expect(line).toMatch(/^latchkey\.session=; Max-Age=0;/)
  })

  if (withFormActions.includes(name)) describeFormActions(() => host)
})

describe('SvelteKit with its check of origins', () => {
  let host: RunningHost

  beforeAll(async () => {
    host = await serveCheckedSvelteKit()
  }, 120_000)

  afterAll(() => host?.[Symbol.asyncDispose]())

  describeFormActions(() => host)
})

afterAll(outcomes.print)
