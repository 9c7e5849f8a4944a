import type { DefaultSession } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { Browser } from '@latchkey/testing/browser'
import { createNextAuth } from '../../src/index.ts'
import type { NextAuth } from '../../src/index.ts'
import { base, origin, passport, secret, signIn } from '../../../core/test/support/service.ts'

type Config = Exclude<Parameters<typeof createNextAuth<DefaultSession>>[0], () => unknown>

/** A service in a Next.js application, with a clock that the test advances. */
export interface TestNext {
  readonly next: NextAuth
  /** Creates a browser without cookies, which sends requests to the route handlers. */
  readonly browse: () => Browser
  readonly wait: (seconds: number) => void
}

/** Returns the configuration of a service at https://app.example. */
export function createConfig(over: Partial<Config> = {}): Config {
  return { serviceUrl: origin, secret, providers: [passport()], storage: memoryStorage(), ...over }
}

/** Creates a service at https://app.example. */
export function startNext(over: Partial<Config> = {}): TestNext {
  let now = Date.now()
  const runtime = { now: () => now }
  const config = createConfig({
    runtime,
    logger: { error: () => undefined, warn: () => undefined },
    ...over,
  })
  const next = createNextAuth(() => config)
  return {
    next,
    browse: () => new Browser((request) => next.handlers.GET(request), base),
    wait: (seconds) => {
      now += seconds * 1000
    },
  }
}

/** Returns the Cookie header of a browser in which Alice signed in. */
export async function signInCookie({ browse }: TestNext): Promise<string> {
  const browser = browse()
  await signIn(browser)
  return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}
