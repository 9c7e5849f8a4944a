import { text } from 'node:stream/consumers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { open, send } from '@latchkey/test-support/connection'
import type { Program } from '@latchkey/test-support/program'
import { startService } from './support/service.ts'

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

function start(over: Readonly<Record<string, string>> = {}): Program {
  const program = startService({ ...env, ...over })
  programs.push(program)
  return program
}

async function startAndWait(over?: Readonly<Record<string, string>>): Promise<[Program, string]> {
  const program = start(over)
  const [, url = ''] = await program.waitForOutput(/listening on (\S+)/)
  return [program, url]
}

/** Expects that a program ends with one line, which has no password. */
async function expectOneLine({ ended }: Program, words: string): Promise<void> {
  const { code, stdout, stderr } = await ended
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^latchkey: [^\n]+\n$/)
  expect(stderr).toContain(words)
  expect(stderr).not.toContain('hunter2')
}

describe('the service as a process', () => {
  let withoutDatabase: Program
  // It waits 15 seconds for its database, while the other tests run.
  beforeAll(() => {
    const database = 'postgres://wrong_one:hunter2@127.0.0.1:1/test'
    withoutDatabase = startService({ ...env, AUTH_DATABASE: database })
    return async () => void (await withoutDatabase.stop())
  })

  test('prints its URL, and answers there', async () => {
    const [program, url] = await startAndWait()
    expect(program.stdout).toMatch(/^latchkey: listening on http:\/\/localhost:\d+ \(for loopback/)
    const response = await fetch(`${url}/api/auth/csrf`)
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie()).toHaveLength(1)
    expect(await response.json()).toEqual({ csrfToken: expect.stringMatching(/^[\w-]{43}$/) })
    expect((await fetch(`${url}/`)).status).toBe(404)
  })

  test('uses the origin of SERVICE_URL, whatever the Host header contains', async () => {
    const [program, url] = await startAndWait({ SERVICE_URL: 'https://auth.example/sso' })
    expect(program.stdout).toContain('(for https://auth.example/sso)')
    const answer = await send(
      url,
      'GET /sso/providers HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toContain('https://auth.example/sso/signin/github')
    expect(answer).not.toContain('evil.example')
  })

  test('without SERVICE_URL it answers for loopback only', async () => {
    const [, url] = await startAndWait()
    const request = 'GET /api/auth/csrf HTTP/1.1\r\nHost: auth.example\r\nConnection: close\r\n\r\n'
    expect(await send(url, request)).toMatch(/^HTTP\/1.1 500 /)
  })

  test.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])(
    '%s: finishes the open request, accepts no other, and exits with 0',
    async (signal) => {
      const [program, url] = await startAndWait()
      const body = 'csrfToken=wrong'
      const unfinished = await open(
        url,
        'POST /api/auth/signout HTTP/1.1\r\nHost: localhost\r\n' +
          'Content-Type: application/x-www-form-urlencoded\r\n' +
          `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 4)}`,
      )
      const idle = await open(url, '')
      // After this response the service has received the headers of the first request.
      await fetch(`${url}/api/auth/csrf`)
      const signalled = Date.now()
      program.signal(signal)
      await program.waitForOutput(new RegExp(`${signal}: finishing`))
      await expect(open(url, '')).rejects.toThrow(/ECONNREFUSED/)
      unfinished.write(body.slice(4))
      expect(await text(unfinished)).toMatch(/^HTTP\/1.1 403 /)
      // It waits neither for a connection kept alive nor for one without a request.
      expect(Date.now() - signalled).toBeLessThan(3000)
      expect(await program.ended).toMatchObject({ code: 0 })
      idle.destroy()
    },
  )

  test('a second signal ends it immediately', async () => {
    const [program, url] = await startAndWait()
    const unfinished = await open(url, 'POST /api/auth/signout HTTP/1.1\r\nHost: localhost\r\n')
    unfinished.on('error', () => {})
    await fetch(`${url}/api/auth/csrf`)
    program.signal('SIGTERM')
    await program.waitForOutput(/finishing/)
    program.signal('SIGTERM')
    expect((await program.ended).code).not.toBe(0)
  })

  test('a taken port: one line and exit code 1', async () => {
    const [, url] = await startAndWait()
    const { port } = new URL(url)
    const { code, stdout, stderr } = await start({ PORT: port }).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(`latchkey: PORT: port ${port} is taken by another program\n`)
  })

  test.each([
    ['AUTH_SECRET', { AUTH_SECRET: '' }],
    ['AUTH_GITHUB_SECRET', { AUTH_GITHUB_SECRET: '' }],
    ['AUTH_TRUST_HOST', { AUTH_TRUST_HOST: 'yes' }],
    ['SERVICE_URL', { SERVICE_URL: 'http://auth.example' }],
    ['HOST', { HOST: '192.0.2.1' }],
  ])('an invalid %s: one line and exit code 1', async (variable, over) => {
    const { code, stdout, stderr } = await start(over).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^latchkey: [^\n]+\n$/)
    expect(stderr).toContain(variable)
  })

  test.each([
    [{ HOST: 'fe80::1' }, 'HOST: fe80::1 is not a host of this machine (EINVAL)'],
    [{ PORT: '99999' }, 'PORT: must be a whole number from 0 to 65535'],
    [
      { AUTH_URL: 'https://auth.example' },
      'AUTH_URL: is not a variable of Latchkey: did you mean SERVICE_URL?',
    ],
    [
      { SERVICE_URL: 'https://auth.example:99999' },
      'SERVICE_URL: must have a valid host, and a port of at most 65535',
    ],
    [
      { AUTH_EMAIL_FROM: 'a@b.example', AUTH_EMAIL_SERVER: 'smtp://user:hunter2@localhost:99999' },
      'AUTH_EMAIL_SERVER: must have a valid host, and a port from 1 to 65535',
    ],
    [
      { AUTH_DATABASE: '/no/such/folder/latchkey.sqlite' },
      'AUTH_DATABASE: cannot be opened: the folder /no/such/folder does not exist',
    ],
  ])('%j: what is wrong in words, in one line', async (over, words) => {
    await expectOneLine(start(over), words)
  })

  test('a database where no server listens: what is wrong in words, in one line', async () => {
    const words =
      'AUTH_DATABASE: cannot be opened at 127.0.0.1:1: no server listens there (ECONNREFUSED)'
    await expectOneLine(withoutDatabase, words)
  })
})

