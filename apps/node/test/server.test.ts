import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { listen, listenerOf } from '../src/server.ts'
import type { FetchHandler, RunningServer } from '../src/server.ts'
import { Program, open, send } from './support/program.ts'

const env = {
  AUTH_SECRET: 'a-secret-of-thirty-two-bytes-or-more',
  AUTH_GITHUB_ID: 'id',
  AUTH_GITHUB_SECRET: 'secret',
  PORT: '0',
  AUTH_DATABASE: ':memory:',
}

const programs: Program[] = []

afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.stop()))
})

function service(over: Readonly<Record<string, string>> = {}): Program {
  const program = new Program('src/main.ts', { ...env, ...over })
  programs.push(program)
  return program
}

async function started(over?: Readonly<Record<string, string>>): Promise<[Program, string]> {
  const program = service(over)
  const [, address = ''] = await program.printed(/listening on (\S+)/)
  return [program, address]
}

describe('the service as a process', () => {
  test('says where it listens, and answers there', async () => {
    const [program, address] = await started()
    expect(program.stdout).toMatch(/^latchkey: listening on http:\/\/localhost:\d+ \(for loopback/)
    const response = await fetch(`${address}/api/auth/csrf`)
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie()).toHaveLength(1)
    expect(await response.json()).toEqual({ csrfToken: expect.stringMatching(/^[\w-]{43}$/) })
    expect((await fetch(`${address}/`)).status).toBe(404)
  })

  test('says the addresses of its public origin, whatever the Host header says', async () => {
    const [program, address] = await started({ SERVICE_URL: 'https://auth.example/sso' })
    expect(program.stdout).toContain('(for https://auth.example/sso)')
    const answer = await send(
      address,
      'GET /sso/providers HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toContain('https://auth.example/sso/signin/github')
    expect(answer).not.toContain('evil.example')
  })

  test('without SERVICE_URL it answers for loopback only', async () => {
    const [, address] = await started()
    const request = 'GET /api/auth/csrf HTTP/1.1\r\nHost: auth.example\r\nConnection: close\r\n\r\n'
    expect(await send(address, request)).toMatch(/^HTTP\/1.1 500 /)
  })

  test.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])(
    '%s: finishes the request under way, takes no other, and exits with 0',
    async (signal) => {
      const [program, address] = await started()
      const body = 'csrfToken=wrong'
      const underWay = await open(
        address,
        'POST /api/auth/signout HTTP/1.1\r\nHost: localhost\r\n' +
          'Content-Type: application/x-www-form-urlencoded\r\n' +
          `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 4)}`,
      )
      const idle = await open(address, '')
      // A whole answer on another connection: by then the service has the first one's headers.
      await fetch(`${address}/api/auth/csrf`)
      const signalled = Date.now()
      program.signal(signal)
      await program.printed(new RegExp(`${signal}: finishing`))
      await expect(open(address, '')).rejects.toThrow(/ECONNREFUSED/)
      underWay.write(body.slice(4))
      expect(await text(underWay)).toMatch(/^HTTP\/1.1 403 /)
      // Soon: neither a connection kept alive nor one that has asked nothing is waited for.
      expect(Date.now() - signalled).toBeLessThan(3000)
      expect(await program.ended).toMatchObject({ code: 0 })
      idle.destroy()
    },
  )

  test('a second signal ends it at once', async () => {
    const [program, address] = await started()
    const underWay = await open(address, 'POST /api/auth/signout HTTP/1.1\r\nHost: localhost\r\n')
    underWay.on('error', () => {})
    await fetch(`${address}/api/auth/csrf`)
    program.signal('SIGTERM')
    await program.printed(/finishing/)
    program.signal('SIGTERM')
    expect((await program.ended).code).not.toBe(0)
  })

  test('a taken port is one line and exit code 1', async () => {
    const [, address] = await started()
    const { port } = new URL(address)
    const { code, stdout, stderr } = await service({ PORT: port }).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(`latchkey: PORT: port ${port} is taken by another program\n`)
  })

  test.each([
    ['AUTH_SECRET', { AUTH_SECRET: '' }],
    ['AUTH_GITHUB_SECRET', { AUTH_GITHUB_SECRET: '' }],
    ['AUTH_TRUST_HOST', { AUTH_TRUST_HOST: 'yes' }],
    ['SERVICE_URL', { SERVICE_URL: 'http://auth.example' }],
    ['HOST', { HOST: '192.0.2.1' }],
  ])('a bad %s is one line and exit code 1', async (variable, over) => {
    const { code, stdout, stderr } = await service(over).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^latchkey: [^\n]+\n$/)
    expect(stderr).toContain(variable)
  })
})

