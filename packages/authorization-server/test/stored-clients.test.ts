import {
  authorizationServer,
  deviceFlow,
  openId,
  privateKeyJwt,
  storedClients,
} from '@latchkey/authorization-server'
import type { StoredClientOptions } from '@latchkey/authorization-server'
import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import { apiTokens } from '@latchkey/tokens'
import { describe, expect, test } from 'vitest'
import { passport } from '../../core/test/support/service.ts'
import { approve, askForCode, poll } from './support/device.ts'
import { serveStored } from './support/each-storage.ts'
import {
  browseAs,
  createPkce,
  getCode,
  keys,
  mail,
  origin,
  readError,
  readForm,
  readTokens,
  redirectUri,
  refresh,
  serve,
  toAuthorize,
  visit,
} from './support/server.ts'
import type { TestServer } from './support/server.ts'

const web: StoredClientOptions = {
  name: 'Partner',
  redirectUris: [redirectUri],
  authentication: 'client_secret_post',
}
const tool: StoredClientOptions = {
  name: 'Partner tool',
  redirectUris: [],
  grants: ['device', 'refresh_token'],
  deviceScopes: ['notes:read'],
}

/** Gets a code for a client, and returns what redeems it without the secret. */
async function ask(server: TestServer, id: string): Promise<Readonly<Record<string, string>>> {
  return (await getCode(await browseAs(server), { client_id: id })).fields
}