describe('the Host header', () => {
  let url: string
  let program: Program
  beforeAll(async () => {
    program = startService(env)
    ;[, url = ''] = await program.waitForOutput(/listening on (\S+)/)
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
    ['with an invalid port', get('Host: localhost:99999\r\n')],
    ['with an unclosed bracket', get('Host: [::1\r\n')],
    ['with an invalid IPv4 url', get('Host: 1.2.3.256\r\n')],
    ['valid, but without a path', get('Host: localhost\r\n', '1.1', '*')],
    ['valid, but with an invalid absolute URL', get('Host: localhost\r\n', '1.1', 'http://[')],
  ])('%s: 400', async (_name, request) => {
    expect(await send(url, request)).toMatch(/^HTTP\/1.1 400 /)
  })

  test.each(['localhost', 'LOCALHOST:80', '127.0.0.1:3000', '[::1]:3000'])(
    '%s: answered',
    async (host) => {
      expect(await send(url, get(`Host: ${host}\r\n`))).toMatch(/^HTTP\/1.1 200 /)
    },
  )

  test.each(['TRACE', 'OPTIONS', 'PROPFIND'])('%s: 405', async (method) => {
    const request = get('Host: localhost\r\n').replace('GET', method)
    expect(await send(url, request)).toMatch(/^HTTP\/1.1 405 /)
  })

  test('after these requests the service still answers, and has printed no stack trace', async () => {
    expect((await fetch(`${url}/api/auth/csrf`)).status).toBe(200)
    expect(program.stderr).not.toMatch(/^\s+at /m)
  })
})
