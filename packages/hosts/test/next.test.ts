import { Browser } from '@latchkey/core/testing/browser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveNext } from '../src/frameworks.ts'
import type { RunningHost } from '../src/hosts.ts'
import { PATHS, createOutcomes } from './support/framework-contract.ts'
import type { Deviations } from './support/framework-contract.ts'

const common: Deviations = {
  exceptions: {
    [PATHS]: {
      message: '//session: expected 404, found 308',
      why: 'Next redirects URLs with repeated slashes to those without, before any route',
    },
  },
  redirects: { '//session': '/session', '/session//': '/session/' },
}

/** The routers that the application mounts a service in, with its base path there. */
const mounts: Readonly<Record<string, { readonly path: string; readonly deviations: Deviations }>> =
  {
    'App Router': { path: '/api/auth', deviations: common },
    'Pages Router': { path: '/api/pages-auth', deviations: common },
    'Pages Router, parsed': { path: '/api/parsed-auth', deviations: common },
  }

let host: RunningHost

// The build has neither the URL of the service nor its secret.
beforeAll(async () => {
  host = await serveNext()
}, 180_000)

afterAll(() => host?.[Symbol.asyncDispose]())

const outcomes = createOutcomes()

describe.for(Object.entries(mounts))('%s', ([name, { path, deviations }]) => {
  outcomes.run(name, () => ({ ...host, base: new URL(path, host.base).href }), deviations)
})

afterAll(outcomes.print)
