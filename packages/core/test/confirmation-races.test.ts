import { encode } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import type { Auth, AuthConfig, Provider, Storage } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import {
  beginSignIn,
  getRedirect,
  getUser,
  passport,
  serve,
  signIn,
  signInWith,
  toCallbackUrl,
} from './support/service.ts'
import type { TestService } from './support/service.ts'

/** Runs something before one of the calls of a storage. */
interface Interruption {
  readonly storage: Storage
  /** Runs work before the call with this number, counted from 0 and from now. */
  readonly at: (call: number, work: () => Promise<unknown>) => void
  /** Returns whether there were as many calls. */
  readonly hasRun: () => boolean
}

function interrupt(inner: Storage): Interruption {
  let calls = 0
  let pending: { readonly call: number; readonly work: () => Promise<unknown> } | undefined
  const run = async (): Promise<void> => {
    if (pending?.call !== calls++) return
    const { work } = pending
    pending = undefined
    await work()
  }
  const storage = new Proxy(inner, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        await run()
        return Reflect.apply(member, target, args) as unknown
      }
    },
  })
  return {
    storage,
    at: (call, work) => {
      calls = 0
      pending = { call, work }
    },
    hasRun: () => pending === undefined,
  }
}

/** The authentication of a user who is present. */
const fresh = (): { authentication: { authenticatedAt: number; methods: ['fed'] } } => ({
  authentication: { authenticatedAt: Math.floor(Date.now() / 1000), methods: ['fed'] },
})
const provider = passport({ identify: fresh })

type Sessions = NonNullable<AuthConfig['session']>
const strategies: readonly [string, Sessions][] = [
  ['in the storage', {}],
  ['in its cookie, revocable', { strategy: 'cookie', revocable: true }],
]

interface Attack extends TestService<unknown> {
  readonly browser: Browser
  readonly userId: string
  readonly interruption: Interruption
}

async function setUp(
  session: Sessions,
  providers: readonly Provider[] = [provider],
): Promise<Attack> {
  const interruption = interrupt(memoryStorage())
  const { storage } = interruption
  const service = serve({ providers, storage, session, use: [confirmation()] })
  const browser = service.browse()
  await signIn(browser)
  return { ...service, browser, userId: (await getUser(browser)).id, interruption }
}

/** Copies the cookies of a browser to another tab, whose answers the browser does not see. */
function openTab({ browse, browser }: Attack): Browser {
  const tab = browse()
  for (const [name, value] of browser.cookies) tab.cookies.set(name, value)
  return tab
}

/** Ends the session; returns whether it still was there to end. */
type End = (attack: Attack, id: string) => Promise<boolean>

const ends: readonly [string, End][] = [
  [
    'auth.sessions.revokeAll',
    async ({ auth, userId }) => {
      await auth.sessions.revokeAll(userId)
      return true
    },
  ],
  ['auth.sessions.revoke', ({ auth, userId }, id) => auth.sessions.revoke(userId, id)],
  [
    'auth.users.delete',
    async ({ auth, userId }) => {
      await auth.users.delete(userId)
      return true
    },
  ],
  [
    'a sign-out in another tab',
    async (attack, id) => {
      const tab = openTab(attack)
      const wasAlive = (await listIds(attack.auth, attack.userId)).includes(id)
      await tab.submit('/signout', {})
      return wasAlive
    },
  ],
]

async function listIds(auth: Auth<unknown>, userId: string): Promise<readonly string[]> {
  return (await auth.sessions.list(userId)).map(({ id }) => id)
}