describe('the Host header', () => {
  let address: string
  let program: Program
  beforeAll(async () => {
    program = new Program('src/main.ts', env)
    ;[, address = ''] = await program.printed(/listening on (\S+)/)
    return () => program.stop()
  })

  const get = (headers: string, version = '1.1', target = '/api/auth/csrf'): string =>
    `GET ${target} HTTP/${version}\r\n${headers}Connection: close\r\n\r\n`

  test.each([
    ['missing', get('')],
    ['missing, in HTTP/1.0', get('', '1.0')],
    ['empty', get('Host:\r\n')],
    ['given twice', get('Host: localhost\r\nHost: localhost\r\n')],
    ['with a path', get('Host: localhost/x\r\n')],
    ['with a space', get('Host: local host\r\n')],
    ['with credentials', get('Host: user@localhost\r\n')],
    ['with a query', get('Host: localhost?\r\n')],
    ['with a backslash', get('Host: localhost\\x\r\n')],
    ['with a percent sign', get('Host: %6cocalhost\r\n')],
    ['with bytes outside ASCII', get('Host: löcalhost/aaaaaa\r\n')],
    ['of no port', get('Host: localhost:99999\r\n')],
    ['of no address', get('Host: [::1\r\n')],
    ['of a bad IPv4 address', get('Host: 1.2.3.256\r\n')],
    ['fine, but no path', get('Host: localhost\r\n', '1.1', '*')],
    ['fine, but a bad absolute address', get('Host: localhost\r\n', '1.1', 'http://[')],
  ])('%s: 400', async (_name, request) => {
    expect(await send(address, request)).toMatch(/^HTTP\/1.1 400 /)
  })

  test.each(['localhost', 'LOCALHOST:80', '127.0.0.1:3000', '[::1]:3000'])(
    '%s: answered',
    async (host) => {
      expect(await send(address, get(`Host: ${host}\r\n`))).toMatch(/^HTTP\/1.1 200 /)
    },
  )

  test.each(['TRACE', 'OPTIONS', 'PROPFIND'])('%s: 405', async (method) => {
    const request = get('Host: localhost\r\n').replace('GET', method)
    expect(await send(address, request)).toMatch(/^HTTP\/1.1 405 /)
  })

  test('after all of which the service still answers, and has printed no stack trace', async () => {
    expect((await fetch(`${address}/api/auth/csrf`)).status).toBe(200)
    expect(program.stderr).not.toMatch(/^\s+at /m)
  })
})

describe('a server in this process', () => {
  let server: RunningServer | undefined
  afterEach(async () => {
    await server?.stop(0)
    server = undefined
  })

  test('cuts off what takes longer than the limit, and says so', async () => {
    server = await listen(
      listenerOf(() => new Promise<Response>(() => {})),
      { host: 'localhost', port: 0 },
    )
    const socket = await open(server.address, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await server.stop(100)).toBe(false)
    await closed
    server = undefined
  })

  test('names the variable of its port', async () => {
    const handler = listenerOf(() => new Response('ok'))
    server = await listen(handler, { host: 'localhost', port: 0 })
    const port = Number(new URL(server.address).port)
    await expect(
      listen(handler, { host: 'localhost', port, portVariable: 'IDP_PORT' }),
    ).rejects.toMatchObject({ option: 'IDP_PORT' })
  })

  /** The client's address as the handler is told it. */
  async function toldAddress(
    headers: Readonly<Record<string, string>>,
    clientAddressHeader?: string,
  ): Promise<string> {
    const handler: FetchHandler = (_request, { clientIp }) => new Response(String(clientIp?.()))
    const listener = listenerOf(handler, { clientAddressHeader })
    server = await listen(listener, { host: 'localhost', port: 0 })
    const told = await (await fetch(`${server.address}/`, { headers })).text()
    await server.stop()
    server = undefined
    return told
  }

  test('tells the address of the connection, whatever headers say', async () => {
    const told = await toldAddress({ 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' })
    expect(told).toMatch(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/)
  })

  test('tells what the header says that the proxy in front sets: its last address', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.66, 192.0.2.1' }
    expect(await toldAddress(headers, 'X-Forwarded-For')).toBe('192.0.2.1')
    expect(await toldAddress({}, 'X-Forwarded-For')).toBe('undefined')
  })
})
