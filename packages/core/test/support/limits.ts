import type { Limit, Limiter } from '@latchkey/core'
import { Browser } from '@latchkey/core/testing/browser'
import { base, beginSignIn, toCallbackUrl } from './service.ts'
import type { TestService } from './service.ts'

/** A limit of one request in ten minutes. */
export const once: Limit = { times: 1, window: 600 }

/** Creates a browser whose host reports an IP address. */
export function createBrowserAt<Session>(
  { auth }: Pick<TestService<Session>, 'auth'>,
  ip: string | undefined,
): Browser {
  return new Browser((request) => auth.handle(request, { clientIp: () => ip }), base)
}

/** Begins a sign-in and sends a callback without a subject, which is counted and refused. */
export async function sendCallback(browser: Browser): Promise<Response> {
  return browser.visit(toCallbackUrl(await beginSignIn(browser), ''))
}

/** The arguments of one `take`. */
export interface Taken {
  readonly key: string
  readonly limit: Limit
}

/** Creates a limiter that records its calls and never refuses. */
export function createRecordingLimiter(): { readonly limiter: Limiter; readonly taken: Taken[] } {
  const taken: Taken[] = []
  const limiter: Limiter = {
    async take(key, limit) {
      taken.push({ key, limit })
      return 0
    },
  }
  return { limiter, taken }
}
