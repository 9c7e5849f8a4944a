import { beginSignIn, Browser } from '@latchkey/core/testing'
import type { Handler } from '@latchkey/core/testing'
import type { Capabilities, SessionUser, Subject } from '../subject.ts'
import type { Load } from '../versions.ts'
import { createAuthJsConfig, secret } from './auth-js-config.ts'
import { installProviderFetch } from './identity-provider.ts'
import type { People } from './identity-provider.ts'
import { Mails } from './mails.ts'
import { createNextAuthHandler } from './next-auth-handler.ts'
import type { NextAuthCore } from './next-auth-handler.ts'

const base = 'https://app.example/api/auth'

interface AuthCore {
  readonly Auth: (request: Request, config: object) => Promise<Response>
}

interface JwtModule {
  readonly getToken: (options: object) => Promise<unknown>
}

/** Sets a version of `@auth/core` up. */
export async function openAuthCore(load: Load): Promise<Subject> {
  const { Auth } = await load<AuthCore>('@auth/core')
  const { getToken } = await load<JwtModule>('@auth/core/jwt')
  const subject = await openAuthJs(load, (config) => (request) => Auth(request, config))
  const read: Capabilities['token']['read'] = (headers) =>
    getToken({ req: { headers }, secret, secureCookie: true })
  return { ...subject, token: { read }, reopen: () => openAuthCore(load) }
}

/** Sets a version of next-auth 4 up, without Next.js. */
export async function openNextAuth(load: Load): Promise<Subject> {
  process.env['NEXTAUTH_URL'] = base
  // Later versions do not export what all their handlers call.
  const core = await load<NextAuthCore>('./node_modules/next-auth/core/index.js')
  const subject = await openAuthJs(load, (config) => createNextAuthHandler(core, config))
  return { ...subject, reopen: () => openNextAuth(load) }
}

async function openAuthJs(
  load: Load,
  createHandler: (config: object) => Handler,
): Promise<Omit<Subject, 'reopen'>> {
  const [mails, people]: [Mails, People] = [new Mails(), new Map()]
  installProviderFetch(people)
  const handle = createHandler(await createAuthJsConfig(load, mails))
  return {
    handle,
    base,
    browse: ({ base: seen = base } = {}) => new Browser(handle, seen),
    getUser,
    oauth: {
      people,
      begin: (browser, provider, { returnUrl: callbackUrl } = {}) =>
        beginSignIn(browser, {
          provider,
          ...(callbackUrl !== undefined && { fields: { callbackUrl } }),
        }),
    },
    email: {
      mails,
      request: (browser, email, { headers = {} } = {}) =>
        browser.submit('/signin/email', { email }, { headers }),
      open: (browser, link) => browser.visit(link),
    },
  }
}

/** Returns the user of a session, whose id is the email address: sessions show no other. */
async function getUser(browser: Browser): Promise<SessionUser | undefined> {
  const session: { readonly user?: { readonly email: string } } | null = await (
    await browser.visit('/session')
  ).json()
  return session?.user && { id: session.user.email, email: session.user.email }
}
