import { Browser } from '@latchkey/core/testing/browser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { frameworks } from '../../src/frameworks.ts'
import type { RunningHost } from '../../src/hosts.ts'
import { PATHS, createOutcomes } from './framework-contract.ts'
import type { Deviations } from './framework-contract.ts'
import { describeFormActions } from './form-actions.ts'

type Framework = keyof typeof frameworks

const deviations: Readonly<Record<Framework, Deviations>> = {
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
  'SvelteKit 2': {},
  'React Router': {},
  'TanStack Start': {},
  Nest: {},
  Nuxt: {},
}

/** The frameworks whose recipe has form actions: SvelteKit runs here without its check of origins. */
const withFormActions: readonly string[] = ['SvelteKit', 'SvelteKit 2', 'React Router']

/** Builds and starts each framework, and tests its recipe: the service contract, its page, its form actions. */
export function describeFrameworks(names: readonly Framework[]): void {
  const outcomes = createOutcomes()

  describe.for(names)('%s', (name) => {
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

    test('a page sets the cookie of a session that it renews (I-35)', async () => {
      const browser = new Browser(host.send, host.base)
      const begun = await browser.submit('/signin/passport?login_hint=due')
      await browser.visit(begun.headers.get('location') ?? '')
      const { headers } = await browser.visit(new URL('/', host.base).href)
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(/^latchkey\.session=[\w-]{43}; Max-Age=\d+;/),
      ])
    })

    if (withFormActions.includes(name)) describeFormActions(() => host)
  })

  afterAll(outcomes.print)
}
