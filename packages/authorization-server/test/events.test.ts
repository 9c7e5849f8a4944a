import { once } from 'node:events'
import { accountPages } from '@latchkey/account'
import {
  deviceFlow,
  dynamicRegistration,
  openId,
  openIdLogout,
} from '@latchkey/authorization-server'
import type {
  AuthorizationServerEvents,
  AuthorizationServerOptions,
  GrantInfo,
} from '@latchkey/authorization-server'
import { memoryStorage } from '@latchkey/core/memory'
import { outbox } from '@latchkey/core/outbox'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { approve, askForCode, poll, tool } from './support/device.ts'
import { serveStored } from './support/each-storage.ts'
import {
  browseAs,
  getCode,
  origin,
  readError,
  readTokens,
  redirectUri,
  refresh,
  serve,
} from './support/server.ts'
import type { TestServer } from './support/server.ts'

type Told = readonly [name: keyof AuthorizationServerEvents, event: object]

/** Listeners that note what they are told. */
function listen(): { readonly events: AuthorizationServerEvents; readonly told: Told[] } {
  const told: Told[] = []
  const note = (name: keyof AuthorizationServerEvents) => (event: object) =>
    void told.push([name, event])
  const events = {
    createGrant: note('createGrant'),
    removeGrant: note('removeGrant'),
    grantReused: note('grantReused'),
    createClient: note('createClient'),
    removeClient: note('removeClient'),
  }
  return { events, told }
}

interface Listening extends TestServer {
  readonly told: Told[]
}

function serveEvents(over: Partial<AuthorizationServerOptions> = {}): Listening {
  const { events, told } = listen()
  const options = { server: { events, ...over }, others: [accountPages()] }
  return { ...serve(options), told }
}

async function getUserId({ storage }: TestServer): Promise<string> {
  return (await storage.getUserByAccount('passport', 'alice'))?.id ?? ''
}

async function listGrants(server: TestServer): Promise<readonly GrantInfo[]> {
  return server.auth.grants.list(await getUserId(server))
}

/** Gets the refresh token of another grant. */
async function begin(server: TestServer, browser: Browser): Promise<string> {
  const { fields } = await getCode(browser)
  const reply = await server.post('/oauth/token', fields)
  return (await readTokens(reply)).refresh_token
}

describe('createGrant (I-66.10)', () => {
  test('is called with the first tokens, and not with a code or a refresh', async () => {
    const server = serveEvents()
    const browser = await browseAs(server)
    const { fields } = await getCode(browser)
    expect(server.told).toEqual([])
    server.wait(5)
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => server.post('/oauth/token', fields)),
    )
    const [good, ...more] = replies.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    const [grant] = await listGrants(server)
    expect(grant?.lastUsedAt).toBe(server.now())
    const event = { userId: await getUserId(server), clientId: 'notes-app', grant }
    expect(server.told).toEqual([['createGrant', event]])
    const { refresh_token: token } = await readTokens(good as Response)
    expect((await refresh(server, token)).status).toBe(200)
    expect(server.told).toHaveLength(1)
  })

  test('is called when an approved device gets its tokens', async () => {
    const server = serveEvents({ device: deviceFlow(), clients: [tool] })
    const codes = await askForCode(server)
    await approve(await browseAs(server), codes.user_code)
    expect(server.told).toEqual([])
    expect((await poll(server, codes.device_code)).status).toBe(200)
    const [grant] = await listGrants(server)
    const event = { userId: await getUserId(server), clientId: tool.id, grant }
    expect(server.told).toEqual([['createGrant', event]])
  })
})

