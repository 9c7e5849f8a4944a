import { programsCase } from '@latchkey/testing/contract-programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { frameworks } from '../../src/frameworks.ts'
import type { RunningHost } from '../../src/hosts.ts'
import { PATHS, describeContract } from './framework-contract.ts'
import type { Deviations } from './framework-contract.ts'
import { describeFormActions } from './form-actions.ts'
import { expectGreeting, expectRenewal } from './pages.ts'

type Framework = keyof typeof frameworks

const deviations: Readonly<Partial<Record<Framework, Deviations>>> = {
  // Astro redirects URLs with repeated slashes at the end to those with one.
  Astro: {
    exceptions: { [PATHS]: '/session//: expected 404, found 301' },
    redirects: { '/session//': '/session/' },
  },
}

/** The frameworks whose recipe has form actions: SvelteKit runs here without its check of origins. */
const withFormActions: readonly string[] = ['SvelteKit', 'SvelteKit 2', 'React Router']

/** Builds and starts each framework, and tests its recipe: the service contract, its page, its form actions. */
export function describeFrameworks(names: readonly Framework[]): void {
  describe.for(names)('%s', (name) => {
    let host: RunningHost

    // Building takes most of the time.
    beforeAll(async () => {
      host = await frameworks[name]()
    }, 120_000)

    afterAll(() => host?.[Symbol.asyncDispose]())

    describeContract(() => host, deviations[name])

    test(programsCase.name, () => programsCase.run(host))

    test('a page shows the signed-in user', () =>
      expectGreeting(host, '/', async (response) =>
        expect(await response.text()).toContain('Hello, stranger'),
      ))

    test('a page sets the cookie of a session that it renews (I-35)', () =>
      expectRenewal(host, '/'))

    if (withFormActions.includes(name)) describeFormActions(() => host)
  })
}