describe('clients that the application stores (I-67.6)', () => {
  test('auth.clients is typed, and there, only with storedClients()', () => {
    const resources = { [mail]: { scopes: { read: { en: 'Read' } } } }
    const auth = createAuth({
      serviceUrl: origin,
      secret: 'a secret of thirty-two bytes or more',
      storage: memoryStorage(),
      session: { strategy: 'storage' },
      providers: [passport()],
      use: [
        apiTokens({ keys, audience: 'https://api.example' }),
        authorizationServer({ resources, storedClients: storedClients() }),
      ],
    })
    expect(auth.clients.list).toBeTypeOf('function')
    expect(serve().auth).not.toHaveProperty('clients')
  })

  test('are created with a secret that is shown once, and act as configured ones', async () => {
    const server = serveStored(memoryStorage())
    const { id, secret = '' } = await server.clients.create(web)
    expect(secret).toMatch(/^[\w-]{43}$/)
    const [stored] = (await server.storage.listClients?.(9, server.now())) ?? []
    expect(stored?.data).not.toContain(secret)
    expect(await server.clients.list()).toEqual([
      {
        id,
        name: 'Partner',
        redirectUris: [redirectUri],
        grants: ['authorization_code', 'refresh_token'],
        authentication: 'client_secret_post',
        createdAt: server.now(),
      },
    ])
    const browser = await browseAs(server)
    const path = toAuthorize(createPkce().challenge, { client_id: id })
    // The name alone: the application has chosen it.
    expect(await (await visit(browser, path)).text()).toContain('<bdi>Partner</bdi>')
    const { fields } = await getCode(browser, { client_id: id })
    const tokens = await readTokens(
      await server.post('/oauth/token', { ...fields, client_secret: secret }),
    )
    const next = { client_id: id, client_secret: secret }
    expect((await refresh(server, tokens.refresh_token, next)).status).toBe(200)
    const user = await server.storage.getUserByAccount('passport', 'alice')
    expect(await server.auth.grants.list(user?.id ?? '')).toMatchObject([{ clientName: 'Partner' }])
  })

  test('with a wrong secret are answered as unknown ones', async () => {
    const server = serveStored(memoryStorage())
    const { id, secret = '' } = await server.clients.create(web)
    const fields = await ask(server, id)
    const replies = []
    for (const over of [
      { client_secret: `${secret}x` },
      { client_secret: secret, client_id: `${id.slice(0, -1)}${id.endsWith('A') ? 'Q' : 'A'}` },
      { client_secret: secret, client_id: 'stored.' },
      {},
    ]) {
      const reply = await server.post('/oauth/token', { ...fields, ...over })
      replies.push([reply.status, await reply.text()])
    }
    expect(new Set(replies.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(replies[0]?.[0]).toBe(401)
    const reply = await server.post('/oauth/token', { ...fields, client_secret: secret })
    expect(reply.status).toBe(200)
  })

  test('rotate: the previous secret works until the next rotation', async () => {
    const server = serveStored(memoryStorage())
    const { id, secret: first = '' } = await server.clients.create(web)
    const works = async (secret: string): Promise<boolean> => {
      const fields = { client_id: id, client_secret: secret, token: 'x' }
      return (await server.post('/oauth/revoke', fields)).status === 200
    }
    const second = (await server.clients.rotate(id)) ?? ''
    expect([await works(first), await works(second)]).toEqual([true, true])
    const third = (await server.clients.rotate(id)) ?? ''
    expect([await works(first), await works(second), await works(third)]).toEqual([
      false,
      true,
      true,
    ])
    const open = await server.clients.create({ name: 'Open', redirectUris: [redirectUri] })
    expect(open.secret).toBeUndefined()
    for (const other of [open.id, 'notes-app', `stored.${'A'.repeat(22)}`]) {
      expect(await server.clients.rotate(other)).toBeUndefined()
    }
  })

  test('remove: the grants end, and a code that waits gives nothing', async () => {
    const server = serveStored(memoryStorage())
    const { id } = await server.clients.create({ name: 'Open', redirectUris: [redirectUri] })
    const kept = await server.clients.create({ name: 'Kept', redirectUris: [redirectUri] })
    const { refresh_token } = await readTokens(
      await server.post('/oauth/token', await ask(server, id)),
    )
    const waiting = await ask(server, id)
    const others = await ask(server, kept.id)
    await server.clients.remove(id)
    await server.clients.remove(id)
    const refreshed = await refresh(server, refresh_token, { client_id: id })
    expect(await readError(refreshed)).toEqual([401, 'invalid_client'])
    expect((await server.post('/oauth/token', waiting)).status).toBe(401)
    const user = await server.storage.getUserByAccount('passport', 'alice')
    expect(await server.auth.grants.list(user?.id ?? '')).toEqual([])
    expect((await server.post('/oauth/token', others)).status).toBe(200)
    expect((await server.clients.list()).map((each) => each.id)).toEqual([kept.id])
    const page = await visit(
      await browseAs(server),
      toAuthorize(createPkce().challenge, { client_id: id }),
    )
    expect(page.status).toBe(400)
  })

  test('remove leaves the grants of configured clients', async () => {
    const server = serveStored(memoryStorage())
    const fields = await ask(server, 'notes-app')
    await server.clients.remove('notes-app')
    expect((await server.post('/oauth/token', fields)).status).toBe(200)
  })

  test('get tokens by a code of a device', async () => {
    const server = serveStored(memoryStorage(), { device: deviceFlow() })
    const { id } = await server.clients.create(tool)
    const codes = await askForCode(server, { client_id: id })
    const allowed = await approve(await browseAs(server), codes.user_code)
    expect(allowed.status).toBe(200)
    const polled = await poll(server, codes.device_code, { client_id: id })
    expect((await readTokens(polled)).scope).toBe('notes:read')
    const user = await server.storage.getUserByAccount('passport', 'alice')
    const [grant] = await server.auth.grants.list(user?.id ?? '')
    expect(grant?.clientName).toBe('Partner tool')
  })

  test('a consent that waits while its client is removed gives no code', async () => {
    const server = serveStored(memoryStorage())
    const { id } = await server.clients.create({ name: 'Open', redirectUris: [redirectUri] })
    const browser = await browseAs(server)
    const asked = await visit(browser, toAuthorize(createPkce().challenge, { client_id: id }))
    const form = { ...(await readForm(asked)), decision: 'allow' }
    await server.clients.remove(id)
    expect((await browser.post('/consent', form)).status).toBe(400)
  })

  test.each<[string, object | null]>([
    ['must be an object', null],
    ['id', { ...web, id: 'mine' }],
    ['secret', { ...web, secret: 'a secret of 32 characters, or more' }],
    ['name', { ...web, name: '' }],
    ['redirectUris[0]', { ...web, redirectUris: ['http://client.example/cb'] }],
    ['grants', { ...web, grants: ['password'] }],
    ['authentication', { ...web, authentication: 'tls_client_auth' }],
    ['jwks', { ...web, authentication: 'private_key_jwt' }],
    ['privateKeyJwt()', { name: 'Keys', redirectUris: [redirectUri], jwks: { keys: [] } }],
    ['deviceFlow()', tool],
  ])('create names what is wrong: %s', async (named, options) => {
    const { clients } = serveStored(memoryStorage())
    await expect(clients.create(options as never)).rejects.toThrow(named)
  })

  test('may have keys with privateKeyJwt(), and deviceScopes of a resource only', async () => {
    const { clients } = serveStored(memoryStorage(), {
      assertions: privateKeyJwt(),
      device: deviceFlow(),
    })
    const jwks = { keys: [{ kty: 'OKP' }] }
    await clients.create({ name: 'Keys', redirectUris: [redirectUri], jwks })
    await clients.create(tool)
    await expect(clients.create({ ...tool, deviceScopes: ['other'] })).rejects.toThrow(
      'deviceScopes',
    )
  })

  test('has a sector, if users have another subject at each client', async () => {
    const openid = openId({ pairwiseSalt: 'a salt of 32 characters, or more' })
    const { clients } = serveStored(memoryStorage(), { openid })
    const redirectUris = [redirectUri, 'https://other.example/cb']
    await clients.create({ name: 'Several', redirectUris, sector: 'client.example' })
    await expect(clients.create({ name: 'Several', redirectUris })).rejects.toThrow('sector')
  })
})

test('a removal that fails half way is told once, and can be repeated', async () => {
  let isOut = false
  const told: string[] = []
  const storage = wrapMethods(memoryStorage(), (method, name) => (...args) => {
    if (isOut && name === 'deleteGrants') return Promise.reject(new Error('out'))
    return method(...args)
  })
  const events = { removeClient: (event: object) => void told.push(JSON.stringify(event)) }
  const server = serveStored(storage, { events })
  const { id } = await server.clients.create(web)
  isOut = true
  await expect(server.clients.remove(id)).rejects.toThrow()
  isOut = false
  await server.clients.remove(id)
  expect(told).toEqual([JSON.stringify({ clientId: id })])
  expect(await server.clients.list()).toEqual([])
})

test('an outage of the storage is no failed authentication', async () => {
  let isOut = false
  const storage = wrapMethods(memoryStorage(), (method, name) => (...args) => {
    if (isOut && name === 'getClient') return Promise.reject(new Error('out'))
    return method(...args)
  })
  const server = serveStored(storage, { limits: { failuresPerClient: { times: 1, window: 600 } } })
  const { id, secret = '' } = await server.clients.create(web)
  const send = async (): Promise<number> => {
    const fields = { client_id: id, client_secret: secret, token: 'x' }
    return (await server.post('/oauth/revoke', fields)).status
  }
  expect(await send()).toBe(200)
  isOut = true
  for (let i = 0; i < 3; i++) expect(await send()).toBe(503)
  isOut = false
  expect(await send()).toBe(200)
})