describe('removeGrant (I-66.10)', () => {
  type End = (
    server: Listening,
    held: { readonly browser: Browser; readonly token: string; readonly grant: GrantInfo },
  ) => Promise<unknown>
  /** What an end tells besides the user and the client. */
  const ends: readonly (readonly [string, End, 'grant' | 'user and client' | 'user' | 'client'])[] =
    [
      [
        'auth.grants.remove',
        async (server, { grant }) => server.auth.grants.remove(await getUserId(server), grant.id),
        'grant',
      ],
      [
        'the revocation endpoint',
        (server, { token }) => server.post('/oauth/revoke', { client_id: 'notes-app', token }),
        'grant',
      ],
      [
        'more than 20 grants of a client',
        async (server, { browser }) => {
          for (let i = 0; i < 20; i++) {
            server.wait(1)
            await begin(server, browser)
          }
        },
        'grant',
      ],
      [
        'the option grant',
        async (server, { token }) => {
          expect(await readError(await refresh(server, token))).toEqual([400, 'invalid_grant'])
        },
        'grant',
      ],
      [
        'the account page',
        async (_, { browser }) => {
          const form = { action: 'removeApplication', id: 'notes-app' }
          expect((await browser.submit('/account', form)).status).toBe(303)
        },
        'user and client',
      ],
      [
        'auth.grants.removeAll of a user and a client',
        async (server) =>
          server.auth.grants.removeAll({
            userId: await getUserId(server),
            clientId: 'notes-app',
          }),
        'user and client',
      ],
      [
        'auth.grants.removeAll of a client',
        (server) => server.auth.grants.removeAll({ clientId: 'notes-app' }),
        'client',
      ],
      [
        'the end of all sessions',
        async (server) => server.auth.sessions.revokeAll(await getUserId(server)),
        'user',
      ],
    ]

  test.each(ends)('is called once after %s', async (way, end, what) => {
    const grant: AuthorizationServerOptions['grant'] = ({ isFirst, scopes }) =>
      isFirst ? scopes : false
    const unlimited = { limits: { authorizationsPerClient: false } } as const
    const server = serveEvents({
      ...unlimited,
      consent: () => 'granted',
      ...(way === 'the option grant' && { grant }),
    })
    const browser = await browseAs(server)
    const token = await begin(server, browser)
    const [held] = await listGrants(server)
    if (!held) throw new Error('expected a grant')
    server.told.length = 0
    await end(server, { browser, token, grant: held })
    const [userId, clientId] = [await getUserId(server), 'notes-app']
    const expected = {
      grant: { userId, clientId, grant: held },
      'user and client': { userId, clientId },
      user: { userId },
      client: { clientId },
    }[what]
    const removed = server.told.filter(([name]) => name === 'removeGrant')
    expect(removed).toEqual([['removeGrant', expected]])
    expect(await listGrants(server)).not.toContainEqual(held)
  })

  test('is called once with the time before which all ended', async () => {
    const server = serveEvents()
    await begin(server, await browseAs(server))
    const before = server.now()
    await server.auth.grants.removeAll({ before })
    expect(server.told.slice(1)).toEqual([['removeGrant', { before }]])
  })

  test('is not called for a code that was not used, nor if the sessions of a user without grants end', async () => {
    const server = serveEvents()
    await getCode(await browseAs(server))
    const userId = await getUserId(server)
    const [code] = await server.storage.listGrants!(userId, server.now())
    await server.auth.grants.remove(userId, code?.id ?? '')
    expect(await server.storage.listGrants!(userId, server.now())).toEqual([])
    await server.auth.sessions.revokeAll(userId)
    expect(server.told).toEqual([])
  })

  test('is called once for the end of all sessions of which clients are told, and not for what has ended so', async () => {
    const { events, told } = listen()
    const openid = openId({ logout: openIdLogout() })
    const server = serve({
      server: { events, openid },
      config: { outbox: outbox({ deliver: () => undefined, events: [] }) },
    })
    await begin(server, await browseAs(server))
    const [grant] = await listGrants(server)
    const userId = await getUserId(server)
    for (let i = 0; i < 2; i++) await server.auth.sessions.revokeAll(userId)
    await server.auth.grants.remove(userId, grant?.id ?? '')
    expect(told.slice(1)).toEqual([['removeGrant', { userId }]])
  })

  test('is not called for another user', async () => {
    const server = serveEvents()
    await begin(server, await browseAs(server))
    const [grant] = await listGrants(server)
    await server.auth.grants.remove('another user', grant?.id ?? '')
    expect(server.told.map(([name]) => name)).toEqual(['createGrant'])
  })
})

