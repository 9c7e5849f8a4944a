import { equal } from '@latchkey/testing/equal'
import { Browser } from '@latchkey/testing/browser'
import { serviceContract } from '@latchkey/testing/service-contract'
import { describe, expect, test } from 'vitest'
import type { RunningHost } from '../../src/hosts.ts'

/** What a framework does before its routes, and no setting turns off. */
export interface Deviations {
  /** The message of each case of the contract that fails. */
  readonly exceptions?: Readonly<Record<string, string>>
  /** Paths that the service answers with 404, and where the framework redirects them. */
  readonly redirects?: Readonly<Record<string, string>>
}

/** The title of the case that frameworks with their own redirects fail. */
export const PATHS = 'paths are compared raw, exactly, with one trailing slash allowed (I-3)'

/** Paths without a route, as in the contract. */
const UNKNOWN_PATHS = [
  '',
  '/',
  '//session',
  '/session//',
  '/Session',
  '/%73ession',
  '/session/x',
  '/sessio',
  '/signin/unknown',
  '/signin/passport/x',
  '/signin/__proto__',
]

/** Runs the contract in a host: it passes, except for the deviations, which must still be there. */
export function describeContract(
  getHost: () => RunningHost,
  { exceptions = {}, redirects }: Deviations = {},
): void {
  describe('the service contract', () => {
    test.for(serviceContract)('$name', async ({ name, run }) => {
      const message = exceptions[name]
      if (message === undefined) await run(getHost())
      else await expect(run(getHost())).rejects.toThrow(message)
    })

    // Without redirects, the contract has the same paths.
    if (redirects) {
      test('a path without a route is 404, or redirects to the same path on this origin', () =>
        checkUnknownPaths(getHost(), redirects))
    }
  })
}

async function checkUnknownPaths(
  host: RunningHost,
  redirects: NonNullable<Deviations['redirects']>,
): Promise<void> {
  const { origin, pathname } = new URL(host.base)
  for (const path of UNKNOWN_PATHS) {
    const response = await new Browser(host.send, host.base).visit(host.base + path)
    const location = response.headers.get('location')
    const target = redirects[path]
    if (target === undefined) equal([response.status, location], [404, null], path)
    else equal(new URL(location ?? '', origin).href, origin + pathname + target, path)
  }
}
