import { dynamicRegistration } from '@latchkey/authorization-server'
import { memoryStorage } from '@latchkey/core/memory'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import {
  browseAs,
  createPkce,
  getCode,
  issuer,
  origin,
  readError,
  readTokens,
  serve,
  toAuthorize,
  visit,
} from './support/server.ts'
import type { ServeOptions, TestServer } from './support/server.ts'

const callback = 'https://cursor.example/cb'
const metadata = {
  client_name: 'Cursor',
  redirect_uris: [callback],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
}

const common = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}
/** What clients in use register, and where they then ask to be redirected. */
const registrations: readonly (readonly [string, object, readonly string[]])[] = [
  [
    'Claude',
    {
      ...common,
      scope: 'claudeai',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
    },
    ['https://claude.ai/api/mcp/auth_callback'],
  ],
  [
    'Cursor',
    {
      ...common,
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
    },
    [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
  ],
  [
    'VS Code',
    {
      ...common,
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      application_type: 'native',
      grant_types: [...common.grant_types, 'urn:ietf:params:oauth:grant-type:device_code'],
      redirect_uris: [
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
    },
    ['https://vscode.dev/redirect', 'http://127.0.0.1:33418/', 'http://127.0.0.1:54321/'],
  ],
  [
    'Codex',
    {
      ...common,
      client_name: 'Codex',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1:37819/callback/a1'],
    },
    ['http://127.0.0.1:37819/callback/a1'],
  ],
]

const serveOpen = ({ server, ...options }: ServeOptions = {}): TestServer =>
  serve({ ...options, server: { registration: dynamicRegistration(), ...server } })

const register = ({ send }: TestServer, body: object | string): Promise<Response> =>
  send('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** What a registration answers. */
interface Registered {
  readonly client_id: string
  readonly client_secret?: string
}

async function readRegistered(response: Response): Promise<Registered> {
  expect(response.status).toBe(201)
  return (await response.json()) as Registered
}

describe('a client that registers itself (I-67.5)', () => {
  test('is off by default: no endpoint, and none in the metadata', async () => {
    const server = serve()
    expect((await register(server, metadata)).status).toBe(404)
    const open = serveOpen()
    const path = '/.well-known/oauth-authorization-server/api/auth'
    expect(await (await open.send(path)).json()).toMatchObject({
      registration_endpoint: `${origin}/oauth/register`,
    })
  })

  test('is not shown as the host of another one to which it could lead too', async () => {
    const server = serveOpen()
    const evil = 'https://evil.example/cb'
    const uris = [callback, `${callback}/2`, evil]
    const { client_id } = await readRegistered(
      await register(server, { ...metadata, redirect_uris: uris }),
    )
    const path = toAuthorize(createPkce().challenge, { client_id, redirect_uri: evil })
    const html = await (await visit(await browseAs(server), path)).text()
    expect(html).toContain('<bdi>Cursor (cursor.example, evil.example)</bdi>')
  })

  test('a strict client registers, is asked for with where it leads, and gets tokens', async () => {
    const server = serveOpen()
    const as = { issuer, registration_endpoint: `${origin}/oauth/register` }
    const response = await oauth.dynamicClientRegistrationRequest(as, metadata, {
      [oauth.customFetch]: (url: string, init: RequestInit) =>
        server.send(url.slice(origin.length), init),
    })
    expect(response.headers.get('cache-control')).toBe('no-store')
    const client = await oauth.processDynamicClientRegistrationResponse(response)
    expect(client).toEqual({
      client_id: expect.stringMatching(/^registered\.[\w-]{22}$/),
      client_id_issued_at: server.now(),
      response_types: ['code'],
      ...metadata,
    })
    const over = { client_id: client.client_id, redirect_uri: callback }
    const browser = await browseAs(server)
    const asked = await visit(browser, toAuthorize(createPkce().challenge, over))
    expect(await asked.text()).toContain('<bdi>Cursor (cursor.example)</bdi>')
    const { fields } = await getCode(browser, over)
    const { refresh_token: token } = await readTokens(await server.post('/oauth/token', fields))
    const refresh = { grant_type: 'refresh_token', client_id: client.client_id }
    server.wait(8 * 86_400)
    // A registration that was used stays.
    const reply = await server.post('/oauth/token', { ...refresh, refresh_token: token })
    expect(reply.status).toBe(200)
  })

  test.each(registrations)('is accepted as %s does it', async (_, body, uris) => {
    const server = serveOpen()
    const { client_id } = await readRegistered(await register(server, body))
    for (const redirect_uri of uris) {
      const { fields } = await getCode(await browseAs(server), { client_id, redirect_uri })
      expect(await readTokens(await server.post('/oauth/token', fields))).toHaveProperty(
        'refresh_token',
      )
    }
  })

  test('without a name is named by the host to which it leads', async () => {
    const server = serveOpen()
    const { client_name: _, ...nameless } = metadata
    const reply = await register(server, nameless)
    expect(await reply.json()).toMatchObject({ client_name: 'cursor.example' })
  })

  test('that is not used ends after seven days', async () => {
    const server = serveOpen()
    const { client_id } = await readRegistered(await register(server, metadata))
    const browser = await browseAs(server)
    const target = toAuthorize(createPkce().challenge, { client_id, redirect_uri: callback })
    server.wait(7 * 86_400 - 1)
    expect((await browser.visit(target)).status).toBe(302)
    server.wait(1)
    expect((await browser.visit(target)).status).toBe(400)
  })

  test('gets a secret if it asks for one, which the storage does not have', async () => {
    const storage = memoryStorage()
    const server = serveOpen({ storage })
    const web = { ...metadata, token_endpoint_auth_method: 'client_secret_post' }
    const { client_id, client_secret = '' } = await readRegistered(await register(server, web))
    expect(client_secret).toMatch(/^[\w-]{43}$/)
    const stored = await storage.getClient?.(client_id, server.now())
    expect(stored?.data).toContain('Cursor')
    expect(stored?.data).not.toContain(client_secret)
    const { fields } = await getCode(await browseAs(server), { client_id, redirect_uri: callback })
    const attempt = async (over: Record<string, string>): Promise<number> =>
      (await server.post('/oauth/token', { ...fields, ...over })).status
    expect(await attempt({})).toBe(401)
    expect(await attempt({ client_secret: `${client_secret.slice(0, -1)}!` })).toBe(401)
    expect(await attempt({ client_secret })).toBe(200)
  })

  test('that offers none beside another method is public, as ChatGPT is', async () => {
    const server = serveOpen()
    const { token_endpoint_auth_method: _, ...rest } = metadata
    const several = ['private_key_jwt', 'client_secret_post', 'none']
    const both = { ...rest, token_endpoint_auth_methods_supported: several }
    const reply = await register(server, both)
    expect(await reply.json()).toMatchObject({ token_endpoint_auth_method: 'none' })
    const silent = await register(server, rest)
    expect(await silent.json()).toMatchObject({ token_endpoint_auth_method: 'none' })
  })

  test('chooses neither its id nor what it may do besides', async () => {
    const server = serveOpen()
    const odd = {
      ...metadata,
      client_id: 'notes-app',
      secretHash: 'x',
      isOpen: false,
      scope: 'all',
    }
    const registered = await readRegistered(await register(server, odd))
    expect(registered.client_id).not.toBe('notes-app')
    expect(registered).not.toHaveProperty('client_secret')
    // It gets no error by a redirect before its user has allowed it.
    const reply = await server
      .browse()
      .visit(toAuthorize('short', { client_id: registered.client_id, redirect_uri: callback }))
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
  })

  test.each<[string, object | string, string]>([
    ['no redirect URI', { ...metadata, redirect_uris: undefined }, 'invalid_redirect_uri'],
    ['a URI that runs', { ...metadata, redirect_uris: ['javascript:a'] }, 'invalid_redirect_uri'],
    ['http', { ...metadata, redirect_uris: ['http://a.example/'] }, 'invalid_redirect_uri'],
    ['an empty name', { ...metadata, client_name: '' }, 'invalid_client_metadata'],
    ['a name that is no text', { ...metadata, client_name: null }, 'invalid_client_metadata'],
    ['a hidden name', { ...metadata, client_name: 'a\u202eb' }, 'invalid_client_metadata'],
    ['another grant', { ...metadata, grant_types: ['password'] }, 'invalid_client_metadata'],
    [
      'another method',
      { ...metadata, token_endpoint_auth_method: 'tls_client_auth' },
      'invalid_client_metadata',
    ],
    [
      'more than is kept',
      {
        ...metadata,
        redirect_uris: Array.from({ length: 10 }, (_, i) => `${callback}/${i}${'a'.repeat(900)}`),
      },
      'invalid_client_metadata',
    ],
    ['a list', '[]', 'invalid_client_metadata'],
    ['no JSON', '{', 'invalid_client_metadata'],
  ])('%s is refused', async (_, body, error) => {
    const server = serveOpen()
    expect((await register(server, metadata)).status).toBe(201)
    expect(await readError(await register(server, body))).toEqual([400, error])
  })

  test('needs JSON, and a storage with clients', async () => {
    const server = serveOpen()
    const form = await server.post('/oauth/register', { client_name: 'a' })
    expect(await readError(form)).toEqual([400, 'invalid_request'])
    const { capabilities: _, ...storage } = memoryStorage()
    const groups = ['sessions', 'sessionData', 'sessionLists', 'grants', 'increment', 'revocations']
    const without = { ...storage, capabilities: groups } as typeof storage
    expect(() => serve({ storage: without })).not.toThrow()
    expect(() => serveOpen({ storage: without })).toThrow(
      expect.objectContaining({ option: 'authorizationServer.registration' }),
    )
  })

  test('a wrong option is refused with its name', () => {
    const create = (options: object) => (): unknown => dynamicRegistration(options)
    expect(create({ limits: { registrationsPerClient: false } })).not.toThrow()
    for (const [option, options] of [
      ['dynamicRegistration.limit', { limit: 5 }],
      [
        'dynamicRegistration.limits.registrationsPerClient',
        { limits: { registrationsPerClient: 5 } },
      ],
    ] as const) {
      expect(create(options)).toThrow(expect.objectContaining({ option }))
    }
  })

  test('ten in an hour from an IP address', async () => {
    const { programs } = await import('@latchkey/authorization-server')
    const { auth } = serveOpen()
    const statuses: (number | undefined)[] = []
    for (let i = 0; i < 11; i++) {
      const request = new Request(`${origin}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(metadata),
      })
      statuses.push((await programs(auth, request, { clientIp: () => '192.0.2.1' }))?.status)
    }
    expect(statuses).toEqual([...Array<number>(10).fill(201), 429])
  })
})

test('tokens are not lost if the registration cannot be kept', async () => {
  let isOut = false
  const storage = wrapMethods(memoryStorage(), (method, name) => (...args) => {
    if (isOut && name === 'updateClient') return Promise.reject(new Error('out'))
    return method(...args)
  })
  const server = serveOpen({ storage })
  const { client_id: id } = await readRegistered(await register(server, metadata))
  const over = { client_id: id, redirect_uri: callback }
  const { fields } = await getCode(await browseAs(server), over)
  isOut = true
  const { refresh_token: token } = await readTokens(await server.post('/oauth/token', fields))
  expect(server.lines).toContainEqual(expect.objectContaining({ level: 'error' }))
  isOut = false
  const again = { grant_type: 'refresh_token', client_id: id, refresh_token: token }
  expect((await server.post('/oauth/token', again)).status).toBe(200)
})

test('a private scheme is not shown as the host that it looks like', async () => {
  const server = serveOpen()
  const show = async (uri: string): Promise<readonly (string | undefined)[]> => {
    const body = { client_name: 'Claude', redirect_uris: [uri] }
    const { client_id: id } = await readRegistered(await register(server, body))
    const target = toAuthorize(createPkce().challenge, { client_id: id, redirect_uri: uri })
    const html = await (await visit(await browseAs(server), target)).text()
    return [...html.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, text]) => text)
  }
  expect(await show('https://claude.ai/cb')).toContain('Claude (claude.ai)')
  expect(await show('claude.ai:/cb')).toContain('Claude (claude.ai:)')
})

test.each(['\u034f', '\ufe0f', '\u17b4', '\u180b', '\u{e0100}'])(
  'a name that shows nothing (%j) is refused',
  async (name) => {
    const server = serveOpen()
    expect((await register(server, { ...metadata, client_name: `Cursor${name}` })).status).toBe(201)
    expect((await register(server, { ...metadata, client_name: name })).status).toBe(400)
  },
)
