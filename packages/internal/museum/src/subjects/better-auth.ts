import { Browser } from '@latchkey/core/testing'
import Database from 'better-sqlite3'
import type { Exhibit } from '../exhibit.ts'
import type { SessionUser, Subject } from '../subject.ts'
import type { Load } from '../versions.ts'
import { createCapabilities } from './better-auth-capabilities.ts'
import { loadBetterAuth } from './better-auth-modules.ts'
import { basePath, createOptions, origin } from './better-auth-options.ts'
import { installProviderFetch } from './identity-provider.ts'
import type { People } from './identity-provider.ts'
import { Mails } from './mails.ts'

const base = origin + basePath

/** Sets a version of better-auth up with SQLite in memory. */
export async function openBetterAuth(
  load: Load,
  exhibit: Pick<Exhibit, 'setup' | 'needs'>,
): Promise<Subject> {
  const { betterAuth, getMigrations, plugins } = await loadBetterAuth(load)
  const [mails, people]: [Mails, People] = [new Mails(), new Map()]
  installProviderFetch(people)
  const options = { ...createOptions(exhibit, plugins, mails), database: new Database(':memory:') }
  await (await getMigrations(options)).runMigrations()
  const auth = betterAuth(options)
  return {
    handle: auth.handler,
    base,
    browse: ({ base: seen = base, ip = '192.0.2.1' } = {}) =>
      new Browser((request) => auth.handler(withAddress(request, ip)), seen),
    getUser,
    reopen: () => openBetterAuth(load, exhibit),
    ...createCapabilities(auth, { plugins, mails, people }),
  }
}

/** Adds the header that better-auth reads the IP address of a client from. */
function withAddress(request: Request, ip: string): Request {
  const headers = new Headers(request.headers)
  headers.set('x-forwarded-for', ip)
  return new Request(request, { headers })
}

/** Returns the user of a session. */
async function getUser(browser: Browser): Promise<SessionUser | undefined> {
  const session: { readonly user: SessionUser } | null = await (
    await browser.visit('/get-session')
  ).json()
  return session?.user
}
