import { deviceFlow, programs } from '@latchkey/authorization-server'
import type { AuthorizationServerOptions, ClientOptions } from '@latchkey/authorization-server'
import type { AuthConfig } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { decodeJwt } from 'jose'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import { describe, expect, test } from 'vitest'
import { createListener } from '../../core/test/support/listener.ts'
import { getUser, signIn } from '../../core/test/support/service.ts'
import { createUserCode } from '../src/device/user-code.ts'
import {
  approve,
  askForCode,
  deviceGrant,
  enter,
  poll,
  tool,
  withDevice,
} from './support/device.ts'
import {
  browseAs,
  issuer,
  mail,
  notes,
  origin,
  publicClient,
  readError,
  readForm,
  readTokens,
  refresh,
  serve,
} from './support/server.ts'
import type { TestServer } from './support/server.ts'

const metadataPath = '/.well-known/oauth-authorization-server/api/auth'
const ip = '192.0.2.7'
const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

function serveDevice(
  server: Partial<AuthorizationServerOptions> = {},
  config: Partial<AuthConfig> = {},
): TestServer {
  return serve({ server: { ...withDevice, ...server }, config, clientIp: () => ip })
}

const secret = 'a secret of thirty-two characters!'
const confidential: ClientOptions = { ...tool, id: 'television', secret }