describe('grantReused (I-66.10)', () => {
  test('is called beside removeGrant if a refresh token comes again later', async () => {
    const server = serveEvents()
    const token = await begin(server, await browseAs(server))
    server.wait(100)
    expect((await refresh(server, token)).status).toBe(200)
    const [grant] = await listGrants(server)
    server.wait(61)
    server.told.length = 0
    for (let i = 0; i < 2; i++) {
      expect(await readError(await refresh(server, token))).toEqual([400, 'invalid_grant'])
    }
    const event = { userId: await getUserId(server), clientId: 'notes-app', grant }
    expect(server.told).toEqual([
      ['removeGrant', event],
      ['grantReused', event],
    ])
  })

  test('is called if a code comes again later, not at once', async () => {
    const server = serveEvents()
    const { fields } = await getCode(await browseAs(server))
    await readTokens(await server.post('/oauth/token', fields))
    const names: string[][] = []
    for (const seconds of [10, 1]) {
      server.told.length = 0
      server.wait(seconds)
      expect((await server.post('/oauth/token', fields)).status).toBe(400)
      names.push(server.told.map(([name]) => name))
    }
    expect(names).toEqual([[], ['removeGrant', 'grantReused']])
  })
})

describe('createClient and removeClient (I-66.10)', () => {
  test('are called for clients that the application stores', async () => {
    const { events, told } = listen()
    const server = serveStored(memoryStorage(), { events })
    const { id } = await server.clients.create({ name: 'Partner', redirectUris: [redirectUri] })
    const [client] = await server.clients.list()
    expect(told).toEqual([['createClient', { client }]])
    expect(client?.id).toBe(id)
    for (const each of [id, id, 'notes-app']) await server.clients.remove(each)
    expect(told.slice(1)).toEqual([['removeClient', { clientId: id }]])
  })

  test('are called for clients that register themselves, without their secret', async () => {
    const server = serveEvents({ registration: dynamicRegistration() })
    const register = (document: object): Promise<Response> =>
      server.send('/oauth/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(document),
      })
    expect((await register({ redirect_uris: ['http://client.example'] })).status).toBe(400)
    expect(server.told).toEqual([])
    const metadata = {
      client_name: 'Tool',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_post',
    }
    const { client_id: id }: { client_id: string } = await (await register(metadata)).json()
    const client = {
      id,
      name: 'Tool',
      redirectUris: [redirectUri],
      grants: ['authorization_code'],
      authentication: 'client_secret_post',
      createdAt: server.now(),
    }
    expect(server.told).toEqual([['createClient', { client }]])
  })
})

describe('a listener', () => {
  test('that throws is logged, and changes no answer', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('down'))
    const events = { createGrant: fail, removeGrant: fail }
    const server = serveEvents({ events })
    const token = await begin(server, await browseAs(server))
    const revoked = await server.post('/oauth/revoke', { client_id: 'notes-app', token })
    expect(revoked.status).toBe(200)
    expect(await listGrants(server)).toEqual([])
    await server.auth.grants.removeAll({ clientId: 'notes-app' })
    const errors = server.lines.filter(({ level }) => level === 'error')
    expect(errors.map(({ message }) => message)).toEqual([
      'authorizationServer.events.createGrant threw',
      'authorizationServer.events.removeGrant threw',
      'authorizationServer.events.removeGrant threw',
    ])
  })

  test('holds no request: the host keeps itself alive for it; a call of the server waits', async () => {
    const listener = new EventTarget()
    const end = once(listener, 'end')
    const server = serveEvents({ events: { createGrant: () => end, removeGrant: () => end } })
    const { fields } = await getCode(await browseAs(server))
    const kept: Promise<unknown>[] = []
    const request = new Request(`${origin}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    })
    const reply = await server.auth.programs(request, { waitUntil: (work) => void kept.push(work) })
    expect(reply?.status).toBe(200)
    let isOver = false
    const [grant] = await listGrants(server)
    const removed = server.auth.grants.remove(await getUserId(server), grant?.id ?? '')
    const over = Promise.all([...kept, removed]).then(() => (isOver = true))
    expect(kept).toHaveLength(1)
    await expect.poll(() => listGrants(server)).toEqual([])
    expect(isOver).toBe(false)
    listener.dispatchEvent(new Event('end'))
    await over
  })
})
