import type { AuthConfig, SessionToken, Storage } from '@latchkey/core'
import type { TokenMembers } from '@latchkey/tokens'
import { apiTokens } from '@latchkey/tokens'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import type { Browser } from '@latchkey/testing/browser'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import {
  createPageRequest,
  getConfigError,
  getRedirect,
  getUser,
  passport,
  serve,
  signIn,
} from '../support/service.ts'
import type { ServiceOptions, TestService } from '../support/service.ts'

const DAY = 86_400
const keys = [await generateTokenKey()]

const staff = (createsUsers?: boolean): ReturnType<typeof credentials> =>
  credentials({
    fields: { name: { label: 'Name' } },
    authorize: ({ name }) => ({ id: name, name: 'Staff', email: `${name}@example.com` }),
    ...(createsUsers !== undefined && { createsUsers }),
  })

/** Serves members, who are stored, and staff, who are not. */
function serveStaff(
  storage: Storage,
  over: ServiceOptions = {},
): TestService<unknown, SessionToken, TokenMembers> {
  return serve({
    storage,
    providers: [passport(), staff(false)],
    session: { strategy: 'cookie', acceptsDeletedUsers: true },
    ...over,
    use: [apiTokens({ audience: 'https://api.example', keys })],
  })
}

async function signInStaff(
  { browse }: Pick<TestService<unknown>, 'browse'>,
  name = 'staff-7',
): Promise<Browser> {
  const browser = browse()
  const response = await browser.submit('/signin/credentials', { name })
  expect([response.status, getRedirect(response).error]).toEqual([302, null])
  return browser
}

/** A storage whose every user, account and session is counted. */
function createCountingStorage(): { storage: Storage; writes: string[] } {
  const inner = memoryStorage()
  const writes: string[] = []
  const count =
    <Args extends unknown[], Result>(name: string, method: (...args: Args) => Result) =>
    (...args: Args): Result => {
      writes.push(name)
      return method(...args)
    }
  const storage: Storage = {
    ...inner,
    createUser: count('createUser', (...args) => inner.createUser(...args)),
    linkAccount: count('linkAccount', (...args) => inner.linkAccount(...args)),
    createSession: count('createSession', (...args) => inner.createSession(...args)),
  }
  return { storage, writes }
}

describe('credentials with createsUsers: false (I-43)', () => {
  test('sign in a user whom the storage does not have, and store nothing', async () => {
    const { storage, writes } = createCountingStorage()
    const events: unknown[] = []
    const service = serveStaff(storage, {
      events: {
        createUser: () => events.push('createUser'),
        linkAccount: () => events.push('linkAccount'),
        signIn: ({ user, isNewUser }) => events.push([user.id, isNewUser]),
      },
    })
    const browser = await signInStaff(service)
    expect(await getUser(browser)).toMatchObject({ id: 'staff-7', name: 'Staff' })
    const token = await service.auth.getToken(createPageRequest(browser))
    expect(token?.sub).toBe('staff-7')
    expect(writes).toEqual([])
    expect(await storage.getUser('staff-7')).toBeUndefined()
    expect(events).toEqual([['staff-7', false]])
  })

  test('with the default the user is created', async () => {
    const { storage, writes } = createCountingStorage()
    const service = serveStaff(storage, { providers: [staff()] })
    expect((await getUser(await signInStaff(service))).id).toBe('staff-7')
    expect(writes).toEqual(['createUser'])
    expect(await storage.getUser('staff-7')).toBeDefined()
  })

  test('sign in the stored user who has the id', async () => {
    const storage = memoryStorage()
    const stored = { id: 'staff-7', name: 'Stored', email: null, emailVerified: false, image: null }
    await storage.createUser(stored)
    const service = serveStaff(storage)
    const browser = await signInStaff(service)
    expect(await getUser(browser)).toMatchObject({ id: 'staff-7', name: 'Stored' })
    // That session ends with the user.
    await storage.deleteUser('staff-7')
    service.wait(DAY)
    expect(await browser.json('/session')).toEqual({})
  })

  test('the session is renewed, and gets tokens, without a stored user', async () => {
    const service = serveStaff(memoryStorage())
    const browser = await signInStaff(service)
    const getSubs = async (): Promise<unknown[]> => {
      const issued = await service.auth.issueToken(createPageRequest(browser))
      const posted = (await (await browser.submit('/token')).json()) as { token: string }
      return [decodeJwt(issued?.token ?? '').sub, decodeJwt(posted.token).sub]
    }
    for (let i = 0; i < 3; i++) {
      expect(await getSubs()).toEqual(['staff-7', 'staff-7'])
      service.wait(DAY)
      expect((await browser.visit('/session')).headers.getSetCookie()).toHaveLength(1)
      expect((await getUser(browser)).id).toBe('staff-7')
      service.wait(DAY)
    }
    // A stored user is needed for any other session.
    const member = service.browse()
    await signIn(member)
    const { id } = await getUser(member)
    await service.auth.accounts.list(id)
    expect(await service.auth.accounts.list('staff-7')).toEqual([])
  })

  test('a member in the same service still ends with the stored user', async () => {
    const storage = memoryStorage()
    const service = serveStaff(storage)
    const browser = service.browse()
    await signIn(browser)
    await storage.deleteUser((await getUser(browser)).id)
    service.wait(DAY)
    expect(await browser.json('/session')).toEqual({})
  })

  test('the email address of another user who has verified it is refused', async () => {
    const storage = memoryStorage()
    const service = serveStaff(storage)
    await signIn(service.browse(), 'alice')
    await signInStaff(service)
    const response = await service.browse().submit('/signin/credentials', { name: 'alice' })
    expect(getRedirect(response).error).toBe('OAuthAccountNotLinked')
  })

  test('no account can be linked to such a user', async () => {
    const { storage, writes } = createCountingStorage()
    const browser = await signInStaff(serveStaff(storage))
    const response = await signIn(browser, 'bob', { link: 'true' })
    expect(getRedirect(response).error).toBe('SessionRequired')
    expect(writes).toEqual([])
    expect((await getUser(browser)).id).toBe('staff-7')
  })

  test.each<[string, NonNullable<AuthConfig['session']>]>([
    ['sessions in the storage', {}],
    ['revocable sessions', { strategy: 'cookie', revocable: true }],
  ])('%s are refused at start-up: they need a stored user', (_, session) => {
    const storage = memoryStorage()
    expect(getConfigError(() => ({ storage, session, providers: [staff(true)] }))).toBeUndefined()
    expect(getConfigError(() => ({ storage, session, providers: [staff(false)] }))).toEqual([
      'providers.credentials.createsUsers',
      'requires sessions in cookies that are not revocable: others need a stored user',
    ])
  })

  test('without a storage it changes nothing', async () => {
    const service = serve({ providers: [staff(false)] })
    expect((await getUser(await signInStaff(service))).id).toBe('staff-7')
  })

  test('a value that is not a boolean is refused', () => {
    expect(getConfigError(() => ({ providers: [staff('no' as never)] }))).toEqual([
      'providers.credentials.createsUsers',
      'must be true or false, found a string',
    ])
  })
})