describe.each(strategies)('a session %s', (_, session) => {
  test.each(ends)('that %s ends at any moment is not brought back (I-51.7)', async (__, end) => {
    for (let call = 0, isOver = false; !isOver; call++) {
      const attack = await setUp(session)
      const { auth, browser, interruption, userId } = attack
      const [id = ''] = await listIds(auth, userId)
      const request = await beginSignIn(browser, { confirm: 'true' })
      let wasAlive = false
      interruption.at(call, async () => {
        wasAlive = await end(attack, id)
      })
      const { error } = getRedirect(await browser.visit(toCallbackUrl(request, 'alice')))
      isOver = !interruption.hasRun()
      if (isOver) expect(error).toBeNull()
      else if (wasAlive) expect([call, await listIds(auth, userId)]).toEqual([call, []])
    }
  })

  test('that is confirmed at any moment of auth.sessions.revoke ends (I-51.7)', async () => {
    for (let call = 0, isOver = false; !isOver; call++) {
      const { auth, browser, interruption, userId } = await setUp(session)
      const [id = ''] = await listIds(auth, userId)
      const request = await beginSignIn(browser, { confirm: 'true' })
      interruption.at(call, () => browser.visit(toCallbackUrl(request, 'alice')))
      expect(await auth.sessions.revoke(userId, id)).toBe(true)
      isOver = !interruption.hasRun()
      expect([call, await listIds(auth, userId)]).toEqual([call, []])
      expect(await browser.json('/session')).toEqual({})
    }
  })

  test('that was confirmed since it was listed is ended by its previous id (I-51.7)', async () => {
    const { auth, browser, browse, userId } = await setUp(session)
    const other = browse()
    await signIn(other)
    const ids = await listIds(auth, userId)
    for (let times = 0; times < 4; times++) {
      const request = await beginSignIn(browser, { confirm: 'true' })
      await browser.visit(toCallbackUrl(request, 'alice'))
    }
    const kept = await listIds(auth, userId)
    const replaced = ids.find((id) => !kept.includes(id)) ?? ''
    expect(await auth.sessions.revoke('another user', replaced)).toBe(false)
    expect(await auth.sessions.revoke(userId, replaced)).toBe(true)
    expect(await listIds(auth, userId)).toEqual(ids.filter((id) => kept.includes(id)))
    expect([await browser.json('/session'), await getUser(other)]).toEqual([{}, expect.anything()])
  })

  test('that another sign-in replaces is not brought back (I-51.7)', async () => {
    for (let call = 0, isOver = false; !isOver; call++) {
      const attack = await setUp(session)
      const { auth, browser, interruption, userId } = attack
      const [id = ''] = await listIds(auth, userId)
      const tab = openTab(attack)
      const other = await beginSignIn(tab)
      const request = await beginSignIn(browser, { confirm: 'true' })
      let wasAlive = false
      interruption.at(call, async () => {
        wasAlive = (await listIds(auth, userId)).includes(id)
        await tab.visit(toCallbackUrl(other, 'alice'))
      })
      const { error } = getRedirect(await browser.visit(toCallbackUrl(request, 'alice')))
      isOver = !interruption.hasRun()
      if (isOver) expect(error).toBeNull()
      else if (wasAlive) expect([call, (await listIds(auth, userId)).length]).toEqual([call, 1])
    }
  })

  test('that ends while callbacks.signIn decides links no account (I-39)', async () => {
    let decide = async (): Promise<void> => {}
    const licence = passport({ id: 'licence' })
    const { auth, browse } = serve({
      providers: [provider, licence],
      storage: memoryStorage(),
      session,
      callbacks: {
        async signIn() {
          await decide()
          return true
        },
      },
    })
    const link = async (subject: string): Promise<string | null> => {
      const browser = browse()
      await signIn(browser)
      const { id } = await getUser(browser)
      const request = await beginSignIn(browser, { link: 'true' }, '/signin/licence')
      decide = subject === 'late' ? () => auth.sessions.revokeAll(id) : decide
      const response = await browser.visit(toCallbackUrl(request, subject))
      decide = async () => {}
      return getRedirect(response).error
    }
    expect(await link('early')).toBeNull()
    expect(await link('late')).toBe('SessionRequired')
    const browser = browse()
    await signInWith(browser, 'licence', 'late')
    const { id } = await getUser(browser)
    expect(await auth.accounts.list(id)).toHaveLength(1)
  })
})

describe('an imported session', () => {
  const name = '__Secure-next-auth.session-token'
  const nextAuthSecret = 'the NEXTAUTH_SECRET of the application'

  /** Confirms a session of next-auth; `during` runs while the provider is asked. */
  async function confirmImported(session: Sessions, during?: (attack: Attack) => Promise<unknown>) {
    let ask = async (): Promise<unknown> => undefined
    const slow: Provider = {
      ...provider,
      async finish(input) {
        await ask()
        return provider.finish(input)
      },
    }
    const importFrom = [nextAuthV4({ secret: nextAuthSecret })]
    const attack = await setUp({ ...session, importFrom }, [slow])
    const { auth, browse, userId, wait, interruption } = attack
    await interruption.storage.deleteSessions(userId)
    wait(5)
    const browser = browse()
    const value = await encode({ token: { sub: userId }, secret: nextAuthSecret, maxAge: 3600 })
    const keepPrevious = (): void => {
      browser.cookies.delete('__Host-latchkey.session')
      browser.cookies.set(name, value)
    }
    keepPrevious()
    const request = await beginSignIn(browser, { confirm: 'true' })
    keepPrevious()
    ask = async () => during?.(attack)
    const { error } = getRedirect(await browser.visit(toCallbackUrl(request, 'alice')))
    return { error, sessions: await listIds(auth, userId) }
  }

  test.each<[string, Sessions]>([
    ...strategies,
    ['in its cookie', { strategy: 'cookie', acceptsDeletedUsers: true }],
  ])('that is revoked while the provider is asked is not brought back, %s', async (_, session) => {
    expect(await confirmImported(session)).toMatchObject({ error: null })
    const revoked = await confirmImported(session, ({ auth, userId }) =>
      auth.sessions.revokeAll(userId),
    )
    expect(revoked).toEqual({ error: 'SessionRequired', sessions: [] })
  })

  test.each(strategies)(
    'that is revoked at any moment is not brought back, %s',
    async (_, session) => {
      for (let call = 0, isOver = false; !isOver; call++) {
        let hasRun = (): boolean => false
        const { sessions } = await confirmImported(
          session,
          async ({ auth, userId, interruption }) => {
            hasRun = interruption.hasRun
            interruption.at(call, () => auth.sessions.revokeAll(userId))
          },
        )
        isOver = !hasRun()
        expect([call, sessions.length]).toEqual([call, isOver ? 1 : 0])
      }
    },
  )
})
