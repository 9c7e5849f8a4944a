import type { Auth, DefaultSession } from '@latchkey/core'
import { Browser } from '@latchkey/testing/browser'
import { memoryStorage } from '@latchkey/core/memory'
import type { Hono } from 'hono'
import { base, serve, signIn } from '../../../core/test/support/service.ts'
import type { TestService } from '../../../core/test/support/service.ts'

const sessionCookie = '__Host-latchkey.session'
export const DAY = 86_400

type Build = (auth: Auth) => Pick<Hono, 'fetch'>

/** An application with a service, and a browser that visits it. */
export interface TestApp extends TestService<DefaultSession> {
  readonly app: Pick<Hono, 'fetch'>
  readonly browser: Browser
}

/** Builds an application around a service, by default with its storage in memory. */
export function start(
  build: Build,
  over: Parameters<typeof serve<DefaultSession>>[0] = { storage: memoryStorage() },
): TestApp {
  const service = serve(over)
  const app = build(service.auth)
  const browser = new Browser(async (request) => app.fetch(request), base)
  return { ...service, app, browser }
}

/** Starts an application in which Alice signed in so long ago that her session is due for renewal. */
export async function startDue(build: Build, over?: Parameters<typeof start>[1]): Promise<TestApp> {
  const started = start(build, over)
  await signIn(started.browser)
  started.wait(2 * DAY)
  return started
}

/** Returns the `Set-Cookie` lines of the session cookie. */
export function getSessionLines(response: Response): string[] {
  return response.headers.getSetCookie().filter((line) => line.startsWith(`${sessionCookie}=`))
}
