import { equal } from '@latchkey/core/testing/equal'
import { Browser } from '@latchkey/core/testing/browser'
import { serviceContract } from '@latchkey/core/testing/service-contract'
import { describe, expect, test } from 'vitest'
import type { RunningHost } from '../../src/hosts.ts'
import { printTable } from '../../src/table.ts'

/** What a framework does before its routes, and no setting turns off. */
export interface Deviations {
  /** The message of each case of the contract that fails, and why. */
  readonly exceptions?: Readonly<Record<string, { readonly message: string; readonly why: string }>>
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

/** The outcomes of the contract in several hosts. */
export interface Outcomes {
  /** Runs the contract in a host: passes, except for the deviations, which must still be there. */
  readonly run: (name: string, getHost: () => RunningHost, deviations: Deviations) => void
  readonly print: () => void
}

/** Creates the outcomes, which are empty until the contract has run. */
export function createOutcomes(): Outcomes {
  const outcomes = new Map<string, string>()
  const hosts = new Map<string, Deviations>()
  return {
    run(name, getHost, deviations) {
      hosts.set(name, deviations)
      describe('the service contract', () => {
        test.for(serviceContract)('$name', async ({ name: what, run }) => {
          const exception = deviations.exceptions?.[what]
          if (exception) await expect(run(getHost())).rejects.toThrow(exception.message)
          else await run(getHost())
          outcomes.set(`${name}: ${what}`, exception ? 'except *' : 'ok')
        })

        test('a path without a route is 404, or redirects to the same path on this origin', () =>
          checkUnknownPaths(getHost(), deviations))
      })
    },
    print() {
      const cases = serviceContract.map(({ name }) => name)
      printTable(cases, [...hosts.keys()], (what, host) => outcomes.get(`${host}: ${what}`))
      const notes = [...hosts].flatMap(([name, { exceptions = {} }]) =>
        Object.values(exceptions).map(({ message, why }) => `  ${name}: ${message}. ${why}.`),
      )
      console.log(['* no setting of the framework changes this:', ...notes].join('\n'))
    },
  }
}

async function checkUnknownPaths(host: RunningHost, { redirects }: Deviations): Promise<void> {
  const { origin, pathname } = new URL(host.base)
  for (const path of UNKNOWN_PATHS) {
    const response = await new Browser(host.send, host.base).visit(host.base + path)
    const location = response.headers.get('location')
    const target = redirects?.[path]
    if (target === undefined) equal([response.status, location], [404, null], path)
    else equal(new URL(location ?? '', origin).href, origin + pathname + target, path)
  }
}