describe('a device (I-68)', () => {
  test('gets tokens once, after its user has entered the code and allowed it', async () => {
    const server = serveDevice()
    const codes = await askForCode(server, {}, { 'user-agent': chrome })
    expect(codes.device_code).toMatch(/^[\w-]{43}$/)
    expect(codes.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(codes).toEqual({
      ...codes,
      verification_uri: `${issuer}/device`,
      verification_uri_complete: `${issuer}/device?user_code=${codes.user_code}`,
      expires_in: 600,
      interval: 5,
    })
    expect(await readError(await poll(server, codes.device_code))).toEqual([
      400,
      'authorization_pending',
    ])
    server.wait(120)
    const browser = await browseAs(server)
    const asked = await enter(browser, codes.user_code)
    const html = await asked.clone().text()
    expect([asked.status, asked.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    expect(asked.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(html).toContain('<bdi>Notes &lt;tool&gt;</bdi> asks for access')
    expect(html).toContain(`IP address: <bdi>${ip}</bdi>`)
    expect(html).toContain('<bdi>Chrome (Linux)</bdi>')
    expect(html).toContain('<bdi>2 minutes</bdi>')
    expect(html).toContain('Continue only if you began this on a device in front of you.')
    expect(html).toContain('Read your notes')
    expect(html).toContain('alice@example.com')
    expect(html).not.toContain('<script')
    const allowed = await browser.post('/device', { ...(await readForm(asked)), decision: 'allow' })
    expect(allowed.status).toBe(200)
    expect(await allowed.text()).toContain('The device is connected')

    const tokens = await readTokens(await poll(server, codes.device_code))
    const user = await getUser(browser)
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      sub: user.id,
      aud: notes,
      client_id: 'tool',
      scope: 'notes:read notes:write',
      amr: ['pwd'],
      auth_time: server.now(),
    })
    expect(await readError(await poll(server, codes.device_code))).toEqual([400, 'invalid_grant'])
    const renewed = await refresh(server, tokens.refresh_token, { client_id: 'tool' })
    expect(renewed.status).toBe(200)
    expect(await server.auth.grants.list(user.id)).toMatchObject([{ clientId: 'tool' }])
  })

  test('is one of at most 20 that a user connects: the one goes that was idle longest (I-66.5)', async () => {
    const server = serveDevice()
    const tokens: string[] = []
    for (let i = 0; i < 22; i++) {
      server.wait(400)
      const { device_code: code, user_code: userCode } = await askForCode(server)
      await approve(await browseAs(server), userCode)
      tokens.push((await readTokens(await poll(server, code))).refresh_token)
    }
    const refreshed = tokens.map((token) => refresh(server, token, { client_id: 'tool' }))
    const statuses = (await Promise.all(refreshed)).map(({ status }) => status)
    expect(statuses).toEqual([400, 400, ...Array<number>(20).fill(200)])
  })

  test('has codes of which the storage keeps hashes', async () => {
    const kept: string[] = []
    const storage = memoryStorage()
    const recording: typeof storage = {
      ...storage,
      createGrant: async (...args) => {
        kept.push(JSON.stringify(args))
        return (await storage.createGrant?.(...args)) === true
      },
    }
    const server = serve({ server: withDevice, storage: recording })
    const { device_code: code, user_code: userCode } = await askForCode(server)
    expect(kept).toHaveLength(1)
    expect(kept[0]).not.toContain(code)
    expect(kept[0]).not.toContain(userCode)
    expect(kept[0]).not.toContain(userCode.replace('-', ''))
  })

  test('that uses its code again later has lost it to somebody: the grant ends', async () => {
    const server = serveDevice()
    const { device_code: code, user_code: userCode } = await askForCode(server)
    await approve(await browseAs(server), userCode)
    const { refresh_token: first } = await readTokens(await poll(server, code))
    await poll(server, code)
    const next = await refresh(server, first, { client_id: 'tool' })
    const { refresh_token: second } = await readTokens(next)
    server.wait(700)
    expect(await readError(await poll(server, code))).toEqual([400, 'invalid_grant'])
    const reply = await refresh(server, second, { client_id: 'tool' })
    expect(await readError(reply)).toEqual([400, 'invalid_grant'])
  })

  test('that asks too often is slowed down by 5 seconds each time', async () => {
    const server = serveDevice()
    const { device_code: code } = await askForCode(server)
    const answers: string[] = []
    for (const seconds of [0, 5, 3, 5, 14, 15]) {
      server.wait(seconds)
      answers.push((await readError(await poll(server, code)))[1])
    }
    const pending = 'authorization_pending'
    expect(answers).toEqual([pending, pending, 'slow_down', 'slow_down', pending, pending])
  })

  test('is told that its user denied it, and that its time has ended', async () => {
    const server = serveDevice()
    const [one, other] = [await askForCode(server), await askForCode(server)]
    const browser = await browseAs(server)
    const denied = await approve(browser, one.user_code, { decision: 'deny' })
    expect(await denied.text()).toContain('The device gets no access')
    server.wait(599)
    expect(await readError(await poll(server, other.device_code))).toEqual([
      400,
      'authorization_pending',
    ])
    for (let i = 0; i < 2; i++) {
      expect(await readError(await poll(server, one.device_code))).toEqual([400, 'access_denied'])
    }
    server.wait(1)
    expect(await readError(await poll(server, other.device_code))).toEqual([400, 'expired_token'])
  })

  test('is told of its end for ten minutes more, and no longer', async () => {
    const server = serveDevice()
    const [one, other] = [await askForCode(server), await askForCode(server)]
    await approve(await browseAs(server), one.user_code, { decision: 'deny' })
    const askForBoth = async (): Promise<readonly (readonly [number, string])[]> => [
      await readError(await poll(server, one.device_code)),
      await readError(await poll(server, other.device_code)),
    ]
    server.wait(1199)
    expect(await askForBoth()).toEqual([
      [400, 'access_denied'],
      [400, 'expired_token'],
    ])
    server.wait(1)
    expect(await askForBoth()).toEqual([
      [400, 'invalid_grant'],
      [400, 'invalid_grant'],
    ])
  })

  test('gets nothing if all sessions of its user ended, or its time, before it asked', async () => {
    const server = serveDevice()
    const browser = await browseAs(server)
    const { id } = await getUser(browser)
    const [one, other] = [await askForCode(server), await askForCode(server)]
    await approve(browser, one.user_code)
    await approve(browser, other.user_code)
    server.wait(1)
    await readTokens(await poll(server, one.device_code))
    await server.auth.sessions.revokeAll(id)
    expect(await readError(await poll(server, other.device_code))).toEqual([400, 'invalid_grant'])
    const late = await askForCode(server)
    await approve(await browseAs(server), late.user_code)
    server.wait(600)
    expect(await readError(await poll(server, late.device_code))).toEqual([400, 'expired_token'])
  })

  test('begins when its user approves it: what ended before is no end of it', async () => {
    const server = serveDevice({ maxAge: 300 })
    const { id } = await getUser(await browseAs(server))
    const { device_code: code, user_code: userCode } = await askForCode(server)
    server.wait(400)
    await server.auth.sessions.revokeAll(id)
    const browser = await browseAs(server)
    expect((await approve(browser, userCode)).status).toBe(200)
    const { refresh_token: token } = await readTokens(await poll(server, code))
    const renewed = await readTokens(await refresh(server, token, { client_id: tool.id }))
    await server.auth.sessions.revokeAll(id)
    const last = await refresh(server, renewed.refresh_token, { client_id: tool.id })
    expect(await readError(last)).toEqual([400, 'invalid_grant'])
  })

  test('that is approved at the last moment has a minute to learn it', async () => {
    const server = serveDevice()
    const [one, other] = [await askForCode(server), await askForCode(server)]
    server.wait(598)
    const browser = await browseAs(server)
    for (const each of [one, other]) await approve(browser, each.user_code)
    server.wait(59)
    await readTokens(await poll(server, one.device_code))
    server.wait(1)
    expect(await readError(await poll(server, other.device_code))).toEqual([400, 'expired_token'])
  })

  test('is granted what the user leaves, and nothing is added', async () => {
    const server = serveDevice()
    const { device_code: code, user_code: userCode } = await askForCode(server)
    const browser = await browseAs(server)
    const form = await readForm(await enter(browser, userCode))
    const { 'scope:notes:write': write, ...rest } = form
    expect(write).toBe('true')
    await browser.post('/device', { ...rest, 'scope:mail:read': 'true', decision: 'allow' })
    expect(await readTokens(await poll(server, code))).toMatchObject({ scope: 'notes:read' })
  })
})

describe('a client (I-68)', () => {
  test('asks for its own scopes of one resource', async () => {
    const clients = [
      tool,
      { ...tool, id: 'reader', deviceScopes: ['notes:read'] },
      { ...tool, id: 'mailer', deviceScopes: ['mail:read'] },
    ]
    const server = serveDevice({ clients })
    const ask = async (fields: Record<string, string>): Promise<unknown> => {
      const response = await server.post('/oauth/device-code', fields)
      const { error, user_code: code }: Record<string, string> = await response.json()
      if (error !== undefined) return error
      const html = await (await enter(await browseAs(server), code ?? '')).text()
      return ['Read your notes', 'Change your notes', 'Read your mail'].filter((text) =>
        html.includes(text),
      )
    }
    expect(await ask({ client_id: 'tool' })).toEqual(['Read your notes', 'Change your notes'])
    expect(await ask({ client_id: 'tool', scope: 'notes:read other' })).toEqual(['Read your notes'])
    expect(await ask({ client_id: 'reader' })).toEqual(['Read your notes'])
    expect(await ask({ client_id: 'reader', scope: 'notes:read notes:write' })).toEqual([
      'Read your notes',
    ])
    expect(await ask({ client_id: 'reader', scope: 'notes:write' })).toBe('invalid_scope')
    expect(await ask({ client_id: 'mailer', resource: mail })).toEqual(['Read your mail'])
    // It has no `notes:read`, without which nothing of the resource works.
    expect(await ask({ client_id: 'mailer' })).toBe('invalid_scope')
    expect(await ask({ client_id: 'tool', resource: mail })).toBe('invalid_scope')
    expect(await ask({ client_id: 'tool', resource: origin })).toBe('invalid_target')
  })

  test('authenticates as at the token endpoint, and the code is its own', async () => {
    const server = serveDevice({ clients: [tool, confidential, publicClient] })
    const own = { client_id: 'television' }
    const headers = { authorization: `Basic ${btoa(`television:${encodeURIComponent(secret)}`)}` }
    const { device_code: code } = await askForCode(server, own, headers)
    const ask = (fields: Record<string, string>): Promise<Response> =>
      server.post('/oauth/device-code', fields)
    expect(await readError(await ask(own))).toEqual([401, 'invalid_client'])
    expect(await readError(await ask({ client_id: 'other' }))).toEqual([401, 'invalid_client'])
    expect(await readError(await ask({ client_id: publicClient.id }))).toEqual([
      400,
      'unauthorized_client',
    ])
    const fields = { grant_type: deviceGrant, device_code: code, ...own }
    const mine = await server.post('/oauth/token', fields, headers)
    expect(await readError(mine)).toEqual([400, 'authorization_pending'])
    const bare = await server.post('/oauth/token', fields)
    expect(await readError(bare)).toEqual([401, 'invalid_client'])
    expect(await readError(await poll(server, code))).toEqual([400, 'invalid_grant'])
    const other = await poll(server, code, { client_id: publicClient.id })
    expect(await readError(other)).toEqual([400, 'unauthorized_client'])
  })

  test('posts a form with a code', async () => {
    const server = serveDevice()
    await askForCode(server)
    const type = { 'content-type': 'application/json' }
    const asked = await server.post('/oauth/device-code', '{"client_id":"tool"}', type)
    expect(await readError(asked)).toEqual([400, 'invalid_request'])
    const fields = { grant_type: deviceGrant, client_id: 'tool' }
    const polled = await server.post('/oauth/token', fields)
    expect(await readError(polled)).toEqual([400, 'invalid_request'])
    expect(await readError(await poll(server, 'A'.repeat(43)))).toEqual([400, 'invalid_grant'])
    const { device_code: code } = await askForCode(server)
    const target = await poll(server, code, { resource: mail })
    expect(await readError(target)).toEqual([400, 'invalid_target'])
  })

  test('asks as often as a limit by IP address allows', async () => {
    const limits = { deviceRequestsPerClient: { times: 1, window: 600 } }
    const server = serveDevice({ device: deviceFlow({ limits }) })
    await askForCode(server)
    const reply = await server.post('/oauth/device-code', { client_id: 'tool' })
    expect(reply.status).toBe(429)
  })

  test('that may no longer use the flow cannot be approved, also if its code was entered', async () => {
    const storage = memoryStorage()
    const server = serve({ storage, server: withDevice })
    const code = {
      redirectUris: ['https://tool.example/cb'],
      grants: ['authorization_code'],
    } as const
    const clients = [{ id: tool.id, name: tool.name, ...code }]
    const later = serve({ storage, server: { ...withDevice, clients } })
    const [one, other] = [await askForCode(server), await askForCode(server)]
    const browser = await browseAs(server)
    const moved = later.browse()
    const move = (): void => {
      for (const [name, value] of browser.cookies) moved.cookies.set(name, value)
    }
    const form = await readForm(await enter(browser, one.user_code))
    move()
    const refused = await moved.post('/device', { ...form, decision: 'allow' })
    expect(refused.status).toBe(400)
    expect((await enter(moved, other.user_code)).status).toBe(400)
    expect(await readError(await poll(server, one.device_code))).toEqual([
      400,
      'authorization_pending',
    ])
    expect((await browser.post('/device', { ...form, decision: 'allow' })).status).toBe(200)
    await readTokens(await poll(server, one.device_code))
  })

  test('has no page without a redirect URI, and no other way', async () => {
    const server = serveDevice()
    const browser = await browseAs(server)
    expect((await browser.visit('/authorize?client_id=tool&response_type=code')).status).toBe(400)
  })
})

test('the flow is there, and named, only if the application imports it', async () => {
  const read = async ({ send }: TestServer): Promise<Record<string, unknown>> =>
    (await send(metadataPath)).json()
  const on = serveDevice()
  expect(await read(on)).toMatchObject({
    device_authorization_endpoint: `${origin}/oauth/device-code`,
    grant_types_supported: expect.arrayContaining([deviceGrant]),
  })
  expect((await on.send('/oauth/device-code')).status).toBe(405)
  const off = serve()
  const metadata = await read(off)
  expect(metadata).not.toHaveProperty('device_authorization_endpoint')
  expect(metadata['grant_types_supported']).not.toContain(deviceGrant)
  const request = new Request(`${origin}/oauth/device-code`, { method: 'POST' })
  expect(programs(off.auth, request)).toBe(undefined)
  const browser = await browseAs(off)
  expect((await browser.visit('/device')).status).toBe(404)
  const reply = await poll(off, 'A'.repeat(43), { client_id: publicClient.id })
  expect(await readError(reply)).toEqual([400, 'unsupported_grant_type'])
})

test.each<[string, object]>([
  ['deviceFlow.uri', { uri: origin }],
  ['deviceFlow.limits.deviceRequestsPerClient', { limits: { deviceRequestsPerClient: 5 } }],
  ...['http://app.example/device', '/device', `${origin}/device?a`, `${origin}/device#a`].map(
    (verificationUri): [string, object] => ['deviceFlow.verificationUri', { verificationUri }],
  ),
])('%s is named if it is wrong: case %#', (option, options) => {
  expect(() => deviceFlow(options)).toThrow(
    expect.objectContaining({ name: 'ConfigurationError', option }),
  )
})

test('the URL that users type can be a short one', async () => {
  const verificationUri = 'https://app.example/device'
  const codes = await askForCode(serveDevice({ device: deviceFlow({ verificationUri }) }))
  expect(codes).toMatchObject({
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${codes.user_code}`,
  })
})

describe('the page (I-68)', () => {
  test('asks for the code also if the URL has it, and a GET changes nothing', async () => {
    const server = serveDevice()
    const { device_code: code, user_code: userCode } = await askForCode(server)
    const browser = await browseAs(server)
    for (let i = 0; i < 2; i++) {
      const page = await browser.visit(`/device?user_code=${userCode}&decision=allow`)
      expect(page.status).toBe(200)
      const html = await page.text()
      expect(html).toContain(`value="${userCode}"`)
      expect(html).not.toContain('Notes')
    }
    server.wait(5)
    const waiting = await poll(server, code)
    expect(await readError(waiting)).toEqual([400, 'authorization_pending'])
    expect((await approve(await browseAs(server, 'bob'), userCode)).status).toBe(200)
    await readTokens(await poll(server, code))
  })

  test('takes the code in small letters, without a dash and with spaces', async () => {
    const server = serveDevice()
    for (const change of [
      (code: string) => code.toLowerCase(),
      (code: string) => code.replace('-', ''),
      (code: string) => ` ${code.replace('-', ' – ')} `,
    ]) {
      const { user_code: userCode } = await askForCode(server)
      expect((await enter(await browseAs(server), change(userCode))).status).toBe(200)
    }
  })

  test('survives a sign-in, with the code', async () => {
    const server = serveDevice()
    const { user_code: userCode } = await askForCode(server)
    const browser = server.browse()
    const first = await browser.visit(`/device?user_code=${userCode}`)
    const callbackUrl = new URL(first.headers.get('location') ?? '').searchParams.get('callbackUrl')
    expect(callbackUrl).toBe(`${issuer}/device?user_code=${userCode}`)
    const posted = await browser.submit('/device', { user_code: userCode })
    expect(posted.headers.get('location')).toBe(first.headers.get('location'))
    await signIn(browser, 'alice', { callbackUrl: callbackUrl ?? '' })
    expect(await (await browser.visit(callbackUrl ?? '')).text()).toContain(`value="${userCode}"`)
    const other = await server.browse().visit('/device?user_code=https://evil.example')
    expect(other.headers.get('location')).not.toContain('evil')
  })

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['without the CSRF token', { csrfToken: '' }, {}],
    ['from a page of another origin', {}, { origin: 'https://evil.example' }],
    ['from a page of a trusted origin', {}, { origin: 'https://other.app.example' }],
  ])('%s no code is entered, and nothing is allowed', async (_, fields, headers) => {
    const server = serveDevice({}, { trustedOrigins: ['https://other.app.example'] })
    const { device_code: code, user_code: userCode } = await askForCode(server)
    const browser = await browseAs(server)
    const typed = { csrfToken: await browser.csrfToken(), user_code: userCode }
    const refused = await browser.post('/device', { ...typed, ...fields }, { headers })
    expect(await refused.text()).not.toContain('asks for access')
    const asked = await browser.post('/device', typed)
    const form = { ...(await readForm(asked)), decision: 'allow' }
    const again = await browser.post('/device', { ...form, ...fields }, { headers })
    expect(again.status).toBe(403)
    expect(await readError(await poll(server, code))).toEqual([400, 'authorization_pending'])
    expect((await browser.post('/device', form)).status).toBe(200)
    await readTokens(await poll(server, code))
  })

  test('allows nothing before the user has seen what for', async () => {
    const server = serveDevice()
    const { device_code: code, user_code: userCode } = await askForCode(server)
    const browser = await browseAs(server)
    const blind = await browser.submit('/device', { user_code: userCode, decision: 'allow' })
    expect(await blind.clone().text()).toContain('asks for access')
    expect(await readError(await poll(server, code))).toEqual([400, 'authorization_pending'])
    await browser.post('/device', { ...(await readForm(blind)), decision: 'allow' })
    await readTokens(await poll(server, code))
  })

  test('is answered by nobody but who has entered the code, in the same session, once', async () => {
    const server = serveDevice()
    const { device_code: code, user_code: userCode } = await askForCode(server)
    const alice = await browseAs(server)
    const form = { ...(await readForm(await enter(alice, userCode))), decision: 'allow' }
    for (const subject of ['bob', 'alice']) {
      const browser = await browseAs(server, subject)
      for (const fields of [{ user_code: userCode }, { ...form, csrfToken: '' }]) {
        const { csrfToken: _, ...rest } = { csrfToken: '', ...fields }
        const reply = await browser.submit('/device', rest)
        expect([subject, reply.status]).toEqual([subject, 400])
        expect(await reply.text()).not.toContain('Notes')
      }
    }
    expect(await readError(await poll(server, code))).toEqual([400, 'authorization_pending'])
    expect((await enter(alice, userCode)).status).toBe(200)
    expect((await alice.post('/device', form)).status).toBe(200)
    expect((await alice.post('/device', form)).status).toBe(400)
    const { access_token: token } = await readTokens(await poll(server, code))
    expect(decodeJwt(token).sub).toBe((await getUser(alice)).id)
    expect((await alice.post('/device', form)).status).toBe(400)
  })

  test('that was shown to one user allows nothing for the next one of the browser', async () => {
    const server = serveDevice()
    const { device_code: code, user_code: userCode } = await askForCode(server)
    const browser = await browseAs(server)
    const form = { ...(await readForm(await enter(browser, userCode))), decision: 'allow' }
    await signIn(browser, 'bob')
    const csrfToken = await browser.csrfToken()
    expect((await browser.post('/device', { ...form, csrfToken })).status).toBe(400)
    expect(await readError(await poll(server, code))).toEqual([400, 'authorization_pending'])
  })

  test('allows nothing after ten minutes, nor after it was denied', async () => {
    const server = serveDevice()
    const [late, denied, right] = [
      await askForCode(server),
      await askForCode(server),
      await askForCode(server),
    ]
    server.wait(300)
    const browser = await browseAs(server)
    const forms: Record<string, string>[] = []
    for (const { user_code: code } of [late, denied, right]) {
      forms.push({ ...(await readForm(await enter(browser, code))), decision: 'allow' })
    }
    await browser.post('/device', { ...forms[1], decision: 'deny' })
    expect((await browser.post('/device', forms[1] ?? {})).status).toBe(400)
    server.wait(299)
    expect((await browser.post('/device', forms[2] ?? {})).status).toBe(200)
    server.wait(1)
    expect((await browser.post('/device', forms[0] ?? {})).status).toBe(400)
  })

  test('asks first who the user is, unless that was proven within ten minutes', async () => {
    const server = serveDevice()
    const browser = await browseAs(server)
    server.wait(599)
    const { device_code: code, user_code: userCode } = await askForCode(server)
    const page = `/device?user_code=${userCode}`
    expect((await browser.visit(page)).status).toBe(200)
    const asked = await enter(browser, userCode)
    const form = { ...(await readForm(asked)), decision: 'allow' }
    server.wait(10)
    const other = await askForCode(server)
    const target = (reply: Response): string => reply.headers.get('location') ?? ''
    expect(target(await browser.visit(page))).toContain('confirm=true')
    expect(target(await enter(browser, other.user_code))).toContain('confirm=true')
    // It was recent when the code was entered.
    expect((await browser.post('/device', form)).status).toBe(200)
    await readTokens(await poll(server, code))
    await signIn(browser, 'alice', { confirm: 'true' })
    expect((await approve(browser, other.user_code)).status).toBe(200)
  })

  test('an application may deny, and a user is asked even if it would not ask', async () => {
    const answers: Record<string, 'granted' | 'denied'> = { alice: 'granted', bob: 'denied' }
    const consent: AuthorizationServerOptions['consent'] = ({ user }) =>
      answers[(user.email ?? '').split('@')[0] ?? ''] ?? 'denied'
    const server = serveDevice({ consent })
    const [one, other] = [await askForCode(server), await askForCode(server)]
    const asked = await enter(await browseAs(server), one.user_code)
    expect(await asked.text()).toContain('asks for access')
    const denied = await enter(await browseAs(server, 'bob'), other.user_code)
    expect(await denied.text()).toContain('The device gets no access')
    expect(await readError(await poll(server, other.device_code))).toEqual([400, 'access_denied'])
  })

  test('is in the language of the browser', async () => {
    const { de } = await import('@latchkey/core/languages/de')
    const { de: serverDe } = await import('@latchkey/authorization-server/languages/de')
    const server = serveDevice({}, { messages: { de: [de, serverDe] } })
    const browser = await browseAs(server)
    const headers = { 'accept-language': 'de' }
    const page = await browser.visit('/device', { headers })
    expect(await page.text()).toContain('Gerät verbinden')
  })
})

/** A service in whose storage something happens once, after a call of one method. */
function serveWith(): TestServer & {
  readonly after: { method: string; run: () => Promise<unknown> }
  readonly changes: object[]
} {
  const storage = memoryStorage()
  const after = { method: '', run: async (): Promise<unknown> => undefined }
  const changes: object[] = []
  const interrupt = async (method: string): Promise<void> => {
    if (after.method !== method) return
    after.method = ''
    await after.run()
  }
  const interrupted: typeof storage = {
    ...storage,
    async getGrantByKey(...args) {
      const grant = await storage.getGrantByKey?.(...args)
      await interrupt('getGrantByKey')
      return grant
    },
    async getGrantAndUser(...args) {
      const found = await storage.getGrantAndUser?.(...args)
      await interrupt('getGrantAndUser')
      return found
    },
    async updateGrant(...args) {
      const isStored = (await storage.updateGrant?.(...args)) === true
      changes.push(args[2])
      await interrupt('updateGrant')
      return isStored
    },
  }
  return { ...serve({ server: withDevice, storage: interrupted }), after, changes }
}

describe('what happens meanwhile (I-68)', () => {
  test.each(['allow', 'deny'] as const)('of two answers the first counts: %s', async (first) => {
    const { after, changes, ...server } = serveWith()
    const { device_code: code, user_code: userCode } = await askForCode(server)
    const browser = await browseAs(server)
    const form = await readForm(await enter(browser, userCode))
    const second = first === 'allow' ? 'deny' : 'allow'
    let status = 0
    after.run = async () => {
      status = (await browser.post('/device', { ...form, decision: first })).status
    }
    after.method = 'getGrantByKey'
    const late = await browser.post('/device', { ...form, decision: second })
    expect([status, late.status]).toEqual([200, 400])
    expect(changes.at(-1)).toMatchObject({ key: null })
    const [, error] = await readError(await poll(server, code))
    expect(error).toBe(first === 'allow' ? 'none' : 'access_denied')
  })

  test('an approval is not lost while the device asks for tokens, and the other way round', async () => {
    const { after, ...server } = serveWith()
    const { device_code: code, user_code: userCode } = await askForCode(server)
    const browser = await browseAs(server)
    const form = { ...(await readForm(await enter(browser, userCode))), decision: 'allow' }
    const answers: unknown[] = []
    after.run = async () => answers.push(await readError(await poll(server, code)))
    after.method = 'getGrantAndUser'
    expect((await browser.post('/device', form)).status).toBe(200)
    expect(answers).toEqual([[400, 'authorization_pending']])
    await readTokens(await poll(server, code))

    const next = await askForCode(server)
    const asked = await readForm(await enter(browser, next.user_code))
    after.run = () => browser.post('/device', { ...asked, decision: 'allow' })
    after.method = 'getGrantAndUser'
    await readTokens(await poll(server, next.device_code))
  })

  test('a code that another user enters meanwhile is theirs', async () => {
    const { after, ...server } = serveWith()
    const { user_code: userCode } = await askForCode(server)
    const [alice, bob] = [await browseAs(server), await browseAs(server, 'bob')]
    let status = 0
    after.run = async () => {
      status = (await enter(bob, userCode)).status
    }
    after.method = 'getGrantByKey'
    expect([(await enter(alice, userCode)).status, status]).toEqual([400, 200])
  })

  test('a confirmation in another tab leaves the code to its user', async () => {
    const server = serveDevice()
    const { device_code: code, user_code: userCode } = await askForCode(server)
    const browser = await browseAs(server)
    const form = await readForm(await enter(browser, userCode))
    await signIn(browser, 'alice', { confirm: 'true' })
    const csrfToken = await browser.csrfToken()
    const allowed = await browser.post('/device', { ...form, csrfToken, decision: 'allow' })
    expect(allowed.status).toBe(200)
    await readTokens(await poll(server, code))
  })

  test('an outage of the storage is no wrong code', async () => {
    let isOut = false
    const storage = wrapMethods(memoryStorage(), (method, name) => (...args) => {
      if (isOut && name === 'getGrantByKey') return Promise.reject(new Error('out'))
      return method(...args)
    })
    const server = serve({ server: withDevice, storage })
    const { user_code: userCode } = await askForCode(server)
    const browser = await browseAs(server)
    expect((await enter(browser, userCode)).status).toBe(200)
    isOut = true
    for (let i = 0; i < 6; i++) expect((await enter(browser, userCode)).status).toBe(503)
    isOut = false
    expect((await enter(browser, userCode)).status).toBe(200)
  })

  test.each([
    [['getSessionAndUser'], 400, []],
    // If that fails too, the user must hear of the device.
    [['getSessionAndUser', 'deleteGrant'], 200, ['applicationAllowed']],
  ])(
    'an approval is taken back if it cannot be known whether its session lives: without %j',
    async (out, status, told) => {
      let state: 'well' | 'failsNext' | 'out' = 'well'
      const storage = wrapMethods(memoryStorage(), (method, name) => async (...args) => {
        if (state === 'out' && out.includes(name)) throw new Error('out')
        const result = await method(...args)
        if (state === 'failsNext' && name === 'updateGrant') state = 'out'
        return result
      })
      const { listener, told: heard } = createListener()
      const server = serve({ server: withDevice, storage, others: [listener] })
      const browser = await browseAs(server)
      const [one, other] = [await askForCode(server), await askForCode(server)]
      const answerOf = async (userCode: string): Promise<number> => {
        const form = await readForm(await enter(browser, userCode))
        return (await browser.post('/device', { ...form, decision: 'allow' })).status
      }
      expect(await answerOf(one.user_code)).toBe(200)
      await readTokens(await poll(server, one.device_code))
      const form = await readForm(await enter(browser, other.user_code))
      expect(heard.splice(0)).toEqual(['applicationAllowed'])
      state = 'failsNext'
      expect((await browser.post('/device', { ...form, decision: 'allow' })).status).toBe(503)
      state = 'well'
      expect((await poll(server, other.device_code)).status).toBe(status)
      expect(heard).toEqual(told)
    },
  )

  /** Approves a device while all sessions end before one of the calls of the storage, and nothing can be deleted since. */
  async function approveWhile(at: number): Promise<{ isReached: boolean; status: number }> {
    let left = Infinity
    let isOut = false
    let end = async (): Promise<void> => undefined
    const storage = wrapMethods(memoryStorage(), (method, name) => async (...args) => {
      if (left-- === 0) await end()
      if (isOut && name === 'deleteGrant') throw new Error('out')
      return method(...args)
    })
    const server = serve({ server: withDevice, storage })
    const browser = await browseAs(server)
    const { id } = await getUser(browser)
    server.wait(30)
    const { device_code: code, user_code: userCode } = await askForCode(server)
    const form = await readForm(await enter(browser, userCode))
    end = async () => {
      await server.auth.sessions.revokeAll(id)
      isOut = true
    }
    left = at
    await browser.post('/device', { ...form, decision: 'allow' })
    const isReached = isOut
    left = Infinity
    isOut = false
    server.wait(5)
    return { isReached, status: (await poll(server, code)).status }
  }

  test('an end of all sessions at any moment of an approval leaves no tokens, also if it is not taken back', async () => {
    expect(await approveWhile(Infinity)).toEqual({ isReached: false, status: 200 })
    const statuses: number[] = []
    for (let at = 0; ; at++) {
      const { isReached, status } = await approveWhile(at)
      if (!isReached) break
      statuses.push(status)
    }
    expect(statuses.length).toBeGreaterThan(10)
    expect(new Set(statuses)).toEqual(new Set([400]))
  })

  test('a session that ends while it approves approves nothing', async () => {
    const { after, ...server } = serveWith()
    const browser = await browseAs(server)
    const [one, other] = [await askForCode(server), await askForCode(server)]
    await approve(browser, one.user_code)
    await readTokens(await poll(server, one.device_code))
    const form = await readForm(await enter(browser, other.user_code))
    const { id } = await getUser(browser)
    after.run = async () => {
      const [session] = await server.auth.sessions.list(id)
      if (session) await server.auth.sessions.revoke(id, session.id)
    }
    after.method = 'updateGrant'
    const reply = await browser.post('/device', { ...form, decision: 'allow' })
    expect(reply.status).not.toBe(200)
    expect(await readError(await poll(server, other.device_code))).toEqual([400, 'invalid_grant'])
  })
})

test('every letter of a code is as frequent as the others (I-68)', () => {
  const letters = new Map<string, number>()
  // The last 16 of 256 bytes, of which none is used, and then the others.
  let next = 240
  const count = (bytes: number): Uint8Array => Uint8Array.from({ length: bytes }, () => next++)
  for (let i = 0; i < 30; i++) {
    for (const letter of createUserCode(count)) {
      letters.set(letter, (letters.get(letter) ?? 0) + 1)
    }
  }
  expect(Object.fromEntries(letters)).toEqual(
    Object.fromEntries('BCDFGHJKLMNPQRSTVWXZ'.split('').map((letter) => [letter, 12])),
  )
})

describe('wrong codes (I-68)', () => {
  /** A code that no device has. */
  const wrong = (i: number): string => `BBBB-BBB${'BCDFGHJKLMNPQRSTVWXZ'[i % 20]}`

  test('are five in a session; right ones, and what cannot be a code, do not count', async () => {
    const server = serveDevice()
    const browser = await browseAs(server)
    for (let i = 0; i < 6; i++) {
      const { user_code: userCode } = await askForCode(server)
      expect((await approve(browser, userCode)).status).toBe(200)
      expect((await enter(browser, 'AEIO-1234')).status).toBe(400)
    }
    const { user_code: last } = await askForCode(server)
    for (let i = 0; i < 5; i++) {
      const reply = await enter(browser, wrong(i))
      expect(reply.status).toBe(400)
      expect(await reply.text()).toContain('This code is wrong or has ended.')
    }
    expect((await enter(browser, wrong(6))).status).toBe(429)
    const refused = await enter(browser, last)
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain(`value="${last}"`)
    expect((await enter(await browseAs(server), last)).status).toBe(200)
  })

  test('are twenty from an IP address', async () => {
    let address = ip
    const server = serve({ server: withDevice, clientIp: () => address })
    const { user_code: userCode } = await askForCode(server)
    for (let i = 0; i < 4; i++) {
      const browser = await browseAs(server)
      for (let j = 0; j < 5; j++) expect((await enter(browser, wrong(j))).status).toBe(400)
    }
    const browser = await browseAs(server)
    expect((await enter(browser, userCode)).status).toBe(429)
    address = '192.0.2.8'
    expect((await enter(browser, userCode)).status).toBe(200)
  })

  test('are 1,000 of all together', async () => {
    let address = 0
    const limits = { wrongCodesPerSession: false } as const
    const server = serve({
      server: { ...withDevice, device: deviceFlow({ limits }) },
      clientIp: () => `192.0.2.${address}`,
    })
    const { user_code: userCode } = await askForCode(server)
    const browser = await browseAs(server)
    const csrfToken = await browser.csrfToken()
    for (address = 0; address < 50; address++) {
      for (let i = 0; i < 20; i++) {
        const reply = await browser.post('/device', { csrfToken, user_code: wrong(i) })
        expect(reply.status).toBe(400)
      }
    }
    expect((await enter(browser, userCode)).status).toBe(429)
    server.wait(601)
    await signIn(browser)
    const { user_code: later } = await askForCode(server)
    expect((await enter(browser, later)).status).toBe(429)
    server.wait(3000)
    await signIn(browser)
    const { user_code: last } = await askForCode(server)
    expect((await enter(browser, last)).status).toBe(200)
  })
})
